import HearthEncoding
package import HearthModel
import HearthStorage

/// What a backup or a compaction has checked before it took its name.
package struct CopyReport: Sendable, Equatable {
  /// The version that the copy holds.
  package var version = CommitVersion.zero
  package var checked = ConsistencyReport()
  /// The size of the file before, and of the copy.
  package var bytesBefore = 0
  package var bytesAfter = 0
}

extension Engine {
  /// Copies the newest version into a directory of its own, checks the copy, and only then gives
  /// it its name.
  ///
  /// Blocks. Commits go on meanwhile; the file grows by what they write.
  package func backUp(
    to path: String, compacting: Bool, _ operation: Operation
  ) throws(HearthError) -> CopyReport {
    let environment = parts.environment
    return try running(operation) {
      let report = Lock(CopyReport())
      try environment.copy(to: path, compacting: compacting, cancellation: operation.copy) {
        let checked = try Engine.checkCopy($0, operation)
        report.withLock { $0 = checked }
      }
      return report.withLock { report in
        report.bytesBefore = environment.fileSize
        return report
      }
    }
  }

  /// Replaces the file of a closed database by a compact copy of it that was checked.
  ///
  /// Blocks.
  package static func compact(
    _ options: EngineOptions, _ operation: Operation
  ) throws(HearthError) -> CopyReport {
    do {
      var report = CopyReport()
      let sizes = try Environment.compact(
        at: options.path, options: storageOptions(options), cancellation: operation.copy
      ) { report = try checkCopy($0, operation) }
      report.bytesBefore = sizes.before
      report.bytesAfter = sizes.after
      return report
    } catch {
      throw HearthError.wrapping(error)
    }
  }

  private static func checkCopy(
    _ environment: Environment, _ operation: Operation
  ) throws -> CopyReport {
    let store = RecordStore(environment: environment)
    let reader = RecordReader(
      store: store, catalog: try Catalog(store: store, environment: environment))
    var report = CopyReport()
    (report.checked, report.version) = try environment.read { transaction in
      (
        try ConsistencyCheck(reader: reader, step: operation.step).run(transaction),
        try CatalogRecords.head(store, transaction)
      )
    }
    report.bytesAfter = environment.fileSize
    guard let finding = report.checked.findings.first else { return report }
    throw HearthError(
      .dataLoss, "COPY_INCONSISTENT",
      "The database is inconsistent, so that no copy was made: \(finding). "
        + "Check it with verify; export and import build its indexes anew.")
  }
}
