import HearthEncoding
import HearthModel
import HearthStorage

/// What a check of the whole database found.
package struct ConsistencyReport: Sendable, Equatable {
  package var collections = 0
  package var documents = 0
  package var indexEntries = 0
  /// What is wrong, in words; empty if all is well.
  ///
  /// At most a hundred are kept.
  package var findings: [String] = []

  package init() {}

  mutating func find(_ text: String) {
    if findings.count < 100 { findings.append(text) }
  }
}

/// Walks everything: every document's record and entries, and that there are no other entries.
struct ConsistencyCheck {
  let reader: RecordReader
  /// Told of documents done and present; throws where the check is to end.
  var step: (_ done: Int, _ total: Int?) throws -> Void = { _, _ in }

  func run(_ transaction: borrowing ReadTransaction) throws -> ConsistencyReport {
    var report = ConsistencyReport()
    let store = reader.store
    // As of the snapshot, and not of this moment: indexes may come and go during the walk.
    let state = try CatalogRecords.load(store, transaction)
    var expected = 0
    let collections = try CatalogRecords.collections(store, transaction)
    report.collections = collections.count
    for (path, number) in collections {
      let member = try store.get(CatalogKeys.member(path), in: store.catalog, transaction)
      var offset = 0
      if try member.map({ try OrderedNumber.read(from: $0, at: &offset) }) != number.value {
        report.find("'\(path)' is not among the collections with its id")
      }
      let record = try store.get(CatalogKeys.collection(path), in: store.catalog, transaction)
      offset = 0
      if try record.map({ try OrderedNumber.read(from: $0, at: &offset) }) != number.value {
        report.find("'\(path)' is not found by its path")
      }
    }
    try checkCatalog(transaction, &report)
    let total = try transaction.statistics(of: store.documents).entries
    for (path, number) in collections {
      expected += try check(path, number, state, total, transaction, &report)
    }
    let known = collections.reduce(into: [CollectionNumber: CollectionPath]()) {
      $0[$1.number] = $1.path
    }
    report.documents += try strayDocuments(known, total, transaction, &report)
    report.indexEntries = try countEntries(state, transaction, &report)
    if report.indexEntries != expected {
      report.find(
        "the documents call for \(expected) index entries, the table holds \(report.indexEntries)")
    }
    return report
  }

  /// Checks the documents of one collection; gives how many entries they call for.
  private func check(
    _ path: CollectionPath, _ number: CollectionNumber, _ state: CatalogState, _ total: Int,
    _ transaction: borrowing ReadTransaction, _ report: inout ConsistencyReport
  ) throws -> Int {
    let store = reader.store
    // Kept in the commit of each document; were it lost, versions would be given out again.
    let head = try CatalogRecords.head(store, transaction)
    let unfinished = unfinishedTrees(state)
    var expected = 0
    var last: [UInt8]?
    while true {
      let chunk = try IndexFill.documents(
        after: last, in: number, limit: 1000, store, transaction)
      for (key, record) in chunk {
        let document = Document(
          path: path.document(try KeyLayout.documentID(of: key).id),
          createVersion: record.createVersion, updateVersion: record.updateVersion,
          fields: try record.fields())
        if record.updateVersion > head {
          report.find("'\(document.path)' is newer than the newest commit")
        }
        if state.configuration.change(of: path.collectionID) != nil {
          expected += try countPresent(document, number, state, transaction)
          continue
        }
        let delta = try DocumentDelta(
          ChangedDocument(path: document.path, before: nil, after: document),
          collection: number, state: state
        ) { (index) throws(HearthError) in
          try self.number(of: index, document.path, transaction)
        }
        for entry in delta.addedEntries {
          if let payload = try store.get(entry.key, in: store.entries, transaction) {
            expected += 1
            if payload != entry.payload {
              report.find("an index entry of '\(document.path)' is wrong about its numbers")
            }
            continue
          }
          var offset = 0
          if unfinished.contains(try OrderedNumber.read(from: entry.key, at: &offset)) { continue }
          expected += 1
          report.find("'\(document.path)' lacks an index entry")
        }
      }
      report.documents += chunk.count
      try step(report.documents, total)
      guard let key = chunk.last?.key, chunk.count == 1000 else { return expected }
      last = key
    }
  }

  /// How many of the entries that a document has before or after a change of overrides are
  /// there, while the change is being applied.
  private func countPresent(
    _ document: Document, _ number: CollectionNumber, _ state: CatalogState,
    _ transaction: borrowing ReadTransaction
  ) throws -> Int {
    let delta = try DocumentDelta(
      ChangedDocument(path: document.path, before: document, after: nil), collection: number,
      state: state
    ) { (index) throws(HearthError) in
      do {
        // A tree without a number has no entries.
        return try reader.catalog.number(of: index, transaction) ?? IndexNumber(0)
      } catch {
        throw HearthError.wrapping(error)
      }
    }
    return try delta.removedEntries.count {
      try reader.store.contains($0, in: reader.store.entries, transaction)
    }
  }

