import Hearth
import HearthBenchmarkKit

/// The bars of contention: fixed cases, each against what it must not fall below.
package struct StressBars {
  let options: StressOptions
  let console: Console

  package init(_ options: StressOptions) {
    self.init(options: options, console: .standardError)
  }

  init(options: StressOptions, console: Console) {
    self.options = options
    self.console = console
  }

  private static let many = 512
  private static let crowds = [8, 64, 512, 4_096]

  /// Runs all cases; what else the options say about one run is left as it is.
  package func run() async throws -> StressBarsReport {
    console.line(console.style.bold("Hearth stress: ratings, the bars of contention"))
    console.line()
    StressHeader(console: console).machine()
    console.line()
    var report = StressBarsReport()
    var rounds: [[StressBar]] = []
    for round in 1...options.rounds {
      if options.rounds > 1 { console.line("  round \(round) of \(options.rounds)") }
      rounds.append(try await measure(&report))
    }
    report.rounds = options.rounds
    report.bars = StressBar.medians(rounds)
    return report
  }

  /// All cases once, after each other, so that what the machine does meanwhile meets them alike.
  private func measure(_ report: inout StressBarsReport) async throws -> [StressBar] {
    let hot = try await one("hot", tasks: Self.many, .hot, .none, &report)
    let spread = try await one("spread", tasks: Self.many, .uniform, .none, &report)
    let durable = try await one("hot", tasks: Self.many, .hot, .durable, &report)
    let alone = try await one("hot", tasks: 1, .hot, .durable, &report)
    let few = try await one("spread", tasks: 64, .uniform, .none, yardstick: true, &report)
    var bars: [StressBar] = [
      .ratio("hot / spread, 512 tasks, none", hot, spread, atLeast: 0.7),
      .failures("hot and spread: failed transactions", [hot, spread]),
      .runs("hot and spread: runs of one block", [hot, spread]),
      .ratio("hot durable / hot none, 512 tasks", durable, hot, atLeast: 0.4),
      .ratio("hot durable, 512 tasks / 1 task", durable, alone, atLeast: 5),
    ]
    if let bar = StressBar.raw(few) { bars.append(bar) }
    report.crowds = []
    for tasks in Self.crowds {
      report.crowds.append(
        tasks == Self.many ? hot : try await one("hot", tasks: tasks, .hot, .none, &report))
    }
    if let bar = StressBar.growth(report.crowds) { bars.append(bar) }
    return bars
  }

  private func one(
    _ name: String, tasks: Int, _ keys: StressKeys, _ durability: Durability,
    yardstick: Bool = false, _ report: inout StressBarsReport
  ) async throws -> StressCase {
    var options = self.options
    options.tasks = tasks
    options.keys = keys
    options.durability = durability
    options.hasYardstick = yardstick
    let title =
      "\(name), \(NumberText.grouped(tasks)) \(tasks == 1 ? "task" : "tasks"), "
      + durability.rawValue
    console.line(console.style.dim("  \(title)"))
    let full = try await StressRun(options: options, console: console).measured()
    let result = StressCase(title: title, full)
    report.cases.append(result)
    if let probe = full.probe { report.probe = probe }
    return result
  }
}

/// What the bars need to know of one run; its history is not kept.
struct StressCase: Sendable {
  var title: String
  var tasks: Int
  var commitsPerSecond: Double
  var failed: Int
  var runsMean: Double
  var runsMax: Int
  var p50: UInt64
  var p99: UInt64
  var worst: UInt64
  var groupSizeMean: Double
  var flushMean: Double
  var leasesExpired: Int
  /// Ratings per second in raw LMDB, where that was measured beside it.
  var rawPerSecond: Double?
  /// Invariants and order, apart from any bar.
  var isCorrect: Bool
  var findings: [String]

  init(title: String, _ report: StressReport) {
    self.title = title
    tasks = report.options.tasks
    commitsPerSecond = report.commitsPerSecond
    failed = report.failed
    runsMean = report.runsMean
    runsMax = report.runsMax
    p50 = report.latencies.percentile(0.5)
    p99 = report.latencies.percentile(0.99)
    worst = report.latencies.max
    groupSizeMean = report.groupSizeMean
    flushMean =
      StressReport.milliseconds(report.metrics.flushTime) / Double(max(1, report.metrics.groups))
    leasesExpired = report.metrics.leasesExpired
    rawPerSecond = report.yardstick?.perSecond
    isCorrect = report.invariantsHold && report.isSerializable
    findings = report.findings
  }

  /// The worst latency for each task that waits, in milliseconds.
  var worstPerTask: Double { StressReport.milliseconds(worst) / Double(tasks) }
}

/// A number, and what it is held against.
struct StressBar: Sendable {
  var name: String
  var value: Double
  var bar: Double
  /// Whether the bar is a floor; else it is a ceiling.
  var isFloor: Bool

  var isMet: Bool { isFloor ? value >= bar : value <= bar }

  static func ratio(
    _ name: String, _ a: StressCase, _ b: StressCase, atLeast bar: Double
  ) -> StressBar {
    StressBar(
      name: name, value: a.commitsPerSecond / max(b.commitsPerSecond, 1e-9), bar: bar,
      isFloor: true)
  }

  /// Against the same puts in raw LMDB.
  static func raw(_ one: StressCase) -> StressBar? {
    one.rawPerSecond.map { raw in
      StressBar(
        name: "spread, \(one.tasks) tasks / raw LMDB in groups of \(StressYardstick.groupSize)",
        value: one.commitsPerSecond / max(raw, 1e-9), bar: 0.6, isFloor: true)
    }
  }

  /// Each bar with the median of its values in all rounds.
  static func medians(_ rounds: [[StressBar]]) -> [StressBar] {
    (rounds.first ?? []).indices.map { place in
      var bar = rounds[0][place]
      let values = rounds.map { $0[place].value }.sorted()
      bar.value = (values[(values.count - 1) / 2] + values[values.count / 2]) / 2
      return bar
    }
  }

  static func failures(_ name: String, _ cases: [StressCase]) -> StressBar {
    StressBar(
      name: name, value: Double(cases.reduce(0) { $0 + $1.failed }), bar: 0, isFloor: false)
  }

  static func runs(_ name: String, _ cases: [StressCase]) -> StressBar {
    StressBar(
      name: name, value: Double(cases.map(\.runsMax).max() ?? 0), bar: 2, isFloor: false)
  }

  /// How much more of the worst latency falls to each task in the largest crowd.
  ///
  /// In a fair queue it is proportional to the length, so each task's part stays the same; retries
  /// would make it grow. The smallest crowd is left out: fixed costs rule there.
  static func growth(_ crowds: [StressCase]) -> StressBar? {
    guard crowds.count > 2, let last = crowds.last else { return nil }
    return StressBar(
      name: "worst latency per task, \(NumberText.grouped(last.tasks)) / \(crowds[1].tasks) tasks",
      value: last.worstPerTask / max(crowds[1].worstPerTask, 1e-9), bar: 2, isFloor: false)
  }
}
