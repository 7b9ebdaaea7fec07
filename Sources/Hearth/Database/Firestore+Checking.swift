import Foundation
import HearthEngine
import HearthModel

/// What a check of the whole database found.
public struct VerifyReport: Sendable, Equatable {
  /// Collections that ever held a document.
  public let collections: Int
  /// Documents, each with a sound record.
  public let documents: Int
  /// Entries of all indexes, automatic ones included.
  public let indexEntries: Int
  /// What is wrong, in words; empty if all is well.
  public let findings: [String]
}

/// Counters since the database was opened.
public struct DatabaseMetrics: Sendable, Equatable {
  /// Commit units applied: single writes, batches, transactions.
  public let commits: Int
  /// Storage commits; each serves all units that waited, with one flush.
  public let groups: Int
  /// Runs of transaction blocks.
  public let transactionRuns: Int
  /// Transactions that committed.
  public let transactionsCommitted: Int
  /// Transactions that ended with an error.
  public let transactionsFailed: Int
  /// Runs that lost against another commit.
  public let conflicts: Int
  /// Runs that waited for a turn on contended documents.
  public let turnWaits: Int
  /// Runs that waited for the gate.
  public let gateWaits: Int
  /// Snapshots offered to listeners.
  public let snapshotsRaised: Int
  /// Times a limited live query had to read again.
  public let refills: Int
}

extension Firestore {
  /// Walks the whole database and tells what is wrong with it.
  ///
  /// It checks every record's checksum, every index entry of every document, and that there are
  /// no others. It reads everything, so it takes its time on a large database; commits go on
  /// meanwhile.
  ///
  /// - Throws: ``HearthError`` with `DATA_LOSS` where bytes are damaged beyond reading on.
  public func verify() async throws -> VerifyReport {
    let engine = try engine()
    await engine.waitForSubmittedWrites()
    // A long walk must not occupy a thread of Swift's tasks.
    let report = try await onBlockingThread { () throws(HearthError) in
      try engine.checkConsistency()
    }
    return VerifyReport(
      collections: report.collections, documents: report.documents,
      indexEntries: report.indexEntries, findings: report.findings)
  }

  /// Counters since the database was opened; zeros before its first use and after its end.
  public var metrics: DatabaseMetrics {
    let metrics = (try? engine())?.metrics ?? EngineMetrics()
    return DatabaseMetrics(
      commits: metrics.commits, groups: metrics.groups,
      transactionRuns: metrics.transactionRuns,
      transactionsCommitted: metrics.transactionsCommitted,
      transactionsFailed: metrics.transactionsFailed, conflicts: metrics.conflicts,
      turnWaits: metrics.turnWaits, gateWaits: metrics.gateWaits,
      snapshotsRaised: metrics.snapshotsRaised, refills: metrics.refills)
  }
}
