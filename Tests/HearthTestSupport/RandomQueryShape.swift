package import HearthModel

/// The part of a query that decides which indexes it needs; many queries are made of one shape.
package struct QueryShape: Sendable {
  indirect enum Filter: Sendable {
    case leaf(FieldPath, FilterOperator, members: Int)
    case all([Filter])
    case any([Filter])
  }

  var scope: StructuredQuery.Scope
  var ancestor: DocumentPath?
  var filter: Filter?
  var orderBy: [OrderBy] = []
  /// How many values the cursors have; nil for none.
  var start: Int?
  var end: Int?
  /// Whether cursors stand at documents, which makes the effective order explicit.
  var cursorsAreSnapshots = false
  var hasLimit = false
  var limitIsToLast = false
  package var aggregations: [Aggregation]?
  /// Whether fields are chosen.
  var projects = false
}

extension RandomSchema {
  // MARK: Shapes

  /// A shape whose queries are valid, or nearly always.
  package mutating func shape() -> QueryShape {
    while true {
      let shape = anyShape()
      var isValid = true
      for _ in 0..<3 where !self.isValid(anyQuery(shape, []), shape) { isValid = false }
      if isValid { return shape }
    }
  }

  private func isValid(_ query: StructuredQuery, _ shape: QueryShape) -> Bool {
    QueryCase.invalid(QueryCase.Question(query, aggregations: shape.aggregations)) == nil
  }

  private mutating func anyShape() -> QueryShape {
    var shape = QueryShape(scope: .collection(oneIn(6) ? collections[1] : collections[0]))
    if oneIn(3) {
      shape.scope = .collectionGroup(UTF8String(RandomSchema.groupID))
      if oneIn(3) {
        shape.ancestor = collections[0].document(pick(["a", "__id7__"]))
      }
    }
    var filters = (0..<number(0...2)).map { _ in leaf() }
    if oneIn(4) { filters.append(alternatives()) }
    // Merges need several equalities.
    if oneIn(2) {
      for field in fields where oneIn(2) {
        filters.append(.leaf(field.path, field.isList ? .arrayContains : .equal, members: 0))
      }
    }
    if filters.count > 1, oneIn(8) {
      shape.filter = .any(filters)
    } else if !filters.isEmpty {
      shape.filter = filters.count == 1 && oneIn(2) ? filters[0] : .all(filters)
    }
    // Names alone, in their own order, are looked up.
    let isLookup = oneIn(10)
    if isLookup { shape.filter = .leaf(.documentName, oneIn(2) ? .in : .equal, members: 3) }
    if !isLookup || oneIn(3) { addOrder(to: &shape) }
    if oneIn(4) { shape.aggregations = aggregations() }
    shape.projects = shape.aggregations == nil && oneIn(6)
    return shape
  }

  private mutating func alternatives() -> QueryShape.Filter {
    .any(
      (0..<number(2...3)).map { _ in
        oneIn(3) ? .all([leaf(), leaf()]) : leaf()
      })
  }

  private mutating func leaf() -> QueryShape.Filter {
    if oneIn(9) {
      let op: FilterOperator = pick([
        .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .in,
        .notIn,
      ])
      return .leaf(.documentName, op, members: number(1...3))
    }
    let path = pick(paths)
    if path == FieldPath(["tags"]), !oneIn(3) {
      return .leaf(path, oneIn(3) ? .arrayContainsAny : .arrayContains, members: number(1...3))
    }
    let op = oneIn(2) ? .equal : pick(FilterOperator.allCases)
    return .leaf(path, op, members: oneIn(20) ? 9 : number(1...3))
  }

  private mutating func addOrder(to shape: inout QueryShape) {
    for path in paths where oneIn(5) {
      shape.orderBy.append(OrderBy(path, oneIn(2) ? .ascending : .descending))
    }
    shape.orderBy.shuffle(using: &generator)
    if oneIn(5) {
      shape.orderBy.append(OrderBy(.documentName, oneIn(2) ? .ascending : .descending))
    }
    shape.cursorsAreSnapshots = oneIn(5)
    if shape.cursorsAreSnapshots || !shape.orderBy.isEmpty {
      let most = max(1, shape.orderBy.count)
      if oneIn(3) { shape.start = number(1...most) }
      if oneIn(3) { shape.end = number(1...most) }
    }
    shape.hasLimit = oneIn(2)
    shape.limitIsToLast = shape.hasLimit && !shape.orderBy.isEmpty && oneIn(3)
  }

  private mutating func aggregations() -> [Aggregation] {
    (0..<number(1...4)).map { position in
      let path = pick(paths)
      let kind: Aggregation.Kind =
        switch number(0...4) {
        case 0: .count(upTo: nil)
        case 1: .count(upTo: number(0...5))
        case 2: .average(path)
        default: .sum(path)
        }
      return Aggregation(kind, alias: oneIn(2) ? "x\(position)" : nil)
    }
  }

  // MARK: Queries of a shape

