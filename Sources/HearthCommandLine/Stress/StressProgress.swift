import Hearth
import HearthBenchmarkKit

/// Shows a running storm: a line redrawn in place on a terminal, a line per quarter in a log.
struct StressProgress: Sendable {
  private static let barWidth = 20
  private static let interval: UInt64 = 100_000_000

  let console: Console
  let db: Firestore
  let clock: RatingStorm.Clock

  /// Runs `body` and shows what it does meanwhile.
  func show<R: Sendable>(_ label: String, _ body: () async -> R) async -> R {
    let watching = Task { await watch(label) }
    let result = await body()
    watching.cancel()
    await watching.value
    let seconds = max(Double(clock.nanoseconds) / 1e9, 1e-9)
    let text =
      "  \(label)  \(NumberText.grouped(clock.done)) transactions in "
      + "\(NumberText.fixed(seconds, places: 2)) s"
    if console.isTerminal { console.redraw("") }
    console.line(text)
    return result
  }

  private func watch(_ label: String) async {
    var quarters = 0
    var last = (done: 0, nanoseconds: UInt64(0))
    while !Task.isCancelled {
      try? await Task.sleep(nanoseconds: Self.interval)
      if Task.isCancelled { return }
      let now = (done: clock.done, nanoseconds: clock.nanoseconds)
      let rate =
        Double(now.done - last.done) * 1e9 / Double(max(1, now.nanoseconds - last.nanoseconds))
      if console.isTerminal {
        last = now
        console.redraw(drawing(label, rate))
      } else if Int(clock.fraction * 4) > quarters, quarters < 3 {
        last = now
        quarters = min(3, Int(clock.fraction * 4))
        console.line(
          "  \(label)  \(quarters * 25) %  \(NumberText.grouped(now.done)) transactions, "
            + "\(NumberText.rounded(rate))/s")
      }
    }
  }

  private func drawing(_ label: String, _ rate: Double) -> String {
    let metrics = db.metrics
    let filled = Int(clock.fraction * Double(Self.barWidth))
    let bar =
      console.style.good(String(repeating: "━", count: filled))
      + console.style.dim(String(repeating: "─", count: Self.barWidth - filled))
    let runs = Double(metrics.transactionRuns) / Double(max(1, metrics.transactionsCommitted))
    return "  \(label) \(bar) \(NumberText.grouped(clock.done))  \(NumberText.rounded(rate))/s"
      + console.style.dim("  \(NumberText.fixed(runs, places: 2)) runs each")
  }
}
