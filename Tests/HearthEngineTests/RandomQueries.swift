import HearthModel
import HearthTestSupport

/// Documents and queries of few values, so that they meet often; some values and ids are longer
/// than a stored key.
struct RandomQueries {
  var generator: SeededGenerator
  private var witness = Fields()

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private static let stem = String(repeating: "l", count: 520)
  private static let scalars: [Value] = [
    .null, .boolean(false), .boolean(true), .double(.nan), .double(-.infinity), 0, .double(-0.0),
    1, .double(1), .double(1.5), 2, 3, "", "a", "b", .bytes([0]), .reference(doc("b")),
    .vector(VectorValue([1, 2])), .map(["k": 1]),
    .timestamp(Timestamp(seconds: 1, nanoseconds: 0)), .string(stem), .string(stem + "a"),
    .string(stem + "\0"),
    .string(String(repeating: "l", count: 1500) + "x"),
    .string(String(repeating: "l", count: 1500) + "y"),
  ]
  private static let names = ["a", "b", "c", "tags"]
  private static let ids = [
    "a", "b", "c", "d", "e", "f", "g", "__id7__", "__id-2__", "é", "e\u{301}", "z", "\0", "\0\0",
    stem, stem + "1", stem + "1\0", stem + "0", String(repeating: "z", count: 1500),
    String(repeating: "z", count: 1499),
  ]

  mutating func pick<T>(_ values: [T]) -> T {
    values[Int.random(in: 0..<values.count, using: &generator)]
  }

  private mutating func value() -> Value {
    if generator.oneIn(8) { return .array(elements()) }
    return generator.oneIn(2) ? pick([1, 2, 3, "a"]) : pick(RandomQueries.scalars)
  }

  private mutating func elements() -> [Value] {
    (0..<Int.random(in: 0...3, using: &generator)).map { _ in pick(RandomQueries.scalars) }
  }

  /// Documents of `r`; others belong to neighbouring collections, which no query may see.
  mutating func documents() -> [(path: DocumentPath, fields: Fields)] {
    var documents: [(path: DocumentPath, fields: Fields)] = []
    let neighbours = ["q", "ra", "s"].map { CollectionPath(unchecked: [$0]) }
    for collection in [things, doc("c").collection("r")] + neighbours {
      for id in RandomQueries.ids where !generator.oneIn(3) {
        var fields = Fields()
        for name in RandomQueries.names where !generator.oneIn(6) {
          fields[name] = name == "tags" && !generator.oneIn(4) ? .array(elements()) : value()
        }
        documents.append((collection.document(id), fields))
      }
    }
    witness = pick(documents.filter { $0.path.collection == things }).fields
    return documents
  }

  private mutating func operand(_ name: String, _ op: FilterOperator) -> Value {
    guard !generator.oneIn(3), let value = witness.value(at: field(name)) else {
      return self.value()
    }
    guard op == .arrayContains || op == .arrayContainsAny else { return value }
    guard case .array(let elements) = value, !elements.isEmpty else { return self.value() }
    return pick(elements)
  }

  private mutating func name() -> Value {
    let path = doc(pick(RandomQueries.ids))
    return .reference(generator.oneIn(8) ? path.collection("r").document("a") : path)
  }

  private mutating func filter() -> QueryFilter {
    if generator.oneIn(7) {
      let op: FilterOperator = pick([.equal, .lessThan, .greaterThanOrEqual, .notEqual, .in])
      let operand = op == .in ? Value.array([name(), name()]) : name()
      return .field(FieldFilter(.documentName, op, operand))
    }
    let name = pick(RandomQueries.names)
    let op = generator.oneIn(2) ? .equal : pick(FilterOperator.allCases)
    switch op {
    case .in, .notIn, .arrayContainsAny:
      return .field(FieldFilter(field(name), op, .array([operand(name, op), value()])))
    case .isNull, .isNaN, .isNotNull, .isNotNaN:
      return .field(FieldFilter(field(name), op, .null))
    default: return .field(FieldFilter(field(name), op, operand(name, op)))
    }
  }

  /// A query that may well be invalid; its normalization tells.
  mutating func query() -> StructuredQuery {
    var query = StructuredQuery(generator.oneIn(8) ? doc("c").collection("r") : things)
    var filters = (0..<Int.random(in: 0...2, using: &generator)).map { _ in filter() }
    if generator.oneIn(5) { filters.append(.or([filter(), filter()])) }
    if generator.oneIn(3) {
      // Merges need several equalities that fit one document.
      for name in RandomQueries.names where generator.oneIn(2) {
        let op: FilterOperator = name == "tags" ? .arrayContains : .equal
        filters.append(.field(FieldFilter(field(name), op, operand(name, op))))
      }
    }
    query.filter = filters.isEmpty ? nil : .and(filters)
    for name in RandomQueries.names where generator.oneIn(5) {
      query.orderBy.append(by(name, pick([.ascending, .descending])))
    }
    query.orderBy.shuffle(using: &generator)
    if generator.oneIn(5) {
      query.orderBy.append(OrderBy(.documentName, pick([.ascending, .descending])))
    }
    query.start = bound(query)
    query.end = bound(query)
    if generator.oneIn(3) {
      query.limit = Int.random(in: 1...4, using: &generator)
      query.limitIsToLast = !query.orderBy.isEmpty && generator.oneIn(2)
    }
    if generator.oneIn(8) { query.offset = Int.random(in: 1...3, using: &generator) }
    return query
  }

  private mutating func bound(_ query: StructuredQuery) -> Bound? {
    guard !query.orderBy.isEmpty, generator.oneIn(3) else { return nil }
    let count = Int.random(in: 1...query.orderBy.count, using: &generator)
    var values: [Value] = []
    for order in query.orderBy.prefix(count) {
      values.append(order.path.isDocumentName ? name() : value())
    }
    return Bound(values: values, inclusive: generator.oneIn(2))
  }
}
