package import Hearth
package import HearthBenchmarkKit

/// Everything that a stress run found out.
package struct StressReport: Sendable {
  package let options: StressOptions
  package let history: RatingHistory
  package let seconds: Double
  /// Errors other than contention.
  package let errors: [String]
  package let metrics: DatabaseMetrics
  /// What an independent walk over documents and index entries found.
  package let verification: VerifyReport
  /// Counts and averages against the stored ratings.
  package let invariants: RatingFindings
  /// The history against the order of versions.
  package let order: RatingFindings
  package let machine = Machine.current
  /// From the call to its return, waiting and all runs included; acknowledged ones only.
  package private(set) var latencies = Histogram()
  package private(set) var commits = 0
  package private(set) var failed = 0
  package private(set) var runsSum = 0
  package private(set) var runsMax = 0
  var probe: DiskProbe?
  var yardstick: StressYardstick.Result?

  init(
    options: StressOptions, seconds: Double, errors: [String], metrics: DatabaseMetrics,
    history: RatingHistory, verification: VerifyReport
  ) {
    self.options = options
    self.seconds = seconds
    self.errors = errors
    self.metrics = metrics
    self.history = history
    self.verification = verification
    invariants = RatingInvariants.check(history)
    order = RatingHistoryChecker.check(history)
    for operation in history.operations {
      guard operation.isAcknowledged else {
        failed += 1
        continue
      }
      commits += 1
      runsSum += operation.runs
      runsMax = max(runsMax, operation.runs)
      latencies.record(operation.returned - operation.invoked)
    }
  }

  // MARK: Judgement

  /// Counts, averages, documents and index entries are what they must be.
  package var invariantsHold: Bool {
    invariants.count == 0 && verification.findings.isEmpty && errors.isEmpty
  }

  /// The history is strictly serializable.
  package var isSerializable: Bool { order.count == 0 }

  /// Nobody failed for contention who was promised not to.
  ///
  /// The promise holds for blocks within their leases and at least three runs.
  package var isNobodyStarved: Bool {
    failed == 0 || options.mayFail || metrics.leasesExpired > 0
  }

  /// No block ran more often than turns allow, which they do for blocks within their leases.
  package var areRunsBounded: Bool {
    guard let allowed = options.runsAllowed, metrics.leasesExpired == 0 else { return true }
    return runsMax <= allowed
  }

  package var isGood: Bool {
    invariantsHold && isSerializable && isNobodyStarved && areRunsBounded
  }

  // MARK: Numbers

  package var commitsPerSecond: Double { seconds > 0 ? Double(commits) / seconds : 0 }
  package var runsMean: Double { commits > 0 ? Double(runsSum) / Double(commits) : 0 }
  package var groupSizeMean: Double { Self.mean(metrics.commits, of: metrics.groups) }

  static func mean(_ sum: Int, of count: Int) -> Double {
    count > 0 ? Double(sum) / Double(count) : 0
  }

  static func milliseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e6 }

  static func milliseconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
  }
}
