import Foundation
import HearthTestSupport
import Synchronization

/// Runs jobs in several processes at once.
struct Workers {
  /// A job's replies, to which the harness may answer with more jobs.
  typealias Handler = (_ job: Job, _ replies: [Reply]) -> [Job]

  /// One worker for each processor.
  static var count: Int { max(1, min(8, ProcessInfo.processInfo.activeProcessorCount)) }

  private struct State {
    var jobs: [Job]
    var running = 0
    var failure: (any Error)?
  }

  /// Runs all of them; `handle` is called for one at a time.
  static func run(_ jobs: [Job], _ handle: Handler) throws {
    try withoutActuallyEscaping(handle) { handle in
      let box = HandlerBox(handle: handle)
      let state = Mutex(State(jobs: jobs.reversed()))
      DispatchQueue.concurrentPerform(iterations: min(count, max(1, jobs.count))) { _ in
        do {
          let worker = try Worker()
          defer { worker.end() }
          while let job = next(state) {
            let replies = try worker.run(job)
            state.withLock { state in
              state.jobs += box.handle(job, replies)
              state.running -= 1
            }
          }
        } catch {
          state.withLock { $0.failure = error }
        }
      }
      if let failure = state.withLock({ $0.failure }) { throw failure }
    }
  }

  private static func next(_ state: borrowing Mutex<State>) -> Job? {
    while true {
      let (job, isOver) = state.withLock { state -> (Job?, Bool) in
        if state.failure != nil { return (nil, true) }
        let job = state.jobs.popLast()
        if job != nil { state.running += 1 }
        return (job, job == nil && state.running == 0)
      }
      if let job { return job }
      if isOver { return nil }
      // Others are at work whose answers may bring more.
      usleep(2000)
    }
  }

  // Sendable: only called under the lock of the workers' state.
  private struct HandlerBox: @unchecked Sendable {
    let handle: Handler
  }
}

/// One process that takes jobs.
struct Worker {
  struct Broken: Error, CustomStringConvertible {
    var description: String
  }

  private let child: ChildProcess

  init() throws {
    guard let executable = Bundle.main.executablePath, let library = Shim.library else {
      throw Broken(description: "this program or its library was not found")
    }
    child = try ChildProcess(
      executable, ["zygote"], silent: true, variables: ["LD_PRELOAD": library])
  }

  /// Runs a job to its end.
  func run(_ job: Job) throws -> [Reply] {
    child.write(String(decoding: try JSONEncoder().encode(job), as: UTF8.self) + "\n")
    var replies: [Reply] = []
    var bytes: [UInt8] = []
    let deadline = DispatchTime.now().uptimeNanoseconds + 200_000_000_000
    while DispatchTime.now().uptimeNanoseconds < deadline {
      guard let more = child.read(until: deadline) else { break }
      bytes += more
      while let newline = bytes.firstIndex(of: 10) {
        replies.append(try JSONDecoder().decode(Reply.self, from: Data(bytes[..<newline])))
        bytes.removeFirst(newline + 1)
        if case .end = replies.last { return replies }
      }
    }
    throw Broken(description: "a worker broke down at \(job)")
  }

  func end() { _ = child.wait() }
}