  /// A valid query of a shape; its operands often fit one of the documents.
  package mutating func query(_ shape: QueryShape, _ documents: [Document]) -> StructuredQuery {
    // Whether filters repeat each other decides some rules, and hangs on their operands.
    while true {
      let query = anyQuery(shape, documents)
      if isValid(query, shape) { return query }
    }
  }

  private mutating func anyQuery(_ shape: QueryShape, _ documents: [Document]) -> StructuredQuery {
    var query = StructuredQuery(scope: shape.scope)
    query.ancestor = shape.ancestor
    let documents = documents.filter { ReferenceQuery.isAsked($0.path, by: query) }
    let witness = documents.isEmpty || oneIn(8) ? nil : pick(documents)
    query.filter = shape.filter.map { filter($0, shape.scope, witness) }
    query.orderBy = shape.orderBy
    if shape.hasLimit {
      query.limit = oneIn(15) ? 0 : number(1...5)
      query.limitIsToLast = shape.limitIsToLast
    }
    if oneIn(6) { query.offset = number(1...3) }
    if shape.projects {
      query.projection = (0..<number(0...3)).map { _ in
        oneIn(8) ? .documentName : (oneIn(8) ? FieldPath(["none"]) : pick(paths))
      }
    }
    let orders = query.orderBy
    query.start = shape.start.map { bound($0, orders, shape.scope, documents) }
    query.end = shape.end.map { bound($0, orders, shape.scope, documents) }
    if shape.cursorsAreSnapshots, shape.start != nil || shape.end != nil {
      placeAtSnapshots(&query, shape, documents)
    }
    return query
  }

  private mutating func placeAtSnapshots(
    _ query: inout StructuredQuery, _ shape: QueryShape, _ documents: [Document]
  ) {
    query.start = nil
    query.end = nil
    let order = ReferenceQuery.effectiveOrder(query)
    // Explicit even where no document fits, since all queries of a shape need the same index.
    query.orderBy = order
    func cursor(_ schema: inout RandomSchema) -> Bound? {
      let fitting = documents.map { ReferenceDocument($0) }.compactMap { document -> [Value]? in
        let values = order.compactMap { order in
          order.path.isName ? .reference(document.document.path) : document.value(order.path)
        }
        return values.count == order.count ? values : nil
      }
      guard !fitting.isEmpty else { return nil }
      return Bound(values: schema.pick(fitting), inclusive: schema.oneIn(2))
    }
    if shape.start != nil { query.start = cursor(&self) }
    if shape.end != nil { query.end = cursor(&self) }
  }

  private mutating func filter(
    _ shape: QueryShape.Filter, _ scope: StructuredQuery.Scope, _ witness: Document?
  ) -> QueryFilter {
    switch shape {
    case .all(let filters): return .and(filters.map { filter($0, scope, witness) })
    case .any(let filters): return .or(filters.map { filter($0, scope, witness) })
    case .leaf(let path, let op, let members):
      if op.takesMembers {
        let values = (0..<members).map { _ in operand(path, op, scope, witness) }
        return .field(FieldFilter(path, op, .array(values)))
      }
      switch op {
      case .isNull, .isNaN, .isNotNull, .isNotNaN: return .field(FieldFilter(path, op, .null))
      default: return .field(FieldFilter(path, op, operand(path, op, scope, witness)))
      }
    }
  }

  /// An operand for a field: what the witness has, what a document could have, or near it.
  mutating func operand(
    _ path: FieldPath, _ op: FilterOperator, _ scope: StructuredQuery.Scope, _ witness: Document?
  ) -> Value {
    if path.isName { return name(scope, witness) }
    let isContained = op == .arrayContains || op == .arrayContainsAny
    var value = isContained ? element(path) : self.value(path)
    if let witness, !oneIn(5), let stored = ReferenceDocument(witness).value(path) {
      value = stored
      if isContained, case .array(let elements) = stored, !elements.isEmpty {
        value = pick(elements)
      }
    }
    switch value {
    case .integer(let number) where oneIn(4): return .double(Double(number))
    case .double(let number) where oneIn(4):
      return Int64(exactly: number).map { .integer($0) } ?? value
    default: return oneIn(15) ? element(pick(paths)) : value
    }
  }

  /// A name as an operand, inside or outside of what is asked.
  mutating func name(_ scope: StructuredQuery.Scope, _ witness: Document?) -> Value {
    let path = witness.flatMap { oneIn(3) ? nil : $0.path } ?? name(in: pick(collections))
    guard oneIn(3) else { return .reference(path) }
    switch scope {
    case .collection: return .string(path.id)
    case .collectionGroup: return .string(path.segments.joined(separator: "/"))
    }
  }

  mutating func bound(
    _ count: Int, _ orders: [OrderBy], _ scope: StructuredQuery.Scope, _ documents: [Document]
  ) -> Bound {
    let witness = documents.isEmpty ? nil : pick(documents)
    let values = orders.prefix(count).map { operand($0.path, .equal, scope, witness) }
    return Bound(values: values, inclusive: oneIn(2))
  }
}
