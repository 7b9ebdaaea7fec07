import HearthEncoding
import HearthModel
import HearthPlanner
import HearthStorage

/// Runs plans at one point in time.
struct Executor: Sendable {
  let reader: RecordReader

  /// What one run touches; a transaction keeps the footprint.
  struct Trace {
    var statistics = ExecutionStatistics()
    /// Filled only where somebody wants it, since keys have to be copied for it.
    var footprint: Footprint?
  }

  /// The documents of a query in its order.
  func run<T: TableReader & ~Copyable>(
    _ plan: QueryPlan, _ transaction: borrowing T, _ trace: inout Trace
  ) throws -> [StoredDocument] {
    guard case .collection(let collection) = plan.query.query.scope else {
      throw HearthError(
        .unimplemented, "COLLECTION_GROUP_NOT_YET",
        "Collection group queries are not offered yet; query one collection.")
    }
    let query = plan.query
    // Nothing was ever written to the collection. A transaction must still notice when somebody
    // does, so it watches the record that would give the collection a number.
    guard let number = try reader.catalog.number(of: collection, transaction) else {
      trace.footprint?.ranges.append(absence(CatalogKeys.collection(collection)))
      return []
    }
    let wanted = query.limit.map { $0 + query.offset }
    var found: [StoredDocument] = []
    if plan.disjunctions.count == 1 {
      found = try fetch(
        plan.disjunctions[0], wanted, number, collection, transaction, &trace)
    } else {
      found = try union(plan, wanted, number, collection, transaction, &trace)
    }
    found = Array(found.dropFirst(query.offset))
    if query.reversesResult { found.reverse() }
    trace.statistics.resultsReturned = found.count
    return found
  }

  /// Each disjunction's first documents, merged in effective order, each document once.
  private func union<T: TableReader & ~Copyable>(
    _ plan: QueryPlan, _ wanted: Int?, _ number: CollectionNumber, _ collection: CollectionPath,
    _ transaction: borrowing T, _ trace: inout Trace
  ) throws -> [StoredDocument] {
    let matcher = QueryMatcher(plan.query)
    var keyed: [(key: SortKey, document: StoredDocument)] = []
    var seen: Set<DocumentPath> = []
    for disjunction in plan.disjunctions {
      let documents = try fetch(disjunction, wanted, number, collection, transaction, &trace)
      for document in documents where seen.insert(document.path).inserted {
        if let key = matcher.sortKey(document.path, try document.fields()) {
          keyed.append((key, document))
        }
      }
    }
    keyed.sort { matcher.compare($0.key, $1.key) < 0 }
    return keyed.prefix(wanted ?? keyed.count).map(\.document)
  }

  /// The first `wanted` documents of one disjunction.
  private func fetch<T: TableReader & ~Copyable>(
    _ plan: DisjunctionPlan, _ wanted: Int?, _ number: CollectionNumber,
    _ collection: CollectionPath, _ transaction: borrowing T, _ trace: inout Trace
  ) throws -> [StoredDocument] {
    var documents: [StoredDocument] = []
    switch plan {
    case .nothing: break
    case .lookup(let paths):
      for path in paths where path.collection == collection {
        if let wanted, documents.count == wanted { break }
        trace.statistics.indexEntriesScanned += 1
        let document = try reader.document(path, transaction)
        trace.footprint?.points[path] = .some(document?.updateVersion)
        guard let document else { continue }
        count(document, &trace)
        documents.append(document)
      }
    case .scan(let scan) where scan.index.fields.count == 1:
      try scanNames(scan, wanted, number, collection, transaction, &trace, into: &documents)
    case .scan(let scan):
      guard let scanner = try compile([scan], number, collection, transaction, &trace) else {
        return []
      }
      let names = try scanner.scan(wanted, transaction, &trace)
      documents = try fetch(names, number, collection, transaction, &trace)
    case .merge(let scans):
      guard let scanner = try compile(scans, number, collection, transaction, &trace) else {
        return []
      }
      let names = try scanner.merge(wanted, transaction, &trace)
      documents = try fetch(names, number, collection, transaction, &trace)
    }
    return documents
  }

