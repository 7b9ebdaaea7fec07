import HearthModel

/// One disjunction seen as 6.4 sees it: fields fixed by equality, the array element, and the
/// order of what is left.
struct Disjunction {
  /// A field that leads an index: fixed by equality, or asked by `array-contains`.
  struct Part: Hashable {
    let path: FieldPath
    let isContains: Bool
  }

  /// EQ and CN with their operands.
  private(set) var parts: [Part: Value] = [:]
  /// OD: the effective order without the fields in EQ, ending in `__name__`.
  private(set) var order: [OrderBy] = []
  /// What the inequalities leave of each field, as disjoint ascending intervals.
  private(set) var admitted: [FieldPath: [ValueInterval]] = [:]
  /// What the filters on `__name__` leave.
  private(set) var names: NameRestriction
  /// Whether no document can match.
  ///
  /// Such a disjunction still needs its index (5.9).
  private(set) var isContradictory = false

  init(
    _ conjunction: Conjunction, of query: NormalizedQuery, aggregated: [FieldPath]
  ) throws(HearthError) {
    names = NameRestriction(scope: query.query.scope)
    for filter in conjunction.filters { try add(filter) }
    order = query.effectiveOrder.filter { equality(of: $0.path) == nil }
    try insert(aggregated, query)
    checkContradictions()
  }

  /// The fields in EQ, in field-path order.
  var equalityPaths: [FieldPath] { paths(contains: false) }

  /// The field in CN, as a list.
  var containsPaths: [FieldPath] { paths(contains: true) }

  /// The value that an equality fixes a field to.
  func equality(of path: FieldPath) -> Value? { parts[Part(path: path, isContains: false)] }

  private func paths(contains: Bool) -> [FieldPath] {
    parts.keys.filter { $0.isContains == contains }.map(\.path).sorted()
  }

  private mutating func add(_ filter: FieldFilter) throws(HearthError) {
    if filter.path.isDocumentName { return try names.add(filter) }
    switch filter.op {
    case .isNull: fix(filter.path, to: .null)
    case .isNaN: fix(filter.path, to: .double(.nan))
    case .equal:
      // Only IS_NULL and IS_NAN find null and NaN; a raw comparison with them finds nothing (5.3).
      if filter.value.isNull || filter.value.isNaN { isContradictory = true }
      fix(filter.path, to: filter.value)
    case .arrayContains:
      let rank = filter.value.rank
      // An array never holds an array, and null and NaN are not found in one (5.3).
      if rank == .null || rank == .array || filter.value.isNaN { isContradictory = true }
      let part = Part(path: filter.path, isContains: true)
      if let other = parts[part], Value.compareIndexForms(other, filter.value) != 0 {
        throw Planner.notNormalized(filter.text)
      }
      parts[part] = filter.value
    case .in, .arrayContainsAny: throw Planner.notNormalized(filter.text)
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn,
      .isNotNull, .isNotNaN:
      let intervals = ValueInterval.admitted(by: filter) ?? []
      admitted[filter.path] =
        admitted[filter.path].map { ValueInterval.intersection($0, intervals) } ?? intervals
    }
  }

  private mutating func fix(_ path: FieldPath, to value: Value) {
    let part = Part(path: path, isContains: false)
    if let other = parts[part], Value.compareIndexForms(other, value) != 0 {
      isContradictory = true
    }
    parts[part] = value
  }

  /// Aggregated fields stand before `__name__`, with its direction, so that the index alone
  /// answers (6.4, aggregations).
  ///
  /// Where the query itself orders by the name or filters it, they would have to stand after it.
  private mutating func insert(
    _ aggregated: [FieldPath], _ query: NormalizedQuery
  ) throws(HearthError) {
    for path in aggregated where query.fixesName {
      if query.effectiveOrder.contains(where: { $0.path == path }) { continue }
      throw .invalid(
        "AGGREGATION_AFTER_NAME",
        "Summing or averaging '\(path)' would need an index with that field after the document's "
          + "name, and there is none such. Order the query by '\(path)' first.")
    }
    guard let name = order.popLast() else { return }
    for path in aggregated.sorted() where equality(of: path) == nil && !path.isDocumentName {
      if order.contains(where: { $0.path == path }) { continue }
      order.append(OrderBy(path, name.direction))
    }
    order.append(name)
  }

  private mutating func checkContradictions() {
    if names.isEmpty { isContradictory = true }
    for (path, intervals) in admitted {
      if intervals.isEmpty { isContradictory = true }
      if let value = equality(of: path), !intervals.contains(where: { $0.contains(value) }) {
        isContradictory = true
      }
    }
  }
}

extension NormalizedQuery {
  /// Whether the place of `__name__` in the order is the query's own choice.
  fileprivate var fixesName: Bool {
    query.orderBy.contains { $0.path.isDocumentName } || query.ancestor != nil
      || disjunctions.contains { $0.filters.contains { $0.path.isDocumentName } }
  }
}
