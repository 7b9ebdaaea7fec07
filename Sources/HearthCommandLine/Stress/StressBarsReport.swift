package import HearthBenchmarkKit

/// The bars, and the runs they came from.
package struct StressBarsReport: Sendable {
  var cases: [StressCase] = []
  /// With the median over all rounds.
  var bars: [StressBar] = []
  var rounds = 1
  /// Runs on one document in the last round, in order of their tasks.
  var crowds: [StressCase] = []
  var probe: DiskProbe?

  /// Every run kept the invariants and was serializable, whatever its speed.
  package var isCorrect: Bool { cases.allSatisfy(\.isCorrect) }

  /// Every bar is met, and every run was correct.
  package var isGood: Bool { bars.allSatisfy(\.isMet) && isCorrect }

  func print(to console: Console) {
    console.heading("Runs")
    for line in casesTable.lines { console.line("  " + line) }
    console.line()
    if let probe {
      console.line(
        "  The disk flushes 4 KiB in p50 \(NumberText.duration(probe.p50)), p99 "
          + "\(NumberText.duration(probe.p99)).")
    }
    if cases.contains(where: { $0.leasesExpired > 0 }) {
      console.line("  Leases that ended (blocks waited too long for the machine) cost a third run.")
    }
    for one in cases where !one.isCorrect {
      console.line("  " + console.style.bad("✗ \(one.title) was NOT CORRECT:"))
      for finding in one.findings { console.line("    " + console.style.bad(finding)) }
    }
    if isCorrect {
      console.line(
        "  " + console.style.good("✓") + " All runs kept the invariants and were serializable.")
    }
    console.heading("Worst latency on one document")
    for line in crowdsTable.lines { console.line("  " + line) }
    console.heading(rounds > 1 ? "Bars, medians of \(rounds) rounds" : "Bars")
    for (line, bar) in zip(barsTable.lines, [nil, nil] + bars.map(Optional.some)) {
      guard let bar else {
        console.line("  " + line)
        continue
      }
      console.line("  " + (bar.isMet ? console.style.good(line) : console.style.bad(line)))
    }
    console.line()
    let missed = bars.count { !$0.isMet }
    console.line(
      missed == 0
        ? console.style.good("  All bars are met.")
        : console.style.bad("  MISSED: \(missed) of \(bars.count) bars."))
  }

  private var casesTable: TextTable {
    var table = TextTable([
      ("run", .left), ("commits/s", .right), ("failed", .right), ("runs", .right),
      ("max", .right), ("leases", .right), ("group", .right), ("flush", .right),
    ])
    for one in cases {
      table.add([
        one.title, NumberText.rounded(one.commitsPerSecond), String(one.failed),
        NumberText.fixed(one.runsMean, places: 2), String(one.runsMax),
        String(one.leasesExpired),
        NumberText.rounded(one.groupSizeMean),
        NumberText.duration(UInt64(max(0, one.flushMean * 1e6))),
      ])
    }
    return table
  }

  private var crowdsTable: TextTable {
    var table = TextTable([
      ("tasks", .right), ("p50", .right), ("p99", .right), ("worst", .right),
      ("worst / tasks", .right),
    ])
    for one in crowds {
      table.add([
        NumberText.grouped(one.tasks), NumberText.duration(one.p50),
        NumberText.duration(one.p99), NumberText.duration(one.worst),
        NumberText.duration(UInt64(one.worstPerTask * 1e6)),
      ])
    }
    return table
  }

  private var barsTable: TextTable {
    var table = TextTable([
      ("bar", .left), ("measured", .right), ("wanted", .right), ("", .left),
    ])
    for bar in bars {
      table.add([
        bar.name, text(bar.value), (bar.isFloor ? "≥ " : "≤ ") + text(bar.bar),
        bar.isMet ? "pass" : "FAIL",
      ])
    }
    return table
  }

  private func text(_ number: Double) -> String {
    number == number.rounded() && number < 1e6
      ? String(Int(number)) : NumberText.fixed(number, places: 2)
  }

  /// One object; times are in milliseconds.
  package var json: JSONText {
    .object([
      ("scenario", "ratings"), ("machine", Machine.current.json), ("rounds", .integer(rounds)),
      ("diskFlushMilliseconds", probe?.json ?? .null),
      (
        "runs",
        .array(
          cases.map { one in
            .object([
              ("title", .string(one.title)), ("tasks", .integer(one.tasks)),
              ("commitsPerSecond", .number(one.commitsPerSecond)),
              ("failed", .integer(one.failed)),
              ("leasesWithdrawn", .integer(one.leasesExpired)),
              (
                "runsPerCommit",
                .object([("mean", .number(one.runsMean)), ("max", .integer(one.runsMax))])
              ),
              (
                "latencyMilliseconds",
                .object([
                  ("p50", .number(StressReport.milliseconds(one.p50))),
                  ("p99", .number(StressReport.milliseconds(one.p99))),
                  ("max", .number(StressReport.milliseconds(one.worst))),
                ])
              ),
              ("worstPerTask", .number(one.worstPerTask)),
              ("groupSizeMean", .number(one.groupSizeMean)),
              ("correct", .boolean(one.isCorrect)),
            ])
          })
      ),
      (
        "bars",
        .array(
          bars.map { bar in
            .object([
              ("name", .string(bar.name)), ("value", .number(bar.value)),
              (bar.isFloor ? "atLeast" : "atMost", .number(bar.bar)),
              ("met", .boolean(bar.isMet)),
            ])
          })
      ),
      ("allMet", .boolean(bars.allSatisfy(\.isMet))),
    ])
  }
}
