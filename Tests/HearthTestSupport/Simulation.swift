package import HearthEngine
import HearthStorage

/// How a simulated world behaves.
package struct SimulationOptions: Sendable {
  /// Wakes the next sleeper once in so many steps although others are ready, so that time passes
  /// while jobs wait; nil to let time pass only where nothing else is left to do.
  package var earlyWakes: Int?
  /// Sets the wall clock back and forth now and then, as administrators do.
  package var wallClockJumps = false
  /// Lets the wall clock stand still, so that nothing hides behind time that passes by itself.
  package var wallClockStands = false
  /// A world that takes longer is stuck in a circle.
  package var mostSteps = 5_000_000
  package var mostNanoseconds: UInt64 = 3_600_000_000_000

  package init() {}
}

/// What one simulated run did.
package struct SimulatedRun: Sendable, Equatable {
  /// Jobs run.
  package var steps = 0
  /// Virtual time passed.
  package var nanoseconds: UInt64 = 0
  /// A hash over all choices: equal for two runs with the same interleaving.
  package var trace: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Nothing has happened yet.
  package init() {}

  mutating func add(_ position: Int, of count: Int) {
    steps += 1
    for part in [position, count] { trace = (trace ^ UInt64(part)) &* 0x100_0000_01b3 }
  }
}

/// How a simulated world can end badly.
package enum SimulationFailure: Error, CustomStringConvertible {
  /// Nothing is ready, nobody sleeps, and yet somebody waits.
  case deadlock(tasks: [String])
  /// Work without end.
  case livelock(tasks: [String], steps: Int)
  /// The body has ended, but tasks that it caused wait for ever.
  case leftBehind(tasks: [String])

  package var description: String {
    switch self {
    case .deadlock(let tasks): "deadlock; waiting: \(tasks)"
    case .livelock(let tasks, let steps): "no end after \(steps) steps; running: \(tasks)"
    case .leftBehind(let tasks): "tasks were left waiting: \(tasks)"
    }
  }
}

/// Runs a world under a seeded scheduler until it is idle, on the calling thread.
///
/// Throws the body's error, or what is wrong if anybody is left waiting.
@discardableResult
package func simulate(
  seed: UInt64, options: SimulationOptions = SimulationOptions(),
  _ body: @escaping @Sendable (Runtime) async throws -> Void
) throws -> SimulatedRun {
  let scheduler = SimulatedScheduler(seed: seed, options: options)
  let outcome = Lock<Result<Void, any Error>?>(nil)
  scheduler.spawn("simulation") {
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(scheduler.runtime))
    } catch {
      result = .failure(error)
    }
    outcome.withLock { $0 = result }
  }
  try scheduler.run()
  guard let result = outcome.withLock({ $0 }) else {
    throw SimulationFailure.deadlock(tasks: scheduler.liveTasks)
  }
  try result.get()
  if !scheduler.liveTasks.isEmpty {
    throw SimulationFailure.leftBehind(tasks: scheduler.liveTasks)
  }
  return scheduler.report
}
