import HearthEncoding
package import HearthModel
import HearthStorage

extension Engine {
  /// Makes a new database from an import.
  ///
  /// Blocks. The database appears at `options.path` when it is complete and on disk; whatever goes
  /// wrong before, nothing is there. Documents of an export keep their create and update times.
  ///
  /// - Parameters:
  ///   - options: The database to be made; nothing or an empty directory may be at its path.
  ///   - form: What kind of text it is.
  ///   - read: The next piece of the text, nil at its end.
  package static func importNew(
    _ options: EngineOptions, _ form: ImportForm, _ operation: Operation,
    read: @escaping () throws -> [UInt8]?
  ) throws(HearthError) -> TransferReport {
    do {
      return try Environment.build(at: options.path, options: storageOptions(options)) {
        var reader = ImportReader(form, runtime: options.runtime, read: read)
        var builder = try ImportBuilder($0)
        return try builder.run(&reader, operation)
      }
    } catch {
      throw HearthError.wrapping(error)
    }
  }

  /// Looks whether an import could be taken in, and takes nothing.
  ///
  /// Blocks.
  package func checkImport(
    _ form: ImportForm, _ operation: Operation, read: @escaping () throws -> [UInt8]?
  ) throws(HearthError) {
    try running(operation) {
      var reader = ImportReader(form, runtime: options.runtime, read: read)
      while try reader.next() != nil {
        // Cancelled or closed; what is done is told when it is written.
        if operation.copy.isCancelled { try operation.step(0, of: nil) }
      }
    }
  }

  /// Takes an import into this database, in commits of some hundred documents.
  ///
  /// Documents get new times, as everything committed does. An import that was interrupted has
  /// left whole commits, and can be repeated with `merging`.
  ///
  /// - Parameter merging: Whether documents that exist are replaced; otherwise the database must
  ///   be empty.
  package func importDocuments(
    _ form: ImportForm, merging: Bool, _ operation: Operation,
    read: @escaping @Sendable () throws -> [UInt8]?
  ) async throws(HearthError) -> TransferReport {
    parts.operations.begin(operation)
    defer { parts.operations.end(operation) }
    await waitForSubmittedWrites()
    if !merging, try storageSnapshot().tables.contains(where: { $0.isDocuments }) {
      throw HearthError(
        .failedPrecondition, "IMPORT_NOT_EMPTY",
        "The database has documents: import with merging, which replaces those with the same "
          + "paths, or into a new database.")
    }
    let session = ImportSession(ImportReader(form, runtime: options.runtime, read: read))
    do throws(HearthError) {
      return try await importing(session, merging, operation)
    } catch {
      throw isClosed && error.status == .cancelled ? .closed : error
    }
  }

  private func importing(
    _ session: ImportSession, _ merging: Bool, _ operation: Operation
  ) async throws(HearthError) -> TransferReport {
    var report = TransferReport()
    while true {
      let batch = try await blocking { () throws(HearthError) in try session.next() }
      if batch.isEmpty { return report }
      for (line, file) in batch.indexes {
        do throws(HearthError) {
          try await applyIndexFile(Array(file.json().utf8))
        } catch {
          throw error.status == .invalidArgument ? .importLine(line, error.message) : error
        }
        report.indexes += file.composites.count
        report.overrides += file.overrides.count
      }
      if !batch.writes.isEmpty {
        let result = try await commit(batch, merging)
        report.version = result.version
        report.documents += batch.writes.count
      }
      try operation.step(report.documents, of: batch.total)
    }
  }

  /// Commits a batch; where it is refused, finds the line whose fault it is.
  private func commit(
    _ batch: ImportSession.Batch, _ merging: Bool
  ) async throws(HearthError) -> CommitResult {
    let writes = batch.writes.map { line, document in
      Write(
        document: document.path,
        operation: .update(fields: document.fields, mask: nil, transforms: []),
        precondition: merging ? nil : .exists(false))
    }
    do throws(HearthError) {
      return try await commit(writes)
    } catch {
      guard error.status == .invalidArgument || error.status == .alreadyExists else { throw error }
      var result = CommitResult(version: .zero, results: [])
      for (write, line) in zip(writes, batch.writes.map(\.line)) {
        do throws(HearthError) {
          result = try await commit([write])
        } catch {
          throw .importLine(line, error.message)
        }
      }
      return result
    }
  }

  /// Runs something that may block where it does no harm.
  private func blocking<R: Sendable>(
    _ body: @escaping @Sendable () throws(HearthError) -> R
  ) async throws(HearthError) -> R {
    let outcome: Result<R, HearthError> = await withCheckedContinuation { continuation in
      options.runtime.runBlocking {
        do throws(HearthError) {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try outcome.get()
  }
}

extension StorageSnapshot.Table {
  fileprivate var isDocuments: Bool { name == "documents" && entries > 0 }
}

/// An import that is read on one thread after another, never on two at once.
private final class ImportSession: Sendable {
  /// What is taken in by one commit.
  struct Batch: Sendable {
    var indexes: [(line: Int, file: IndexDefinitionFile)] = []
    var writes: [(line: Int, document: Document)] = []
    var total: Int?

    var isEmpty: Bool { indexes.isEmpty && writes.isEmpty }
  }

  private static let mostDocuments = 500
  private static let mostBytes = 2 << 20

  private let reader: Lock<ImportReader>

  init(_ reader: ImportReader) { self.reader = Lock(reader) }

  /// The next batch, empty at the end.
  func next() throws(HearthError) -> Batch {
    do {
      return try reader.withLock { try Self.next(&$0) }
    } catch {
      throw HearthError.wrapping(error)
    }
  }

  private static func next(_ reader: inout ImportReader) throws -> Batch {
    var batch = Batch()
    var bytes = 0
    while batch.writes.count < mostDocuments, bytes < mostBytes, let item = try reader.next() {
      switch item {
      case .header: break
      case .index(let file):
        guard reader.documents == 0 else {
          throw HearthError.importLine(reader.line, "an index stands behind a document")
        }
        batch.indexes.append((reader.line, file))
      case .document(let document):
        batch.writes.append((reader.line, document))
        bytes += document.fields.documentSize(path: document.path)
      }
    }
    batch.total = reader.total
    return batch
  }
}
