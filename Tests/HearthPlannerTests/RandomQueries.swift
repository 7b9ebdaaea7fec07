import HearthModel
import HearthTestSupport

/// Small random documents and queries whose parts meet often.
struct RandomQueries {
  var generator: SeededGenerator
  /// A document that many filters are made to fit, since conjunctions of chance find nothing.
  private var witness = Fields()

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private static let scalars: [Value] = [
    .null, .boolean(false), .boolean(true), .double(.nan), .double(-.infinity), 0, .double(-0.0),
    1, .double(1), .double(1.5), 2, 3, .string(""), "a", "b", .bytes([0]),
    .reference(restaurants.document("b")), .vector(VectorValue([1, 2])),
    .map(["k": .integer(1)]), .timestamp(Timestamp(seconds: 1, nanoseconds: 0)),
    // Different values, but one in the eyes of queries (2.4).
    .string(String(repeating: "l", count: 1500) + "x"),
    .string(String(repeating: "l", count: 1500) + "y"),
  ]
  private static let names = ["a", "b", "c", "tags"]
  private static let ids = ["a", "b", "c", "d", "e", "f", "__id7__", "é", "z"]
  private static let collections = [
    restaurants, CollectionPath(unchecked: ["restaurants", "c", "restaurants"]),
    CollectionPath(unchecked: ["areas", "b", "restaurants"]),
    CollectionPath(unchecked: ["restaurants", "c", "ratings"]),
    CollectionPath(unchecked: ["zones"]),
  ]

  mutating func pick<T>(_ values: [T]) -> T {
    values[Int.random(in: 0..<values.count, using: &generator)]
  }

  mutating func value() -> Value {
    if generator.oneIn(6) { return .array(elements(atMost: 3)) }
    // Half of the values are ordinary, so that filters find something.
    return generator.oneIn(2) ? pick([1, 2, 3, "a", "b"]) : pick(RandomQueries.scalars)
  }

  private mutating func elements(atMost count: Int) -> [Value] {
    (0..<Int.random(in: 0...count, using: &generator)).map { _ in pick(RandomQueries.scalars) }
  }

  mutating func documents() -> [Document] {
    var documents: [Document] = []
    for collection in RandomQueries.collections {
      for id in RandomQueries.ids where generator.oneIn(2) {
        var fields = Fields()
        for name in RandomQueries.names where !generator.oneIn(5) {
          let isArray = name == "tags" && !generator.oneIn(4)
          fields[name] = isArray ? .array(elements(atMost: 4)) : value()
        }
        documents.append(
          Document(
            path: collection.document(id), createVersion: .zero, updateVersion: .zero,
            fields: fields))
      }
    }
    witness = documents.isEmpty ? Fields() : pick(documents).fields
    return documents
  }

  /// An operand for a filter on a field, often one that fits the witness.
  private mutating func operand(_ field: FieldPath, _ op: FilterOperator) -> Value {
    guard !generator.oneIn(4), let value = witness.value(at: field) else { return self.value() }
    guard op == .arrayContains || op == .arrayContainsAny else { return value }
    guard case .array(let elements) = value, !elements.isEmpty else { return self.value() }
    return pick(elements)
  }

  /// A name inside or outside of the queried collection.
  private mutating func name(_ scope: StructuredQuery.Scope) -> Value {
    if case .collection = scope, generator.oneIn(3) { return .string(pick(RandomQueries.ids)) }
    let collection = generator.oneIn(2) ? restaurants : pick(RandomQueries.collections)
    return .reference(collection.document(pick(RandomQueries.ids)))
  }

  private mutating func filter(_ scope: StructuredQuery.Scope) -> QueryFilter {
    if generator.oneIn(6) {
      let op: FilterOperator = pick([
        .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .in,
        .notIn,
      ])
      let isList = op == .in || op == .notIn
      let operand = isList ? Value.array([name(scope), name(scope)]) : name(scope)
      return .field(FieldFilter(.documentName, op, operand))
    }
    let field = path(pick(RandomQueries.names))
    if field == path("tags"), generator.oneIn(2) {
      return .field(FieldFilter(field, .arrayContains, operand(field, .arrayContains)))
    }
    let op = generator.oneIn(2) ? .equal : pick(FilterOperator.allCases)
    switch op {
    case .in, .notIn, .arrayContainsAny:
      return .field(FieldFilter(field, op, .array([operand(field, op), value()])))
    case .isNull, .isNaN, .isNotNull, .isNotNaN:
      return .field(FieldFilter(field, op, .null))
    default: return .field(FieldFilter(field, op, operand(field, op)))
    }
  }

  /// A query that may well be invalid; its normalization tells.
  mutating func query() -> StructuredQuery {
    let scope: StructuredQuery.Scope =
      generator.oneIn(4)
      ? .collectionGroup(UTF8String("restaurants"))
      : .collection(generator.oneIn(5) ? RandomQueries.collections[1] : restaurants)
    var query = StructuredQuery(scope: scope)
    var filters = (0..<Int.random(in: 0...2, using: &generator)).map { _ in filter(scope) }
    if generator.oneIn(4) { filters.append(.or([filter(scope), filter(scope)])) }
    // Merges need several equalities that fit one document.
    if generator.oneIn(4) {
      for name in RandomQueries.names where generator.oneIn(2) {
        let op: FilterOperator = name == "tags" ? .arrayContains : .equal
        filters.append(.field(FieldFilter(path(name), op, operand(path(name), op))))
      }
    }
    // Lookups need a query of names alone, which is rare by chance.
    if generator.oneIn(20) { filters = [equal("N", name(scope))] }
    query.filter = filters.isEmpty ? nil : .and(filters)
    for name in RandomQueries.names where generator.oneIn(5) {
      query.orderBy.append(OrderBy(path(name), pick([.ascending, .descending])))
    }
    if generator.oneIn(5) {
      query.orderBy.append(OrderBy(.documentName, pick([.ascending, .descending])))
    }
    query.orderBy.shuffle(using: &generator)
    if let last = query.orderBy.firstIndex(where: { $0.path.isDocumentName }) {
      query.orderBy.append(query.orderBy.remove(at: last))
    }
    query.start = bound(for: query)
    query.end = bound(for: query)
    if generator.oneIn(4) {
      query.limit = Int.random(in: 0...4, using: &generator)
      query.limitIsToLast = !query.orderBy.isEmpty && generator.oneIn(2)
    }
    if generator.oneIn(8) { query.offset = 1 }
    return query
  }

  private mutating func bound(for query: StructuredQuery) -> Bound? {
    guard !query.orderBy.isEmpty, generator.oneIn(3) else { return nil }
    let count = Int.random(in: 1...query.orderBy.count, using: &generator)
    let values = query.orderBy.prefix(count).map { order in
      order.path.isDocumentName ? name(query.scope) : value()
    }
    return Bound(values: values, inclusive: generator.oneIn(2))
  }
}
