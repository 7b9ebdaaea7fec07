package import HearthEngine
import HearthStorage

/// A seeded scheduler: every job of every task and actor waits in one array, and a generator
/// picks which one runs next, on the thread that calls `run`.
///
/// The same seed picks the same interleaving, so a failure is replayed by its seed. Time is
/// virtual: a job takes next to none, and where nothing is ready the clock jumps to the next
/// sleeper, so that leases of seconds cost nothing to test.
package final class SimulatedScheduler: TaskExecutor, SerialExecutor {
  private struct Sleeper {
    var number: Int
    var deadline: UInt64
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var generator: SeededGenerator
    var jobs: [UnownedJob] = []
    var sleepers: [Sleeper] = []
    var clock = SimulatedClock()
    var nextNumber = 0
    /// Tasks that have not ended, by number.
    var live: [Int: String] = [:]
    var run = SimulatedRun()
  }

  private let state: Lock<State>
  private let options: SimulationOptions

  package init(seed: UInt64, options: SimulationOptions = SimulationOptions()) {
    self.options = options
    var first = State(generator: SeededGenerator(seed: seed))
    first.clock.wallStands = options.wallClockStands
    state = Lock(first)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
  }

  /// Starts a task whose every job runs here.
  package func spawn(_ name: String, _ body: @escaping @Sendable () async -> Void) {
    let number = state.withLock { state in
      state.nextNumber += 1
      state.live[state.nextNumber] = name
      return state.nextNumber
    }
    Task(executorPreference: self) {
      await body()
      self.state.withLock { $0.live[number] = nil }
    }
  }

  /// Runs until nothing is ready and nobody sleeps.
  ///
  /// Throws where that does not come about within the bounds, which is a livelock.
  package func run() throws(SimulationFailure) {
    while let job = try next() {
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  /// What has happened so far.
  package var report: SimulatedRun { state.withLock { $0.run } }

  /// The names of tasks that have not ended.
  package var liveTasks: [String] { state.withLock { $0.live.values.sorted() } }

  private enum Step {
    case job(UnownedJob)
    case wake(Sleeper)
    case idle
  }

  private func next() throws(SimulationFailure) -> UnownedJob? {
    while true {
      switch try step() {
      case .job(let job): return job
      case .wake(let sleeper): sleeper.continuation.resume()
      case .idle: return nil
      }
    }
  }

  private func step() throws(SimulationFailure) -> Step {
    try state.withLock { (state) throws(SimulationFailure) in
      if state.run.steps >= options.mostSteps || state.clock.nanoseconds >= options.mostNanoseconds
      {
        throw .livelock(tasks: state.live.values.sorted(), steps: state.run.steps)
      }
      if let first = state.sleepers.first {
        let isEarly = options.earlyWakes.map { state.generator.oneIn($0) } ?? false
        if state.jobs.isEmpty || first.deadline <= state.clock.nanoseconds || isEarly {
          state.clock.nanoseconds = max(state.clock.nanoseconds, first.deadline)
          return .wake(state.sleepers.removeFirst())
        }
      }
      guard !state.jobs.isEmpty else { return .idle }
      let position = Int.random(in: 0..<state.jobs.count, using: &state.generator)
      state.run.add(position, of: state.jobs.count)
      state.clock.nanoseconds += UInt64.random(in: 0..<2000, using: &state.generator)
      if options.wallClockJumps, state.generator.oneIn(200) {
        state.clock.wallOffset += Int64.random(in: -2_000_000...2_000_000, using: &state.generator)
      }
      state.run.nanoseconds = state.clock.nanoseconds
      return .job(state.jobs.remove(at: position))
    }
  }

  // MARK: Time and chance

  /// Suspends for virtual time.
  package func sleep(_ nanoseconds: UInt64) async throws {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isRefused = state.withLock { state -> Bool in
          if Task.isCancelled { return true }
          let sleeper = Sleeper(
            number: number, deadline: state.clock.nanoseconds + nanoseconds,
            continuation: continuation)
          let place =
            state.sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? state.sleepers.count
          state.sleepers.insert(sleeper, at: place)
          return false
        }
        if isRefused { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.sleepers.firstIndex { $0.number == number }.map { state.sleepers.remove(at: $0) }
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Virtual time since the start.
  package var nanoseconds: UInt64 { state.withLock { $0.clock.nanoseconds } }

  private func randomBytes(_ count: Int) -> [UInt8] {
    state.withLock { state in
      (0..<count).map { _ in UInt8(truncatingIfNeeded: state.generator.next() >> 32) }
    }
  }

  /// Everything the engine takes from the world, taken from here.
  package var runtime: Runtime {
    Runtime(
      nowMicroseconds: { self.state.withLock { $0.clock.nowMicroseconds } },
      monotonicNanoseconds: { self.nanoseconds },
      sleep: { try await self.sleep($0) },
      randomBytes: { self.randomBytes($0) },
      writerExecutor: self,
      spawn: { name, body in self.spawn(name, body) },
      runBlocking: { body in self.spawn("blocking") { body() } })
  }
}

/// Virtual time: one clock that never jumps, and the wall clock beside it, which may.
struct SimulatedClock {
  var nanoseconds: UInt64 = 0
  /// Microseconds by which the wall clock was set wrong.
  var wallOffset: Int64 = 0
  var wallStands = false

  var nowMicroseconds: Int64 {
    1_700_000_000_000_000 + (wallStands ? 0 : Int64(nanoseconds / 1000)) + wallOffset
  }
}
