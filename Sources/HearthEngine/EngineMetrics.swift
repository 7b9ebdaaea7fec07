import HearthStorage

/// Counters since opening.
package struct EngineMetrics: Sendable, Equatable {
  /// Commit units applied.
  package var commits = 0
  /// Storage commits: one flush each.
  package var groups = 0
  /// Runs of transaction blocks.
  package var transactionRuns = 0
  package var transactionsCommitted = 0
  package var transactionsFailed = 0
  /// Runs that lost, by cause.
  package var pointConflicts = 0
  package var rangeConflicts = 0
  package var turnRefusals = 0
  package var turnWaits = 0
  package var gateWaits = 0
  /// Snapshots offered to listeners.
  package var snapshotsRaised = 0
  /// Documents whose views were asked whether they match.
  package var matchCandidates = 0
  /// Times a limited view had to read again.
  package var refills = 0

  package init() {}

  /// Runs that lost, all causes.
  package var conflicts: Int { pointConflicts + rangeConflicts + turnRefusals }
}

/// The counters as the engine's parts count them.
final class EngineCounters: Sendable {
  private let metrics = Lock(EngineMetrics())

  var snapshot: EngineMetrics { metrics.withLock { $0 } }

  func count(_ body: (inout EngineMetrics) -> Void) { metrics.withLock { body(&$0) } }

  func countGroup(applied: Int) {
    count {
      $0.commits += applied
      $0.groups += applied > 0 ? 1 : 0
    }
  }

  func count(conflict cause: ConflictCause) {
    count {
      switch cause {
      case .points: $0.pointConflicts += 1
      case .range: $0.rangeConflicts += 1
      case .turn: $0.turnRefusals += 1
      }
    }
  }
}
