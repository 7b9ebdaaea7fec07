import HearthEncoding
package import HearthModel
import HearthStorage

/// What an export or an import has gone through.
package struct TransferReport: Sendable, Equatable {
  package var documents = 0
  package var indexes = 0
  package var overrides = 0
  /// The version exported; for an import the newest version of the database afterwards.
  package var version = CommitVersion.zero

  package init() {}
}

extension Engine {
  /// Writes everything at the newest version as lines of text (Docs/ExportFormat.md).
  ///
  /// Blocks, inside one read transaction: pages freed meanwhile cannot be used again until it ends,
  /// so the file grows by what is written during the export. `write` is given some thousand bytes
  /// at a time.
  package func export(
    _ operation: Operation, to write: ([UInt8]) throws -> Void
  ) throws(HearthError) -> TransferReport {
    let reader = parts.reader
    return try running(operation) {
      try read { transaction in
        var exporter = Exporter(reader: reader, operation: operation)
        return try exporter.run(transaction, write)
      }
    }
  }
}

/// One export, inside one read transaction.
private struct Exporter {
  private static let bufferSize = 64 << 10

  let reader: RecordReader
  let operation: Operation
  private var checksum = Checksum()
  private var buffer: [UInt8] = []
  private var report = TransferReport()

  init(reader: RecordReader, operation: Operation) {
    self.reader = reader
    self.operation = operation
  }

  mutating func run(
    _ transaction: borrowing ReadTransaction, _ write: ([UInt8]) throws -> Void
  ) throws -> TransferReport {
    let store = reader.store
    // As of the snapshot: indexes may come and go during the export.
    let state = try CatalogRecords.load(store, transaction)
    report.version = try CatalogRecords.head(store, transaction)
    // One that needs repair serves no query, and documents may not fit it.
    let definitions = state.declared.filter(\.isMaintained).map(\.definition)
    report.indexes = definitions.count
    report.overrides = state.overrides.count
    let total = try transaction.statistics(of: store.documents).entries
    let counts = ExportLine.Counts(
      indexes: report.indexes, overrides: report.overrides, documents: total)
    try operation.step(0, of: total)
    try add(.header(ExportLine.Header(version: report.version, counts: counts)), write)
    for definition in definitions {
      try add(.index(IndexDefinitionFile(composites: [definition])), write)
    }
    for override in state.overrides {
      try add(.index(IndexDefinitionFile(overrides: [override])), write)
    }
    for (path, number) in try CatalogRecords.collections(store, transaction)
      .sorted(by: { $0.path < $1.path })
    {
      try addDocuments(path, number, total, transaction, write)
    }
    guard report.documents == total else {
      throw HearthError.dataLoss(
        "STRAY_DOCUMENTS",
        "\(total - report.documents) of \(total) documents belong to no collection; verify the "
          + "database, and restore from a backup.")
    }
    let end = ExportLine.End(counts: counts, checksum: checksum.finish())
    try add(.end(end), write)
    try write(buffer)
    try operation.step(total, of: total)
    return report
  }

  private mutating func addDocuments(
    _ path: CollectionPath, _ number: CollectionNumber, _ total: Int,
    _ transaction: borrowing ReadTransaction, _ write: ([UInt8]) throws -> Void
  ) throws {
    let store = reader.store
    let prefix = KeyLayout.documentsPrefix(number)
    let end = KeyLayout.end(ofPrefix: prefix) ?? []
    try transaction.withCursor(in: store.documents) { cursor in
      var walk = KeyWalk(store: store, table: store.documents, descending: false)
      var more = try walk.seek(prefix, &cursor)
      while more, bytesLess(walk.key, end) {
        let record = try EncodedDocument(record: walk.payload(cursor))
        let document = Document(
          path: path.document(try KeyLayout.documentID(of: walk.key).id),
          createVersion: record.createVersion, updateVersion: record.updateVersion,
          fields: try record.fields())
        try add(.document(document), write)
        report.documents += 1
        if report.documents % 256 == 0 { try operation.step(report.documents, of: total) }
        more = try walk.step(&cursor)
      }
    }
  }

  private mutating func add(
    _ line: ExportLine, _ write: ([UInt8]) throws -> Void
  ) throws {
    let bytes = line.bytes
    checksum.add(bytes.span.bytes)
    buffer += bytes
    guard buffer.count >= Self.bufferSize else { return }
    try write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
