import HearthEngine

/// Counters since the database was opened.
///
/// Counting costs next to nothing and cannot be switched off. Take two snapshots to know what
/// happened between them; the largest and longest are those since opening.
public struct DatabaseMetrics: Sendable, Equatable {
  // MARK: Commits

  /// Commit units applied: single writes, batches, transactions.
  public let commits: Int
  /// Storage commits; each serves all units that waited, with one flush.
  public let groups: Int
  /// Commit units of the largest group.
  public let largestGroup: Int
  /// Bytes of all units applied, about.
  public let groupBytes: Int
  /// Time spent in storage commits, which write pages and wait for the disk.
  public let flushTime: Duration
  /// The longest storage commit.
  public let longestFlush: Duration
  /// Commit units that wait for the writer at this moment.
  public let waitingCommits: Int
  /// Commit units that waited for the writer at most.
  public let mostWaitingCommits: Int

  /// Commit units refused because disk or database were full and they were no deletes.
  public let refusedForRoom: Int

  // MARK: Transactions

  /// Runs of transaction blocks.
  public let transactionRuns: Int
  /// Transactions that committed.
  public let transactionsCommitted: Int
  /// Transactions that ended with an error.
  public let transactionsFailed: Int
  /// Committed transactions by how often their block ran.
  ///
  /// The first number counts those of one run, the second those of two; the last one counts those
  /// of eight and more.
  public let transactionsByRuns: [Int]
  /// The most runs that a committed transaction needed.
  public let mostRuns: Int
  /// Runs that lost against another commit, all causes.
  public let conflicts: Int
  /// Runs that lost since a document they had read was changed.
  public let pointConflicts: Int
  /// Runs that lost since the result of a query they had read was changed.
  public let rangeConflicts: Int
  /// Runs that lost since they wrote a document that was another transaction's turn.
  public let turnRefusals: Int
  /// Of all lost runs, those that lost to a plain write from inside their own block.
  public let doomedRuns: Int
  /// Of all lost runs, those that had held a turn or the gate for longer than its lease.
  public let expiredRuns: Int
  /// Turns and gates that were withdrawn because they were held for too long.
  public let leasesExpired: Int
  /// Turns that were handed on inside an open group, before its flush.
  public let handOffs: Int
  /// Runs that waited for a turn on contended documents.
  public let turnWaits: Int
  /// Time that runs waited for their turn, summed over all.
  public let turnWaitTime: Duration
  /// The longest wait for a turn.
  public let longestTurnWait: Duration
  /// Runs that waited for the gate.
  public let gateWaits: Int
  /// Time that runs waited for the gate, summed over all.
  public let gateWaitTime: Duration
  /// The longest wait for the gate.
  public let longestGateWait: Duration

  // MARK: Readers

  /// Older states of documents kept for read-only transactions and the history window.
  public let historyStates: Int
  /// What these states take in memory, in bytes, about.
  public let historyBytes: Int
  /// The age of the oldest read-only transaction under way; zero without one.
  public let oldestReaderAge: Duration
  /// Storage snapshots that are open at this moment.
  ///
  /// Each lasts for one read; one that stays keeps the file from using freed pages again.
  public let openSnapshots: Int

  // MARK: Listeners

  /// Snapshots offered to listeners.
  public let snapshotsRaised: Int
  /// Times a limited live query had to read again.
  public let refills: Int

  init(_ metrics: EngineMetrics) {
    commits = metrics.commits
    groups = metrics.groups
    largestGroup = metrics.largestGroup
    groupBytes = metrics.groupBytes
    flushTime = .nanoseconds(metrics.flushTime.totalNanoseconds)
    longestFlush = .nanoseconds(metrics.flushTime.longestNanoseconds)
    waitingCommits = metrics.intakeDepth
    mostWaitingCommits = metrics.intakeDepthMax
    refusedForRoom = metrics.refusedForRoom
    transactionRuns = metrics.transactionRuns
    transactionsCommitted = metrics.transactionsCommitted
    transactionsFailed = metrics.transactionsFailed
    transactionsByRuns = metrics.attempts.counts
    mostRuns = metrics.attempts.most
    conflicts = metrics.conflicts
    pointConflicts = metrics.pointConflicts
    rangeConflicts = metrics.rangeConflicts
    turnRefusals = metrics.turnRefusals
    doomedRuns = metrics.doomedRuns
    expiredRuns = metrics.expiredRuns
    leasesExpired = metrics.leasesExpired
    handOffs = metrics.handOffs
    turnWaits = metrics.turnWaits
    turnWaitTime = .nanoseconds(metrics.turnWaitTime.totalNanoseconds)
    longestTurnWait = .nanoseconds(metrics.turnWaitTime.longestNanoseconds)
    gateWaits = metrics.gateWaits
    gateWaitTime = .nanoseconds(metrics.gateWaitTime.totalNanoseconds)
    longestGateWait = .nanoseconds(metrics.gateWaitTime.longestNanoseconds)
    historyStates = metrics.historyStates
    historyBytes = metrics.historyBytes
    oldestReaderAge = .nanoseconds(metrics.oldestReaderNanoseconds)
    openSnapshots = metrics.openSnapshots
    snapshotsRaised = metrics.snapshotsRaised
    refills = metrics.refills
  }
}

extension Firestore {
  /// Counters since the database was opened; zeros before its first use and after its end.
  public var metrics: DatabaseMetrics {
    DatabaseMetrics((try? engine())?.metrics ?? EngineMetrics())
  }
}
