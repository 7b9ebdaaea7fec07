#if canImport(Glibc)
  import CLMDB
  import Glibc
#else
  import Darwin
#endif

/// The executor of the actor that writes: one thread of its own, jobs in the order they came.
///
/// A write transaction belongs to its thread (LM-01), and a commit waits for the disk, which must
/// not block the few threads that run all other tasks.
package final class WriterThread: SerialExecutor {
  private let queue = WriterQueue()

  /// Starts the thread.
  package init() throws(StorageError) {
    try queue.start()
  }

  deinit {
    queue.stop()
  }

  /// Adds a job at the end of the queue.
  package func enqueue(_ job: consuming ExecutorJob) {
    unsafe queue.add(UnownedJob(job), for: asUnownedSerialExecutor())
  }

  /// Whether the caller runs on this thread.
  package func isIsolatingCurrentContext() -> Bool? {
    queue.isCurrent
  }

  /// Stops the process unless the caller runs on this thread.
  package func checkIsolated() {
    precondition(queue.isCurrent, "not on the writer's thread")
  }

  /// Lets the thread end once its queue is empty.
  ///
  /// Later jobs still run, on a thread made for them.
  package func stop() {
    queue.stop()
  }
}

/// The thread's side.
///
/// Separate from the executor so that the last job may drop the executor.
private final class WriterQueue: Sendable {
  // Safe: each job is run exactly once, and its actor keeps the executor alive until then.
  @safe private struct Job: Sendable {
    var job: UnownedJob
    var executor: UnownedSerialExecutor
  }

  private struct State {
    var jobs: [Job] = []
    var isRunning = false
    var isStopped = false
    /// Set by the thread itself: `pthread_create` may answer after it has begun to work.
    var thread: UInt = 0
  }

  private static let stackSize = 8 << 20

  private let monitor = Monitor(State())

  var isCurrent: Bool { monitor.withLock { $0.thread == currentThread() } }

  func add(_ job: UnownedJob, for executor: UnownedSerialExecutor) {
    let mustStart = monitor.withLock { state in
      unsafe state.jobs.append(Job(job: job, executor: executor))
      monitor.broadcast()
      return !state.isRunning
    }
    guard mustStart else { return }
    // Only after `stop()`. Whoever waits for the job must not wait for ever.
    while (try? start()) == nil { sched_yield() }
  }

  func stop() {
    monitor.withLock { state in
      state.isStopped = true
      monitor.broadcast()
    }
  }

  /// Starts the thread unless it runs.
  func start() throws(StorageError) {
    let mustStart = monitor.withLock { state in
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard mustStart else { return }
    let code = spawn()
    guard code == 0 else {
      monitor.withLock { $0.isRunning = false }
      throw .system(code, "The writer's thread could not be started")
    }
  }

  private func spawn() -> Int32 {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Elsewhere than on Linux, threads begin with 512 KiB.
    unsafe pthread_attr_setstacksize(&attributes, Self.stackSize)
    // The thread owns one reference, which it takes over when it begins.
    let argument = unsafe Unmanaged.passRetained(self).toOpaque()
    #if canImport(Glibc)
      var thread = pthread_t()
      let code = unsafe pthread_create(
        &thread, &attributes,
        { argument in
          guard let argument = unsafe argument else { return nil }
          unsafe Unmanaged<WriterQueue>.fromOpaque(argument).takeRetainedValue().run()
          return nil
        }, argument)
    #else
      var thread: pthread_t?
      let code = unsafe pthread_create(
        &thread, &attributes,
        { argument in
          unsafe Unmanaged<WriterQueue>.fromOpaque(argument).takeRetainedValue().run()
          return nil
        }, argument)
    #endif
    if code != 0 { unsafe Unmanaged<WriterQueue>.fromOpaque(argument).release() }
    return code
  }

  private func run() {
    #if canImport(Glibc)
      unsafe pthread_setname_np(pthread_self(), "hearth.writer")
    #else
      unsafe pthread_setname_np("hearth.writer")
    #endif
    monitor.withLock { $0.thread = currentThread() }
    while let jobs = nextJobs() {
      for job in jobs { unsafe job.job.runSynchronously(on: job.executor) }
    }
  }

  /// Waits for jobs; nil once stopped with none left.
  private func nextJobs() -> [Job]? {
    monitor.withLock { state in
      while state.jobs.isEmpty, !state.isStopped { monitor.wait() }
      if state.jobs.isEmpty {
        state.isRunning = false
        state.thread = 0
        return nil
      }
      defer { state.jobs = [] }
      return state.jobs
    }
  }
}
