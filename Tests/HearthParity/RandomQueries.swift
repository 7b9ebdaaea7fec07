import HearthModel
import HearthTestSupport

/// Random queries: every operator, cursor and order, most of them valid.
extension RandomWorld {
  mutating func query() -> StructuredQuery {
    while true {
      var query = candidate()
      if oneIn(12) { spoil(&query) }
      // Rules that forbid combinations would else make every third query invalid.
      if oneIn(6) || (try? NormalizedQuery(query)) != nil { return query }
    }
  }

  private mutating func candidate() -> StructuredQuery {
    var query = StructuredQuery(pick(collections))
    if oneIn(3) {
      query = StructuredQuery(scope: .collectionGroup(UTF8String(RandomWorld.groupID)))
      if oneIn(5) { query.ancestor = pick(collections).parent }
    } else if oneIn(2) {
      query = StructuredQuery(collections[0])
    }
    // Below a document the emulator takes little more than names.
    let isPlain = query.ancestor != nil && !oneIn(4)
    query.filter = isPlain ? (oneIn(2) ? nil : .field(nameTest())) : filter()
    for _ in 0..<(isPlain ? 0 : pick([0, 0, 0, 1, 1, 2, 3])) {
      query.orderBy.append(OrderBy(field(), pick([.ascending, .descending])))
    }
    if oneIn(5) { query.orderBy.append(OrderBy(.documentName, pick([.ascending, .descending]))) }
    query.start = bound(query)
    query.end = bound(query)
    if oneIn(3) {
      query.limit = below(5)
      query.limitIsToLast = query.limit != 0 && !query.orderBy.isEmpty && oneIn(3)
    }
    if oneIn(6) { query.offset = 1 + below(3) }
    if oneIn(6) {
      query.projection = (0..<below(4)).map { _ in oneIn(6) ? .documentName : field() }
    }
    return query
  }

  private mutating func filter() -> QueryFilter? {
    switch below(12) {
    case 0, 1: return nil
    case 2, 3, 4, 5: return tree(depth: 0)
    case 6, 7, 8: return .and((0..<(2 + below(2))).map { _ in tree(depth: 0) })
    case 9: return .or((0..<(2 + below(2))).map { _ in tree(depth: 0) })
    case 10:
      // A merge: several equalities.
      return .and(
        names.filter { _ in oneIn(2) }.map { name in
          .field(FieldFilter(FieldPath([name]), .equal, value(at: FieldPath([name]))))
        })
    default: return tree(depth: 3)
    }
  }

  private mutating func tree(depth: Int) -> QueryFilter {
    if depth == 0 || oneIn(3) { return .field(test()) }
    let children = (0..<(1 + below(3))).map { _ in tree(depth: depth - 1) }
    return oneIn(2) ? .and(children) : .or(children)
  }

  private mutating func test() -> FieldFilter {
    if oneIn(8) { return nameTest() }
    let path = field()
    let op: FilterOperator = oneIn(3) ? .equal : pick(FilterOperator.allCases)
    switch op {
    case .in, .notIn, .arrayContainsAny:
      return FieldFilter(path, op, .array((0..<(1 + below(3))).map { _ in operand(path, op) }))
    case .isNull, .isNaN, .isNotNull, .isNotNaN: return FieldFilter(path, op, .null)
    default: return FieldFilter(path, op, operand(path, op))
    }
  }

  /// What the witness has, or one of its elements where those are asked for.
  private mutating func operand(_ path: FieldPath, _ op: FilterOperator) -> Value {
    let value = value(at: path)
    guard op == .arrayContains || op == .arrayContainsAny else { return value }
    guard case .array(let elements) = value, !elements.isEmpty else { return value }
    return pick(elements)
  }

  private mutating func nameTest() -> FieldFilter {
    let op: FilterOperator = pick([
      .equal, .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
      .in, .notIn,
    ])
    guard op == .in || op == .notIn else { return FieldFilter(.documentName, op, reference()) }
    let members = (0..<(1 + below(3))).map { _ in reference() }
    return FieldFilter(.documentName, op, .array(members))
  }

  private mutating func reference() -> Value {
    .reference(oneIn(6) ? random.documentPath() : path())
  }

  private mutating func bound(_ query: StructuredQuery) -> Bound? {
    guard !query.orderBy.isEmpty, oneIn(3) else { return nil }
    let count = 1 + below(query.orderBy.count)
    let values = query.orderBy.prefix(count).map { order in
      order.path.isDocumentName ? reference() : value(at: order.path)
    }
    return Bound(values: values, inclusive: oneIn(2))
  }

  mutating func aggregations() -> [Aggregation] {
    var aggregations: [Aggregation] = []
    let count = oneIn(25) ? pick([0, 6]) : 1 + below(3)
    while aggregations.count < count {
      switch below(4) {
      case 0: aggregations.append(Aggregation(.count(upTo: nil)))
      case 1: aggregations.append(Aggregation(.count(upTo: below(5))))
      case 2: aggregations.append(Aggregation(.sum(field())))
      default: aggregations.append(Aggregation(.average(field())))
      }
      if oneIn(3) {
        let last = aggregations.count - 1
        let alias = oneIn(8) ? pick(["__a__", "same", "same"]) : "alias\(last)"
        aggregations[last].alias = UTF8String(alias)
      }
    }
    if oneIn(25), !aggregations.isEmpty { aggregations[0].kind = .sum(.documentName) }
    return aggregations
  }
}

/// Queries that break a rule, or lie just within it.
extension RandomWorld {
  private mutating func spoil(_ query: inout StructuredQuery) {
    let path = field()
    func with(_ filters: FieldFilter...) {
      let old = query.filter.map { [$0] } ?? []
      query.filter = .and(old + filters.map { .field($0) })
    }
    func numbers(_ count: Int) -> Value { .array((0..<count).map { .integer(Int64($0)) }) }
    switch below(14) {
    case 0: with(FieldFilter(path, pick([.in, .arrayContainsAny]), numbers(pick([30, 31]))))
    case 1: with(FieldFilter(path, .notIn, numbers(pick([10, 11]))))
    case 2: with(FieldFilter(path, pick([.in, .notIn, .arrayContainsAny]), numbers(0)))
    case 3: with(FieldFilter(path, .notEqual, 1), FieldFilter(field(), .notEqual, 2))
    case 4:
      with(
        FieldFilter(path, .arrayContains, 1), FieldFilter(field(), .arrayContainsAny, numbers(2)))
    case 5: query.orderBy.insert(OrderBy(.documentName), at: 0)
    case 6: query.orderBy += [OrderBy(path), OrderBy(path, .descending)]
    case 7:
      let count = query.orderBy.count + pick([0, 1, 2]) - (query.orderBy.isEmpty ? 0 : 1)
      // A string in the name's place would be an id to Hearth, whose callers may write it so.
      query.start = Bound(values: (0..<count).map { _ in pick([1, .null]) }, inclusive: true)
    case 8: with(FieldFilter(.documentName, pick(FilterOperator.allCases), pick([1, .null])))
    case 9: with(FieldFilter(FieldPath(pick([["__x__"], ["a", "__name__"]])), .equal, 1))
    case 10:
      with(
        FieldFilter(path, .in, numbers(pick([5, 6]))), FieldFilter(field(), .in, numbers(6)))
    case 11: if oneIn(2) { query.limit = -1 } else { query.offset = -1 }
    case 12:
      query.filter = .or(
        (0..<pick([29, 30, 31])).map { .field(FieldFilter(path, .equal, .integer($0))) })
    default: query.filter = oneIn(2) ? .or([]) : .and([])
    }
  }
}
