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
  /// meanwhile. Cancelling the task or closing the database ends it.
  ///
  /// - Parameter progress: Called on a thread of the engine's with documents done and in total.
  /// - Throws: ``HearthError`` with `DATA_LOSS` where bytes are damaged beyond reading on.
  public func verify(
    progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
  ) async throws -> VerifyReport {
    let engine = try engine()
    await engine.waitForSubmittedWrites()
    let report = try await operating(progress) { (operation) throws(HearthError) in
      try engine.checkConsistency(operation)
    }
    return VerifyReport(
      collections: report.collections, documents: report.documents,
      indexEntries: report.indexEntries, findings: report.findings)
  }
}