  private func number(
    of index: AutomaticIndexKey, _ document: DocumentPath,
    _ transaction: borrowing ReadTransaction
  ) throws(HearthError) -> IndexNumber {
    do {
      if let number = try reader.catalog.number(of: index, transaction) { return number }
    } catch {
      throw HearthError.wrapping(error)
    }
    throw HearthError.dataLoss(
      "INDEX_NUMBER_MISSING",
      "'\(document)' has a field without an index number; restore from a backup.")
  }

  /// The numbers of trees that are being filled: of their entries, some may be there.
  private func unfinishedTrees(_ state: CatalogState) -> Set<UInt64> {
    let numbers = { (index: IndexState) in
      Set(state.declared.filter { $0.state == index }.map(\.tree.number.value))
    }
    return numbers(.creating).subtracting(numbers(.ready))
  }

  /// Checks that the catalog's keys ascend and are found where they are looked up.
  private func checkCatalog(
    _ transaction: borrowing ReadTransaction, _ report: inout ConsistencyReport
  ) throws {
    let store = reader.store
    var previous: [UInt8] = []
    try transaction.withCursor(in: store.catalog) { cursor in
      var walk = KeyWalk(store: store, table: store.catalog, descending: false)
      var more = try walk.seek([0], &cursor)
      while more {
        try walk.verify(cursor)
        if !previous.isEmpty && !bytesLess(previous, walk.key) {
          report.find("the catalog's records are out of order")
        }
        if try !store.contains(walk.key, in: store.catalog, transaction) {
          report.find("a record of the catalog is not found where it is looked up")
        }
        previous = walk.key
        more = try walk.step(&cursor)
      }
    }
  }

  /// Documents under a collection number that the catalog does not know.
  ///
  /// Also checks that documents ascend and are found where they are looked up: damaged pages of
  /// LMDB's own can show a record to a walk and hide it from a lookup, or show it elsewhere.
  private func strayDocuments(
    _ known: [CollectionNumber: CollectionPath], _ total: Int,
    _ transaction: borrowing ReadTransaction, _ report: inout ConsistencyReport
  ) throws -> Int {
    let store = reader.store
    var strays = 0
    var visited = 0
    var previous: [UInt8] = []
    try transaction.withCursor(in: store.documents) { cursor in
      var walk = KeyWalk(store: store, table: store.documents, descending: false)
      var more = try walk.seek([0], &cursor)
      while more {
        let (collection, id) = try KeyLayout.documentID(of: walk.key)
        let path = known[collection]
        if path == nil {
          strays += 1
          report.find("a document belongs to a collection that the catalog does not know")
        }
        func name() -> String { path.map { "'\($0.document(id))'" } ?? "a document" }
        if !previous.isEmpty && !bytesLess(previous, walk.key) {
          report.find("\(name()) is out of order")
        }
        if try !store.contains(walk.key, in: store.documents, transaction) {
          report.find("\(name()) is not found where it is looked up")
        }
        previous = walk.key
        visited += 1
        if visited % 10_000 == 0 { try step(report.documents, total) }
        more = try walk.step(&cursor)
      }
    }
    return strays
  }

  /// Counts the entries and checks their checksums.
  ///
  /// Entries of dropped indexes, which are still being reclaimed, do not count.
  private func countEntries(
    _ state: CatalogState, _ transaction: borrowing ReadTransaction,
    _ report: inout ConsistencyReport
  ) throws -> Int {
    let store = reader.store
    var live = Set(
      try CatalogRecords.automaticIndexes(store, transaction).map(\.number.value))
    live.formUnion(state.declared.filter(\.isMaintained).map(\.tree.number.value))
    var count = 0
    var visited = 0
    var previous: [UInt8] = []
    try transaction.withCursor(in: store.entries) { cursor in
      var walk = KeyWalk(store: store, table: store.entries, descending: false)
      var more = try walk.seek([0], &cursor)
      while more {
        try walk.verify(cursor)
        if !previous.isEmpty && !bytesLess(previous, walk.key) {
          report.find("index entries are out of order")
        }
        previous = walk.key
        var offset = 0
        if live.contains(try OrderedNumber.read(from: walk.key, at: &offset)) { count += 1 }
        visited += 1
        if visited % 10_000 == 0 { try step(report.documents, nil) }
        more = try walk.step(&cursor)
      }
    }
    return count
  }
}
