import HearthEncoding
import HearthModel
import HearthStorage

/// Fills a new database, which nobody else sees yet, from an import.
///
/// No committer is needed: there are no readers, listeners or transactions. So documents keep the
/// times they had.
struct ImportBuilder {
  /// Bounds of one storage transaction, so that it dirties few pages.
  private static let mostDocuments = 500
  private static let mostBytes = 2 << 20
  private static let mostEntries = 5000

  private let environment: Environment
  private let store: RecordStore
  private let catalog: Catalog
  private var report = TransferReport()
  private var batch: [(line: Int, document: Document)] = []
  private var batchBytes = 0

  init(_ environment: Environment) throws {
    self.environment = environment
    store = RecordStore(environment: environment)
    catalog = try Catalog(store: store, environment: environment)
  }

  /// Takes in everything that a reader gives.
  mutating func run(
    _ reader: inout ImportReader, _ operation: Operation
  ) throws -> TransferReport {
    while let item = try reader.next() {
      switch item {
      case .header(let header):
        report.version = header.version
        try operation.step(0, of: reader.total)
      case .index(let file):
        do {
          try declare(file)
        } catch let error as HearthError where error.status == .invalidArgument {
          throw HearthError.importLine(reader.line, error.message)
        }
      case .document(let document):
        batch.append((reader.line, document))
        batchBytes += document.fields.documentSize(path: document.path)
        if batch.count >= Self.mostDocuments || batchBytes >= Self.mostBytes {
          try writeBatch()
          try operation.step(report.documents, of: reader.total)
        }
      }
    }
    try writeBatch()
    try operation.step(report.documents, of: reader.total)
    return report
  }

  // MARK: Indexes

  /// Declares indexes and overrides, complete from the start: there are no documents yet, and later
  /// ones bring their entries along.
  private mutating func declare(_ file: IndexDefinitionFile) throws {
    guard report.documents == 0, batch.isEmpty else {
      throw HearthError.invalid("IMPORT_ORDER", "an index stands behind a document")
    }
    for definition in file.composites {
      try definition.validate()
      guard !definition.isSingleField else {
        throw HearthError.invalid(
          "IMPORT_INDEX", "the index has one field only; write it as a field override")
      }
    }
    for override in file.overrides { try override.validate() }
    try writing { editor, transaction in
      for definition in file.composites
      where !editor.state.declared.contains(where: { $0.definition == definition }) {
        let sequence = try editor.newIndexNumber(transaction).value
        // Twins share one tree.
        let twin = editor.state.declared.first { $0.tree.definition == definition.physical }
        let tree =
          try twin?.tree
          ?? PhysicalIndex(
            number: editor.newIndexNumber(transaction), definition: definition.physical)
        try editor.change(transaction) { state in
          state.declared.append(
            DeclaredTree(sequence: sequence, definition: definition, tree: tree, state: .ready))
        }
      }
      for override in file.overrides {
        try editor.change(transaction) { $0.overrides.append(override) }
      }
    }
    report.indexes += file.composites.count
    report.overrides += file.overrides.count
  }

  // MARK: Documents

  private mutating func writeBatch() throws {
    var rest = batch[...]
    while !rest.isEmpty {
      var deltas: [DocumentDelta] = []
      let part = rest
      let store = store
      let version = part.reduce(report.version) { max($0, $1.document.updateVersion) }
      try writing { editor, transaction in
        deltas = []
        var keys: Set<[UInt8]> = []
        var entries = 0
        for (line, document) in part {
          if entries >= Self.mostEntries { break }
          let delta = try Self.delta(document, line, &editor, transaction)
          let isNew = try !store.contains(delta.key, in: store.documents, transaction)
          guard isNew, keys.insert(delta.key).inserted else {
            throw HearthError.importLine(line, "there are two documents '\(document.path)'")
          }
          deltas.append(delta)
          entries += delta.addedEntries.count
        }
        try Self.write(deltas, store, transaction)
        try CatalogRecords.putHead(version, store, transaction)
      }
      report.version = version
      report.documents += deltas.count
      rest = rest.dropFirst(deltas.count)
    }
    batch.removeAll(keepingCapacity: true)
    batchBytes = 0
  }

  private static func delta(
    _ document: Document, _ line: Int, _ editor: inout CatalogEditor,
    _ transaction: borrowing WriteTransaction
  ) throws -> DocumentDelta {
    let state = editor.state
    do throws(HearthError) {
      try IndexEntries.checkBudget(
        fields: document.fields, path: document.path, configuration: state.fieldConfiguration,
        declared: state.maintained(collectionID: document.path.collection.collectionID)
          .map(\.definition))
    } catch {
      throw HearthError.importLine(line, error.message)
    }
    let number = try editor.number(of: document.path.collection, transaction)
    return try DocumentDelta(
      ChangedDocument(path: document.path, before: nil, after: document), collection: number,
      state: state
    ) { (key) throws(HearthError) in
      do {
        return try editor.number(of: key, transaction)
      } catch {
        throw HearthError.wrapping(error)
      }
    }
  }

  /// Writes in key order, since writes at random places cost most.
  private static func write(
    _ deltas: [DocumentDelta], _ store: RecordStore, _ transaction: borrowing WriteTransaction
  ) throws {
    for delta in deltas.sorted(by: { bytesLess($0.key, $1.key) }) {
      try store.put(delta.key, delta.record ?? [], in: store.documents, transaction)
    }
    let entries = deltas.flatMap(\.addedEntries).sorted { bytesLess($0.key, $1.key) }
    for entry in entries {
      try store.put(entry.key, entry.payload, in: store.entries, transaction)
    }
  }

  /// One storage transaction, once more in a larger map if that was full.
  private func writing(
    _ body: (inout CatalogEditor, borrowing WriteTransaction) throws -> Void
  ) throws {
    var editor = CatalogEditor(catalog: catalog, store: store)
    do {
      try environment.write { transaction in
        try body(&editor, transaction)
        try editor.flush(transaction)
      }
    } catch let error as StorageError where error.kind == .mapFull {
      try environment.growMap()
      editor = CatalogEditor(catalog: catalog, store: store)
      try environment.write { transaction in
        try body(&editor, transaction)
        try editor.flush(transaction)
      }
    }
    editor.publish()
  }
}
