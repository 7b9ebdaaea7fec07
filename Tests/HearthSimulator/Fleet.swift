import Dispatch
import Foundation
import HearthStorage
import HearthTestSupport
import SimulatedWorlds

/// Prints a line at once, also through a pipe.
func say(_ text: String) {
  FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

/// Many worlds, side by side, with what they came to.
final class Fleet: Sendable {
  private struct State {
    var generator: SeededGenerator
    var begun = 0
    var ended = 0
    var transactions = 0
    var retried = 0
    var reached: [String: Int] = [:]
    var failed: [(seed: UInt64, kind: SimulatedWorld)] = []
    var told = DispatchTime.now().uptimeNanoseconds
  }

  private let arguments: Arguments
  private let state: Lock<State>
  private let began = DispatchTime.now().uptimeNanoseconds

  init(_ arguments: Arguments) {
    self.arguments = arguments
    state = Lock(State(generator: SeededGenerator(seed: arguments.first)))
  }

  /// Runs all; true if every world was in order.
  func run() -> Bool {
    let jobs = max(1, arguments.jobs ?? ProcessInfo.processInfo.activeProcessorCount)
    say("\(arguments.seeds) worlds, \(jobs) at a time (--first \(arguments.first))")
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
      while let seed = next() { play(seed) }
    }
    return state.withLock { state in
      let reached = state.reached.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      say("reached: " + reached.joined(separator: ", "))
      say("simulated " + progress(state))
      for world in state.failed { say("FAILED: \(Fleet.replay(world.seed, world.kind))") }
      return state.failed.isEmpty
    }
  }

  private func next() -> UInt64? {
    state.withLock { state in
      // A fault that shows everywhere need not be shown for ever.
      if state.begun == arguments.seeds || state.failed.count >= 20 { return nil }
      state.begun += 1
      return state.generator.next()
    }
  }

  private func play(_ seed: UInt64) {
    let kind = arguments.kind ?? SimulatedWorld.kind(of: seed)
    let report = kind.report(seed: seed)
    state.withLock { state in
      state.ended += 1
      state.transactions += report.runs.count
      state.retried += report.runs.count { $0 > 1 }
      state.reached.merge(report.reached, uniquingKeysWith: +)
      if !report.findings.isEmpty {
        state.failed.append((seed, kind))
        say("world \(seed) (\(kind)) failed; to replay: \(Fleet.replay(seed, kind))")
        report.findings.prefix(5).forEach { say("  \($0)") }
      }
      let now = DispatchTime.now().uptimeNanoseconds
      if now - state.told > 10_000_000_000 {
        state.told = now
        say("  " + progress(state))
      }
    }
  }

  private func progress(_ state: State) -> String {
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9
    let rate = Double(state.ended) / max(seconds, 0.001)
    return "\(state.ended) of \(arguments.seeds) worlds in \(Int(seconds)) s (\(Int(rate))/s): "
      + "\(state.transactions) transactions, \(state.retried) ran again, "
      + "\(state.failed.count) worlds failed"
  }

  private static func replay(_ seed: UInt64, _ kind: SimulatedWorld) -> String {
    "make simulate SEED=\(seed)"
      + (kind == SimulatedWorld.kind(of: seed) ? "" : " KIND=\(kind.rawValue)")
  }
}
