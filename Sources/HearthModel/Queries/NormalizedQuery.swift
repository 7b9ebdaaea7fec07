/// A query that passed every check of documents-and-queries 5.9, in the form that planning and
/// matching work with (5.1).
package struct NormalizedQuery: Sendable, Hashable {
  /// The query as given.
  package let query: StructuredQuery
  /// The disjunctive normal form: at least one; one without filters if nothing is filtered.
  package let disjunctions: [Conjunction]
  /// The effective order (5.5), already reversed for `limitToLast`; its last field is `__name__`.
  package let effectiveOrder: [OrderBy]
  /// Where results begin in `effectiveOrder`; names are references.
  package let start: Bound?
  /// Where results end in `effectiveOrder`; names are references.
  package let end: Bound?
  package let limit: Int?
  package let offset: Int
  /// Whether the executor turns the result round at the end (`limitToLast`).
  package let reversesResult: Bool

  /// Normalises and checks; the first failure in the order of 5.9 is thrown.
  package init(_ query: StructuredQuery) throws(HearthError) {
    let validation = QueryValidation(query)
    try validation.checkShape()
    try validation.checkOperandsAndComposites()
    let flat = query.filter?.flattened()
    try validation.checkNegations(flat)
    let names = NameOperands(scope: query.scope)
    var filter: QueryFilter?
    if let flat {
      try names.checkOperators(flat)
      filter = try names.resolve(flat)
    }
    let order = try EffectiveOrder.make(explicit: query.orderBy, filter: filter)
    let start = try validation.bound(query.start, names: names)
    let end = try validation.bound(query.end, names: names)
    try validation.checkLimits()
    try validation.checkListLengths(filter)
    try validation.checkDisjunctionCount(filter)
    let disjunctions = filter?.disjunctions() ?? [Conjunction(filters: [])]
    try validation.checkDisjunctions(disjunctions, filter: filter)

    self.query = query
    self.disjunctions = disjunctions
    limit = query.limit
    offset = query.offset
    reversesResult = query.limit != nil && query.limitIsToLast
    if reversesResult {
      // 5.7: every direction reversed, cursors swapped, inclusiveness kept.
      effectiveOrder = order.map { OrderBy($0.path, $0.direction.reversed) }
      self.start = end
      self.end = start
    } else {
      effectiveOrder = order
      self.start = start
      self.end = end
    }
  }

  /// How far into the order a run has to go for a number of documents: the offset comes first.
  ///
  /// Nil goes to the end, and no sum is too large.
  package func reach(_ count: Int?) -> Int? {
    guard let count else { return nil }
    let (sum, overflow) = count.addingReportingOverflow(offset)
    return overflow ? .max : sum
  }

  /// The effective order of an aggregation: fields that are summed or averaged stand before the
  /// name, with its direction, so that an index alone can answer (6.4, aggregations).
  package func extendedOrder(aggregating paths: [FieldPath]) -> [OrderBy] {
    var order = effectiveOrder
    guard let name = order.popLast() else { return effectiveOrder }
    for path in Set(paths).sorted() where !order.contains(where: { $0.path == path }) {
      order.append(OrderBy(path, name.direction))
    }
    return order + [name]
  }

  /// The fields with an inequality anywhere in the filter, in path order, `__name__` included.
  package var inequalityFields: [FieldPath] {
    var fields: Set<FieldPath> = []
    for disjunction in disjunctions {
      for filter in disjunction.filters where filter.op.isInequality { fields.insert(filter.path) }
    }
    return fields.sorted()
  }
}
