import HearthBenchmarkKit
import Synchronization

/// The progress of a tool: a bar on a terminal, silence elsewhere.
final class ToolProgress: Sendable {
  private struct State {
    var label = ""
    var bar: ProgressBar?
    var lastCount: UInt64 = 0
    var hasCount = false
  }

  private let console: Console
  private let stopwatch = Stopwatch()
  private let state = Mutex(State())

  init(_ console: Console) { self.console = console }

  func report(_ label: String, _ done: Int, of total: Int?) {
    guard console.isTerminal else { return }
    state.withLock { state in
      if state.label != label {
        state.bar?.finish()
        state = State(label: label)
      }
      if let total {
        let bar =
          state.bar ?? ProgressBar(console, label: label, total: total, unit: "documents")
        state.bar = bar
        bar.set(done)
      } else if state.bar == nil {
        // No end is known: a number that grows.
        let now = stopwatch.nanoseconds
        guard now - state.lastCount > 80_000_000 else { return }
        state.lastCount = now
        state.hasCount = true
        console.redraw("  \(label)  \(NumberText.grouped(done)) documents")
      }
    }
  }

  func finish() {
    state.withLock { state in
      state.bar?.finish()
      if state.hasCount { console.redraw("") }
      state = State()
    }
  }
}