  /// Documents in name order, straight from their own table.
  private func scanNames<T: TableReader & ~Copyable>(
    _ scan: IndexScan, _ wanted: Int?, _ number: CollectionNumber,
    _ collection: CollectionPath, _ transaction: borrowing T, _ trace: inout Trace,
    into documents: inout [StoredDocument]
  ) throws {
    let compiled = CompiledScan(
      scan, keyPrefix: KeyLayout.documentsPrefix(number), collection: collection)
    let scanner = IndexScanner(
      scans: [compiled], store: reader.store, table: reader.store.documents, place: .documents)
    try scanner.walk(wanted, transaction, &trace) { walk, cursor, name in
      let record = try EncodedDocument(record: walk.payload(cursor))
      let path = DocumentPath(
        collection: collection, id: try NameKey.decodeID(in: Array(name), from: 0))
      let document = StoredDocument(path: path, record: record)
      documents.append(document)
    }
    for document in documents {
      count(document, &trace)
      trace.footprint?.points[document.path] = .some(document.updateVersion)
    }
  }

  private func fetch<T: TableReader & ~Copyable>(
    _ names: [[UInt8]], _ number: CollectionNumber, _ collection: CollectionPath,
    _ transaction: borrowing T, _ trace: inout Trace
  ) throws -> [StoredDocument] {
    let prefix = KeyLayout.documentsPrefix(number)
    var documents: [StoredDocument] = []
    documents.reserveCapacity(names.count)
    for name in names {
      guard
        let record = try reader.store.get(prefix + name, in: reader.store.documents, transaction)
      else {
        throw HearthError.dataLoss(
          "INDEX_ENTRY_WITHOUT_DOCUMENT",
          "An index entry of '\(collection)' names a document that is not there; "
            + "drop the index and create it again, or restore a backup.")
      }
      let path = DocumentPath(collection: collection, id: try NameKey.decodeID(in: name, from: 0))
      let document = try StoredDocument(path: path, record: EncodedDocument(record: record))
      count(document, &trace)
      trace.footprint?.points[path] = .some(document.updateVersion)
      documents.append(document)
    }
    return documents
  }

  private func count(_ document: StoredDocument, _ trace: inout Trace) {
    trace.statistics.documentsScanned += 1
    trace.statistics.bytesRead += document.byteCount
  }

  /// The scanner of one scan or of the members of a merge; nil if a tree was never written to,
  /// so that nothing can match.
  private func compile<T: TableReader & ~Copyable>(
    _ scans: [IndexScan], _ number: CollectionNumber, _ collection: CollectionPath,
    _ transaction: borrowing T, _ trace: inout Trace
  ) throws -> IndexScanner? {
    var compiled: [CompiledScan] = []
    for scan in scans {
      guard let tree = try tree(of: scan.index, transaction, &trace) else { return nil }
      compiled.append(
        CompiledScan(
          scan, keyPrefix: KeyLayout.entriesPrefix(tree, number), collection: collection))
    }
    return IndexScanner(
      scans: compiled, store: reader.store, table: reader.store.entries, place: .entries)
  }

  /// The number of the tree that serves an index.
  private func tree<T: TableReader & ~Copyable>(
    of index: IndexDefinition, _ transaction: borrowing T, _ trace: inout Trace
  ) throws -> IndexNumber? {
    guard index.isSingleField, let field = index.fields.first else {
      guard let number = reader.catalog.state.tree(of: index)?.number else {
        throw HearthError.indexDropped(index)
      }
      trace.footprint?.trees.insert(number)
      return number
    }
    let key = AutomaticIndexKey(
      collectionID: index.collectionID, path: field.path, contains: field.mode == .contains,
      scope: index.scope)
    if let number = try reader.catalog.number(of: key, transaction) { return number }
    trace.footprint?.ranges.append(absence(CatalogKeys.automatic(key)))
    return nil
  }

  /// A range that holds one absent catalog record: whoever gives out the number changes it.
  private func absence(_ key: [UInt8]) -> RangeRead {
    RangeRead(place: .catalog, lower: key, upper: key + [0], count: 0, fingerprint: 0)
  }
}
