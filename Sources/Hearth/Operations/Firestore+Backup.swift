public import Foundation
import HearthEngine
public import HearthModel

/// A copy of a database that was made and checked.
public struct BackupReport: Sendable, Equatable {
  /// The commit time of the version that the copy holds.
  public let version: Timestamp
  /// Documents in the copy, each with a sound record.
  public let documents: Int
  /// Entries of all indexes in the copy, automatic ones included.
  public let indexEntries: Int
  /// The size of the copy's file.
  public let bytes: Int
}

/// A compaction that was done.
public struct CompactionReport: Sendable, Equatable {
  /// Documents in the database.
  public let documents: Int
  /// The size of the file before.
  public let bytesBefore: Int
  /// The size of the file afterwards.
  public let bytesAfter: Int
}

extension Firestore {
  /// Copies the database as it is at one version into a new directory, while commits go on.
  ///
  /// The copy is a database of its own. It is checked as by ``verify(progress:)``, and gets its
  /// name only then: a backup that was cancelled, ran out of disk or crashed leaves nothing that
  /// can be opened. It is made for the local disk; carry it elsewhere from there. Meanwhile the
  /// database's file grows by what is written. Cancelling the task or closing the database ends it.
  ///
  /// - Parameters:
  ///   - url: The directory of the copy; there may be nothing, or an empty directory.
  ///   - compacting: Whether pages that hold nothing are left out; that takes a little longer.
  ///   - progress: Called on a thread of the engine's with documents checked and in total.
  /// - Throws: ``HearthError``: `ALREADY_EXISTS / TARGET_EXISTS` if something is there,
  ///   `RESOURCE_EXHAUSTED / DISK_FULL`, `CANCELLED / CANCELLED`, or `DATA_LOSS` if the database is
  ///   damaged.
  @discardableResult
  public func backUp(
    to url: URL, compacting: Bool = false,
    progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
  ) async throws -> BackupReport {
    let path = try Firestore.path(of: url)
    let engine = try engine()
    await engine.waitForSubmittedWrites()
    let report = try await operating(progress) { (operation) throws(HearthError) in
      try engine.backUp(to: path, compacting: compacting, operation)
    }
    return BackupReport(
      version: report.version.time, documents: report.checked.documents,
      indexEntries: report.checked.indexEntries, bytes: report.bytesAfter)
  }

  /// Gives the free pages of a database that nobody has open back to the system.
  ///
  /// A compact copy is made beside the file, checked, and takes the file's place in one step: a
  /// failure or a crash leaves the database as it was. There must be room for the copy.
  ///
  /// - Parameters:
  ///   - url: The directory of the database.
  ///   - settings: How large the map may be, and how durable the result.
  ///   - progress: Called on a thread of the engine's with documents checked and in total.
  /// - Throws: ``HearthError``: `FAILED_PRECONDITION` with `ALREADY_OPEN` or `DATABASE_IN_USE` if
  ///   this or another process has it open; otherwise as ``backUp(to:compacting:progress:)``.
  @discardableResult
  public static func compact(
    at url: URL, settings: FirestoreSettings = .init(),
    progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
  ) async throws -> CompactionReport {
    let options = engineOptions(at: try path(of: url), settings.values)
    let report = try await operating(progress) { (operation) throws(HearthError) in
      try Engine.compact(options, operation)
    }
    return CompactionReport(
      documents: report.checked.documents, bytesBefore: report.bytesBefore,
      bytesAfter: report.bytesAfter)
  }
}
