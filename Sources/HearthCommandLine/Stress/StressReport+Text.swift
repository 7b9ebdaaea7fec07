import Hearth
import HearthBenchmarkKit

/// The head of a stress run: what is going to happen, and on what.
struct StressHeader {
  let console: Console

  func print(_ options: StressOptions) {
    console.line(console.style.bold("Hearth stress: ratings"))
    console.line()
    console.line("  load        \(options.title)")
    console.line("  mode        \(mode(options))")
    console.line("  durability  \(options.durability.rawValue)")
    machine()
    console.line()
  }

  func machine() {
    let machine = Wrapping.lines(Machine.current.description, width: max(40, console.width - 14))
    console.line("  machine     " + machine.joined(separator: "\n              "))
  }

  private func mode(_ options: StressOptions) -> String {
    let mode =
      switch options.mode {
      case .automatic: "automatic: optimistic first, in turns after a conflict"
      case .turns: "turns from the first run on"
      case .optimistic: "optimistic, at most \(options.maxAttempts) runs"
      }
    if options.delayNanoseconds == 0 { return mode }
    let which = options.delayEvery == 1 ? "each block" : "1 block in \(options.delayEvery)"
    return mode + "; \(which) takes \(NumberText.duration(options.delayNanoseconds))"
  }
}

extension StressReport {
  /// Prints the numbers, the histogram and the verdicts.
  func print(to console: Console) {
    console.heading("Result")
    for (name, value) in rows {
      console.line("  \(name)\(String(repeating: " ", count: max(1, 18 - name.count)))\(value)")
    }
    console.heading("Latency of acknowledged ratings")
    for line in LatencyChart(history).lines(width: console.width, style: console.style) {
      console.line("  " + line)
    }
    console.heading("Does it all add up?")
    printVerdicts(to: console)
  }

  private var rows: [(name: String, value: String)] {
    var rows = [
      (
        "commits",
        "\(NumberText.grouped(commits)) in \(NumberText.fixed(seconds, places: 2)) s: "
          + "\(NumberText.rounded(commitsPerSecond)) commits/s"
      ),
      ("failed", "\(NumberText.grouped(failed))\(failed > 0 ? " (contention)" : "")"),
      ("runs per commit", "mean \(NumberText.fixed(runsMean, places: 3)), max \(runsMax)"),
      ("commits by runs", byRuns),
      ("latency", latencyText),
      (
        "conflicts",
        "\(NumberText.grouped(metrics.conflicts)): document changed "
          + "\(NumberText.grouped(metrics.pointConflicts)), query "
          + "\(NumberText.grouped(metrics.rangeConflicts)), other's turn "
          + NumberText.grouped(metrics.turnRefusals)
      ),
      (
        "  of these",
        "doomed by own write \(metrics.doomedRuns), after lease \(metrics.expiredRuns) "
          + "(\(metrics.leasesExpired) leases withdrawn)"
      ),
      ("turn waits", waits(metrics.turnWaits, metrics.turnWaitTime, metrics.longestTurnWait)),
      ("handed on", "\(NumberText.grouped(metrics.handOffs)) turns before their group's flush"),
      ("gate waits", waits(metrics.gateWaits, metrics.gateWaitTime, metrics.longestGateWait)),
      (
        "groups",
        "mean \(NumberText.rounded(groupSizeMean)) commits, max \(metrics.largestGroup); mean "
          + NumberText.bytes(metrics.groupBytes / max(1, metrics.groups))
      ),
      ("flushes", waits(metrics.groups, metrics.flushTime, metrics.longestFlush)),
      ("in the intake", "at most \(NumberText.grouped(metrics.mostWaitingCommits))"),
      ("durability", durability),
    ]
    if let yardstick {
      rows.append(
        (
          "raw LMDB",
          "\(NumberText.rounded(yardstick.perSecond)) ratings/s in groups of "
            + "\(StressYardstick.groupSize): \(ratio(yardstick))"
        ))
    }
    return rows
  }

  private func ratio(_ yardstick: StressYardstick.Result) -> String {
    NumberText.fixed(yardstick.perSecond / max(commitsPerSecond, 1e-9), places: 1) + "x"
  }

  private var byRuns: String {
    let counts = metrics.transactionsByRuns
    let texts = counts.enumerated().filter { $0.element > 0 }.map { place, count in
      "\(place + 1)\(place + 1 == counts.count ? "+" : ""): \(NumberText.grouped(count))"
    }
    return texts.isEmpty ? "-" : texts.joined(separator: "   ")
  }

  private var latencyText: String {
    "p50 \(NumberText.duration(latencies.percentile(0.5))), "
      + "p99 \(NumberText.duration(latencies.percentile(0.99))), "
      + "max \(NumberText.duration(latencies.max))"
  }

  private func waits(_ count: Int, _ total: Duration, _ longest: Duration) -> String {
    guard count > 0 else { return "0" }
    return "\(NumberText.grouped(count)), mean \(text(total / count)), longest \(text(longest))"
  }

  private func text(_ duration: Duration) -> String {
    NumberText.duration(UInt64(max(0, Self.milliseconds(duration) * 1e6)))
  }

  private var durability: String {
    guard let probe else { return options.durability.rawValue }
    return "\(options.durability.rawValue); the disk flushes 4 KiB in p50 "
      + "\(NumberText.duration(probe.p50)), p99 \(NumberText.duration(probe.p99))"
  }

  private func printVerdicts(to console: Console) {
    func verdict(_ holds: Bool, _ claim: String) {
      let mark = holds ? console.style.good("✓") : console.style.bad("✗ NOT TRUE:")
      console.line("  \(mark) \(claim)")
    }
    verdict(
      invariants.count == 0 && errors.isEmpty,
      "each ratingCount is the number of rating documents and of acknowledgements")
    verdict(
      !invariants.kinds.contains(.wrongAverage), "each average is that of the stored ratings")
    verdict(
      verification.findings.isEmpty,
      "each of \(NumberText.grouped(verification.indexEntries)) index entries has its document, "
        + "and they theirs")
    verdict(
      isSerializable,
      "the history is strictly serializable: \(NumberText.grouped(commits)) reads replayed")
    if failed > 0, isNobodyStarved {
      let reason = options.mayFail ? "this mode promises nothing" : "leases ended"
      console.line("  - \(NumberText.grouped(failed)) failed for contention: \(reason)")
    } else {
      verdict(isNobodyStarved, "nobody failed for contention")
    }
    if let allowed = options.runsAllowed {
      if runsMax > allowed, areRunsBounded {
        console.line("  - blocks ran up to \(runsMax) times: leases ended")
      } else {
        verdict(
          areRunsBounded, "no block ran more often than \(allowed == 1 ? "once" : "twice")")
      }
    }
    for finding in findings { console.line("    " + console.style.bad(finding)) }
    console.line()
    console.line(
      isGood
        ? console.style.good("  All checks hold.") : console.style.bad("  Checks FAILED."))
  }
}
