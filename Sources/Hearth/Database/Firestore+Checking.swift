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
}
