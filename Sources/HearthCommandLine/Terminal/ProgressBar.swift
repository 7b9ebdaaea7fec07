import HearthBenchmarkKit
import Synchronization

/// Shows the progress of one piece of work.
///
/// It is a bar redrawn in place on a terminal, and a line for every quarter in a log. It may be
/// told from any thread.
final class ProgressBar: Sendable {
  private struct State {
    var done = 0
    var quartersPrinted = 0
    var lastDrawn: UInt64 = 0
    var isFinished = false
  }

  private static let redrawEveryNanoseconds: UInt64 = 80_000_000
  private static let barWidth = 30

  private let console: Console
  private let label: String
  private let total: Int
  private let unit: String
  private let stopwatch = Stopwatch()
  private let state = Mutex(State())

  init(_ console: Console, label: String, total: Int, unit: String) {
    self.console = console
    self.label = label
    self.total = max(total, 1)
    self.unit = unit
    if console.isTerminal { console.redraw(drawing(done: 0)) }
  }

  /// Adds to what is done.
  func advance(by count: Int) { update { $0 + count } }

  /// Says how much is done.
  func set(_ done: Int) { update { max($0, done) } }

  /// Replaces the bar with a line saying what was done, and how fast.
  func finish() {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.isFinished = true
      let seconds = max(stopwatch.seconds, 1e-9)
      let rate = NumberText.rounded(Double(state.done) / seconds)
      let count = NumberText.grouped(state.done)
      let text =
        "  \(padded(label)) \(right(count, 9)) \(unit) in \(NumberText.fixed(seconds, places: 2)) s"
        + console.style.dim("  \(rate)/s")
      if console.isTerminal {
        console.redraw(text)
        console.line()
      } else {
        console.line(text)
      }
    }
  }

  private func update(_ change: (Int) -> Int) {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.done = change(state.done)
      if console.isTerminal {
        let now = stopwatch.nanoseconds
        guard now - state.lastDrawn >= Self.redrawEveryNanoseconds else { return }
        state.lastDrawn = now
        console.redraw(drawing(done: state.done))
      } else {
        // The end has a line of its own.
        let quarters = min(state.done * 4 / total, 3)
        guard quarters > state.quartersPrinted else { return }
        state.quartersPrinted = quarters
        console.line("  \(padded(label)) \(right(String(quarters * 25), 3)) %")
      }
    }
  }

  private func drawing(done: Int) -> String {
    let fraction = min(Double(done) / Double(total), 1)
    let filled = Int(fraction * Double(Self.barWidth))
    let bar =
      console.style.good(String(repeating: "━", count: filled))
      + console.style.dim(String(repeating: "─", count: Self.barWidth - filled))
    let percent = right(String(Int(fraction * 100)), 3)
    return "  \(padded(label)) \(bar) \(percent) %  \(NumberText.grouped(done)) \(unit)"
  }

  private func padded(_ text: String) -> String {
    text + String(repeating: " ", count: max(0, 14 - text.count))
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
