import HearthModel
import HearthPlanner
import HearthStorage

/// Reading at a version that may be behind the snapshot's: what has changed since is put back
/// (transactions-and-listeners, 7.9).
///
/// The price is that of the changes since, in the collection that is asked.
struct HistoricalReader {
  let reader: RecordReader
  let planner: QueryPlanner
  let history: History
  let version: CommitVersion
  /// The version of the snapshot that is read.
  let head: CommitVersion

  /// A document, nil if it did not exist.
  func document(
    _ path: DocumentPath, _ transaction: borrowing ReadTransaction
  ) throws -> StoredDocument? {
    if let state = history.state(of: path, at: version, seenFrom: head) {
      return state.map(StoredDocument.init)
    }
    return try reader.document(path, transaction)
  }

  /// The documents of a query in its order.
  func run(
    _ planning: QueryPlanning, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) throws -> [StoredDocument] {
    let changed = changed(for: planning.query)
    if changed.isEmpty {
      return try Executor(reader: reader, planning: planning).run(transaction, &trace)
    }
    // However many of the first have to go, as many are left as are wanted.
    let query = planning.query
    var wide = query.query
    wide.offset = 0
    wide.projection = nil
    wide.limit = query.reach(query.limit).map {
      $0.addingReportingOverflow(changed.count).overflow ? .max : $0 + changed.count
    }
    let widened = try planner.plan(wide)
    var found = try Executor(reader: reader, planning: widened).run(transaction, &trace)
    if widened.query.reversesResult { found.reverse() }
    found.removeAll { changed[$0.path] != nil }
    found = try putBack(changed, into: found, QueryMatcher(widened.query))
    var result = Array(found.dropFirst(query.offset).prefix(query.limit ?? found.count))
    if query.reversesResult { result.reverse() }
    trace.statistics.resultsReturned = result.count
    return result
  }

  private func putBack(
    _ changed: [DocumentPath: Document?], into found: [StoredDocument], _ matcher: QueryMatcher
  ) throws -> [StoredDocument] {
    let old = changed.values.compactMap { $0 }.filter { matcher.matches($0.path, $0.fields) }
    if old.isEmpty { return found }
    let rows = try (found + old.map(StoredDocument.init)).compactMap { document in
      try matcher.sortKey(document.path, document.fields()).map { (key: $0, document: document) }
    }
    return rows.sorted { matcher.compare($0.key, $1.key) < 0 }.map(\.document)
  }

  /// Counts, sums and averages over the documents of a query.
  func aggregate(
    _ planning: QueryPlanning, _ list: AggregationList,
    _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) throws -> [Value] {
    let changed = changed(for: planning.query)
    let executor = Executor(reader: reader, planning: planning)
    if changed.isEmpty { return try executor.aggregate(list, transaction, &trace) }
    // Entries cannot be put back, so the documents are looked at.
    let scan = FullScan(
      executor: executor, query: planning.query, aggregated: list.paths, replaced: changed)
    trace.statistics.isAggregation = true
    trace.statistics.resultsReturned = 1
    var aggregator = Aggregator(list)
    for document in try scan.documents(transaction, &trace) {
      aggregator.add(try list.paths.map { try document.value(at: $0) ?? .null })
    }
    return aggregator.results
  }

  private func changed(for query: NormalizedQuery) -> [DocumentPath: Document?] {
    let matcher = QueryMatcher(query)
    return history.states(at: version, seenFrom: head) { matcher.inScope($0) }
  }
}
