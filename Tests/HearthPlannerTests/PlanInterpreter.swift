import HearthModel
import HearthPlanner

/// Executes plans over documents in memory by the words of the plan types, without an index.
struct PlanInterpreter {
  let documents: [Document]

  /// The names of the result, in order.
  func run(_ plan: QueryPlan) -> [DocumentPath] {
    var found = Set<DocumentPath>()
    for disjunction in plan.disjunctions {
      for document in documents where matches(document, disjunction, plan) {
        found.insert(document.path)
      }
    }
    let matching = documents.filter { found.contains($0.path) }
    return ResultWindow(query: plan.query).apply(to: matching)
  }

  private func matches(
    _ document: Document, _ disjunction: DisjunctionPlan, _ plan: QueryPlan
  ) -> Bool {
    switch disjunction {
    case .nothing: false
    case .lookup(let paths): paths.contains(document.path)
    case .scan(let scan): matches(document, scan, plan.query.query.scope)
    case .merge(let scans):
      scans.allSatisfy { matches(document, $0, plan.query.query.scope) }
    }
  }

  private func matches(
    _ document: Document, _ scan: IndexScan, _ scope: StructuredQuery.Scope
  ) -> Bool {
    guard document.isIn(scope) else { return false }
    for (field, operand) in zip(scan.index.fields, scan.prefix) {
      guard let value = document.value(at: field.path) else { return false }
      if field.mode == .contains {
        guard case .array(let elements) = value,
          elements.contains(where: { Value.compareIndexForms($0, operand) == 0 })
        else { return false }
      } else if Value.compareIndexForms(value, operand) != 0 {
        return false
      }
    }
    var values: [Value] = []
    for order in scan.suffix {
      guard let value = document.value(at: order.path) else { return false }
      values.append(value)
    }
    if !scan.intervals.isEmpty, !scan.intervals.contains(where: { $0.contains(values[0]) }) {
      return false
    }
    return scan.residuals.allSatisfy { $0.admits(values[$0.position]) }
      && scan.names?.contains(document.path) != false
      && keeps(values, scan.start, scan.suffix, sign: 1)
      && keeps(values, scan.end, scan.suffix, sign: -1)
  }

  private func keeps(
    _ values: [Value], _ bound: SuffixBound?, _ suffix: [OrderBy], sign: Int
  ) -> Bool {
    guard let bound else { return true }
    for (position, limit) in zip(bound.positions, bound.values) {
      // A document's own name is never reduced to an index form (2.4).
      let order =
        suffix[position].path.isDocumentName
        ? Value.compare(values[position], limit)
        : Value.compareIndexForms(values[position], limit)
      if order != 0 {
        return (suffix[position].direction == .ascending ? order : -order) * sign > 0
      }
    }
    return bound.inclusive
  }
}

/// The model's own meaning of queries, asked of every document.
struct BruteForce {
  let documents: [Document]

  func run(_ query: NormalizedQuery) -> [DocumentPath] {
    let matcher = QueryMatcher(query)
    return ResultWindow(query: query).apply(
      to: documents.filter { matcher.matches($0.path, $0.fields) })
  }
}

/// Order, offset, limit and reversal, which plans leave to the executor.
struct ResultWindow {
  let query: NormalizedQuery

  func apply(to documents: [Document]) -> [DocumentPath] {
    let matcher = QueryMatcher(query)
    let keys = documents.compactMap { matcher.sortKey($0.path, $0.fields) }
    let sorted = keys.sorted { matcher.compare($0, $1) < 0 }
    let window = sorted.dropFirst(query.offset).prefix(query.limit ?? .max).map(\.path)
    return query.reversesResult ? window.reversed() : window
  }
}

extension Document {
  /// The value of a field; that of `__name__` is a reference to the document.
  func value(at path: FieldPath) -> Value? {
    path.isDocumentName ? .reference(self.path) : fields.value(at: path)
  }

  func isIn(_ scope: StructuredQuery.Scope) -> Bool {
    switch scope {
    case .collection(let collection): path.collection == collection
    case .collectionGroup(let id): UTF8Order.equal(path.collection.collectionID, id.string)
    }
  }
}
