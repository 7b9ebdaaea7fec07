/// Counters since opening (transactions-and-listeners, 8.6).
package struct EngineMetrics: Sendable, Equatable {
  /// Commit units applied.
  package var commits = 0
  /// Storage commits: one flush each.
  package var groups = 0
  /// Commit units of the largest group.
  package var largestGroup = 0
  /// Estimated bytes of all units applied.
  package var groupBytes = 0
  /// Time that storage commits took: pages written and flushed.
  package var flushTime = WaitTime()
  /// Runs of transaction blocks.
  package var transactionRuns = 0
  package var transactionsCommitted = 0
  package var transactionsFailed = 0
  /// Committed transactions by how often their block ran; the last place counts all beyond.
  package var attempts = AttemptCounts()
  /// Runs that lost, by cause.
  package var pointConflicts = 0
  package var rangeConflicts = 0
  package var turnRefusals = 0
  /// Of these, those that lost to a plain write from inside their own block.
  package var doomedRuns = 0
  /// Of these, those whose turn or gate had been withdrawn before.
  package var expiredRuns = 0
  /// Turns and gates withdrawn because their lease ended.
  package var leasesExpired = 0
  /// Turns handed on inside the open group, before its flush.
  package var handOffs = 0
  package var turnWaits = 0
  package var gateWaits = 0
  /// From asking for turns to holding them, what the open group makes one wait included.
  package var turnWaitTime = WaitTime()
  package var gateWaitTime = WaitTime()
  /// Commit units that wait for the committer now, and at most since opening.
  package var intakeDepth = 0
  package var intakeDepthMax = 0
  /// Older states of documents kept for readers, and what they take in memory.
  package var historyStates = 0
  package var historyBytes = 0
  /// The age of the oldest read-only transaction under way.
  package var oldestReaderNanoseconds: UInt64 = 0
  /// Storage snapshots open at this moment.
  package var openSnapshots = 0
  /// Commit units refused since disk or map were full and they were no deletes.
  package var refusedForRoom = 0
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

/// How long something took, summed, and at most.
package struct WaitTime: Sendable, Equatable {
  package private(set) var totalNanoseconds: UInt64 = 0
  package private(set) var longestNanoseconds: UInt64 = 0

  package init() {}

  package mutating func add(_ nanoseconds: UInt64) {
    totalNanoseconds &+= nanoseconds
    longestNanoseconds = max(longestNanoseconds, nanoseconds)
  }
}

/// Counts of transactions by their number of runs.
package struct AttemptCounts: Sendable, Equatable {
  package static let places = 8

  /// At position n those of n + 1 runs; at the last one those of more, too.
  package private(set) var counts = [Int](repeating: 0, count: AttemptCounts.places)
  /// The most runs of one.
  package private(set) var most = 0

  package init() {}

  package mutating func add(runs: Int) {
    counts[min(max(runs, 1), AttemptCounts.places) - 1] += 1
    most = max(most, runs)
  }
}
