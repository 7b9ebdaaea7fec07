import Hearth
import HearthBenchmarkKit

/// Everything that the demo found out.
struct DemoReport: Sendable {
  var machine: Machine
  var durability: Durability
  var bytesOnDisk: Int
  var imported: ImportStep.Result
  var tour: TourStep.Result
  var index: MissingIndexStep.Result
  var storm: RatingStep.Result
  var check: CheckStep.Result
  var seconds: Double

  /// Prints the table and the verdict.
  func print(to console: Console) {
    console.heading("Result")
    for line in table.lines { console.line("  " + line) }
    console.line()
    for line in facts { console.line("  " + line) }
    console.line()
    let time = NumberText.fixed(seconds, places: 1)
    if check.failures.isEmpty {
      console.line(console.style.good("  All checks hold. \(time) s in all."))
    } else {
      console.line(
        console.style.bad("  \(check.failures.count) checks FAILED. \(time) s in all."))
    }
  }

  private var table: TextTable {
    var table = TextTable([
      ("", .left), ("per second", .right), ("p50", .right), ("p99", .right), ("worst", .right),
    ])
    func row(_ name: String, _ rate: Double, _ latencies: Histogram?) {
      table.add([
        name, NumberText.rounded(rate),
        latencies.map { NumberText.duration($0.percentile(0.5)) } ?? "",
        latencies.map { NumberText.duration($0.percentile(0.99)) } ?? "",
        latencies.map { NumberText.duration($0.max) } ?? "",
      ])
    }
    row("documents imported", Double(imported.documents) / max(imported.seconds, 1e-9), nil)
    row("queries (\(tour.load.tasks) tasks)", tour.load.perSecond, tour.load.latencies)
    row("rating transactions (\(storm.tasks) tasks)", storm.perSecond, storm.latencies)
    row("live query snapshots", storm.snapshotsPerSecond, nil)
    return table
  }

  private var facts: [String] {
    let groupSize = storm.groups > 0 ? Double(storm.engineCommits) / Double(storm.groups) : 0
    return [
      "runs per commit    mean \(NumberText.fixed(storm.runsPerCommit, places: 3)), "
        + "max \(storm.runsMax)",
      "commits per flush  \(NumberText.rounded(groupSize)) (group commit)",
      "durability         \(durability.rawValue)",
      "on disk            \(NumberText.bytes(bytesOnDisk)) for "
        + "\(NumberText.grouped(check.documents)) documents and "
        + "\(NumberText.grouped(check.indexEntries)) entries",
      "machine            \(machine.processor), \(machine.cores) cores"
        + (machine.isOptimized ? "" : ", DEBUG BUILD"),
    ]
  }
}
