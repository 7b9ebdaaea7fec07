import Hearth
package import HearthBenchmarkKit

extension StressReport {
  /// One object; times are in milliseconds.
  package var json: JSONText {
    .object([
      ("scenario", "ratings"), ("machine", machine.json), ("settings", settings),
      ("seconds", .number(seconds)), ("commits", .integer(commits)),
      ("commitsPerSecond", .number(commitsPerSecond)),
      (
        "runsPerCommit",
        .object([
          ("mean", .number(runsMean)), ("max", .integer(runsMax)),
          ("counts", .array(metrics.transactionsByRuns.map { .integer($0) })),
        ])
      ),
      ("failed", .integer(failed)), ("latencyMilliseconds", latencyJSON),
      ("conflicts", conflictsJSON),
      (
        "turnWaits",
        waits(metrics.turnWaits, metrics.turnWaitTime, metrics.longestTurnWait)
      ),
      (
        "gateWaits",
        waits(metrics.gateWaits, metrics.gateWaitTime, metrics.longestGateWait)
      ),
      ("handOffs", .integer(metrics.handOffs)),
      ("groupSizeMean", .number(groupSizeMean)),
      ("groupSizeMax", .integer(metrics.largestGroup)),
      ("groupBytesMean", .number(Self.mean(metrics.groupBytes, of: metrics.groups))),
      ("flushes", waits(metrics.groups, metrics.flushTime, metrics.longestFlush)),
      ("intakeDepthMax", .integer(metrics.mostWaitingCommits)),
      ("durability", .string(options.durability.rawValue)),
      ("diskFlushMilliseconds", probe?.json ?? .null),
      ("rawLMDB", yardstickJSON),
      ("invariantsHold", .boolean(invariantsHold)), ("serializable", .boolean(isSerializable)),
      ("fairnessHolds", .boolean(isNobodyStarved && areRunsBounded)),
      ("findings", .array(findings.map { .string($0) })),
    ])
  }

  private var settings: JSONText {
    .object([
      ("restaurants", .integer(options.restaurants)), ("tasks", .integer(options.tasks)),
      ("keys", .string(options.keys.rawValue)), ("mode", .string(options.mode.rawValue)),
      ("maxAttempts", .integer(options.maxAttempts)),
      ("blockDelay", .number(Self.milliseconds(options.delayNanoseconds))),
      ("delayEvery", .integer(options.delayEvery)), ("seed", .integer(Int(options.seed))),
    ])
  }

  private var latencyJSON: JSONText {
    .object([
      ("mean", .number(latencies.mean / 1e6)),
      ("p50", .number(Self.milliseconds(latencies.percentile(0.5)))),
      ("p99", .number(Self.milliseconds(latencies.percentile(0.99)))),
      ("max", .number(Self.milliseconds(latencies.max))),
    ])
  }

  private var conflictsJSON: JSONText {
    .object([
      ("all", .integer(metrics.conflicts)), ("point", .integer(metrics.pointConflicts)),
      ("range", .integer(metrics.rangeConflicts)),
      ("turnRefused", .integer(metrics.turnRefusals)),
      ("doomed", .integer(metrics.doomedRuns)),
      ("leaseExpired", .integer(metrics.expiredRuns)),
      ("leasesWithdrawn", .integer(metrics.leasesExpired)),
    ])
  }

  private func waits(_ count: Int, _ total: Duration, _ longest: Duration) -> JSONText {
    .object([
      ("count", .integer(count)),
      ("mean", .number(Self.milliseconds(total) / Double(max(1, count)))),
      ("max", .number(Self.milliseconds(longest))),
    ])
  }

  private var yardstickJSON: JSONText {
    guard let yardstick else { return .null }
    return .object([
      ("ratingsPerSecond", .number(yardstick.perSecond)),
      ("putsPerRating", .number(yardstick.putsPerRating)),
      ("groupSize", .integer(StressYardstick.groupSize)),
      ("ratio", .number(yardstick.perSecond / max(commitsPerSecond, 1e-9))),
    ])
  }

  /// All that is wrong, in words.
  var findings: [String] {
    invariants.all.map(\.text) + order.all.map(\.text) + verification.findings.prefix(10) + errors
  }
}
