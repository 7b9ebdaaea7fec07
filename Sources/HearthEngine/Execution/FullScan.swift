import HearthModel
import HearthPlanner
import HearthStorage

/// A query answered by reading every document that it could concern: what the policies `advise`
/// and `scan` do where an index is missing.
struct FullScan {
  let executor: Executor
  let query: NormalizedQuery
  /// The fields of sums and averages: a document without one of them takes no part.
  var aggregated: [FieldPath] = []
  /// Documents of another version than the snapshot's, in place of those that are stored; nil for
  /// one that is not there.
  var replaced: [DocumentPath: Document?] = [:]

  /// The documents in the order of execution.
  func documents(
    _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) throws -> [StoredDocument] {
    if query.limit == 0 { return [] }
    let matcher = QueryMatcher(query)
    let inserted = query.extendedOrder(aggregating: aggregated)
      .filter { order in !query.effectiveOrder.contains { $0.path == order.path } }
    var rows: [(key: SortKey, inserted: [Value], document: StoredDocument)] = []
    func consider(_ document: StoredDocument) throws {
      let fields = try document.fields()
      guard matcher.matches(document.path, fields), let key = matcher.sortKey(document.path, fields)
      else { return }
      if aggregated.contains(where: { fields.value(at: $0) == nil }) { return }
      rows.append((key, inserted.compactMap { fields.value(at: $0.path) }, document))
    }
    try executor.forEachMatch(
      try plan(), nil, readsFurther: false, transaction, &trace
    ) { stream, _, _, cursor, trace in
      guard let document = try stream.document(cursor) else { return }
      trace.count(document)
      if replaced[document.path] == nil { try consider(document) }
    }
    for document in replaced.values.compactMap({ $0 }) { try consider(StoredDocument(document)) }
    rows.sort { a, b in
      let order = matcher.compareValues(a.key, b.key)
      if order != 0 { return order < 0 }
      for (position, field) in inserted.enumerated() {
        let order = Value.compareIndexForms(a.inserted[position], b.inserted[position])
        if order != 0 { return field.direction.apply(order) < 0 }
      }
      return matcher.compare(a.key, b.key) < 0
    }
    return rows.dropFirst(query.offset).prefix(query.limit ?? rows.count).map(\.document)
  }

  /// Every document of the scope, by name.
  private func plan() throws(HearthError) -> QueryPlan {
    var all = StructuredQuery(scope: query.query.scope)
    all.ancestor = query.query.ancestor
    let index = IndexDefinition.nameIndex(
      collectionID: all.collectionID, scope: all.indexScope)
    let scan = IndexScan(index: index, prefix: [], suffix: [OrderBy(.documentName)])
    return QueryPlan(query: try NormalizedQuery(all), disjunctions: [.scan(scan)])
  }
}
