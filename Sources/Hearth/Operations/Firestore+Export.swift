public import Foundation
import HearthEngine
public import HearthModel

/// What an export has written.
public struct ExportReport: Sendable, Equatable {
  /// The commit time of the version that was exported.
  public let version: Timestamp
  /// Documents written.
  public let documents: Int
  /// Composite indexes written.
  public let indexes: Int
  /// Field overrides written.
  public let overrides: Int

  init(_ report: TransferReport) {
    version = report.version.time
    documents = report.documents
    indexes = report.indexes
    overrides = report.overrides
  }
}

extension Firestore {
  /// Writes all documents, indexes and overrides at one version as lines of JSON into a new file.
  ///
  /// Everything comes back by an import: types, times, names byte by byte. It is the way from one
  /// version of LMDB or of the storage format to another. Commits go on meanwhile; the database's
  /// file grows by what they write, since the export reads one version to its end. The file gets
  /// its name when it is complete. Cancelling the task or closing the database ends the export.
  ///
  /// - Parameters:
  ///   - url: The file, which must not exist.
  ///   - progress: Called on a thread of the engine's with documents done and in total.
  /// - Throws: ``HearthError``: `ALREADY_EXISTS / TARGET_EXISTS`, `RESOURCE_EXHAUSTED / DISK_FULL`,
  ///   `CANCELLED / CANCELLED`, or `DATA_LOSS` if the database is damaged.
  @discardableResult
  public func export(
    to url: URL, progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
  ) async throws -> ExportReport {
    let path = try Firestore.path(of: url)
    let engine = try engine()
    await engine.waitForSubmittedWrites()
    return ExportReport(
      try await operating(progress) { (operation) throws(HearthError) in
        let file = try TextOutput(path: path)
        do throws(HearthError) {
          let report = try engine.export(operation, to: file.write)
          try file.finish()
          return report
        } catch {
          file.discard()
          throw error
        }
      })
  }

  /// Writes an export to an open file or pipe, which stays open.
  ///
  /// What reached it before a failure stays; the missing closing line tells that it is not whole.
  @discardableResult
  public func export(
    to handle: FileHandle, progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
  ) async throws -> ExportReport {
    let engine = try engine()
    await engine.waitForSubmittedWrites()
    return ExportReport(
      try await operating(progress) { (operation) throws(HearthError) in
        let file = TextOutput(handle)
        return try engine.export(operation, to: file.write)
      })
  }
}
