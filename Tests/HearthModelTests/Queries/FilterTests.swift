import HearthModel
import HearthTestSupport
import Testing

/// Runs a query over documents by definition: match, sort, offset, limit, reverse.
func run(_ query: StructuredQuery, over documents: [(DocumentPath, Fields)]) throws -> [String] {
  let normalized = try NormalizedQuery(query)
  let matcher = QueryMatcher(normalized)
  var keys = documents.filter { matcher.matches($0.0, $0.1) }
    .compactMap { matcher.sortKey($0.0, $0.1) }
  keys.sort { matcher.compare($0, $1) < 0 }
  let kept = keys.dropFirst(normalized.offset).prefix(normalized.limit ?? .max)
  let ids = kept.map(\.path.id)
  return normalized.reversesResult ? ids.reversed() : ids
}

/// A query of collection `r`.
func query(
  _ filter: QueryFilter? = nil, order: [OrderBy] = [],
  _ change: (inout StructuredQuery) -> Void = { _ in }
) -> StructuredQuery {
  var query = StructuredQuery(CollectionPath(unchecked: ["r"]))
  query.filter = filter
  query.orderBy = order
  change(&query)
  return query
}

func filter(_ name: String, _ op: FilterOperator, _ value: Value = .null) -> QueryFilter {
  .field(FieldFilter(field(name), op, value))
}

func by(_ name: String, _ direction: Direction = .ascending) -> OrderBy {
  OrderBy(field(name), direction)
}

@Suite struct FilterTests {
  /// One document per value of `a`, named by its key; "missing" lacks the field.
  static let values: [(String, Value)] = [
    ("null", .null), ("true", .boolean(true)), ("nan", nan), ("minusInfinity", d(-.infinity)),
    ("one", i(1)), ("one.0", d(1)), ("five", i(5)), ("six", i(6)), ("text", s("x")),
    ("array", list(i(43), .null, nan)), ("nullArray", list(.null)), ("empty", list()),
    ("vector", vec(43)), ("map", map(["k": i(1)])),
  ]

  private func matching(_ op: FilterOperator, _ value: Value) throws -> Set<String> {
    let collection = CollectionPath(unchecked: ["r"])
    var documents = Self.values.map { (collection.document($0.0), ["a": $0.1] as Fields) }
    documents.append((collection.document("missing"), ["b": i(1)]))
    return Set(try run(query(filter("a", op, value)), over: documents))
  }

  private var present: Set<String> { Set(Self.values.map(\.0)) }

  @Test func `null, NaN and type brackets follow the full table of 5.3`() throws {
    #expect(try matching(.equal, .null) == ["null"])
    #expect(try matching(.equal, nan) == ["nan"])
    #expect(try matching(.in, list(.null)) == [])
    #expect(try matching(.in, list(nan)) == [])
    #expect(try matching(.notEqual, .null) == present.subtracting(["null"]))
    #expect(try matching(.notEqual, nan) == present.subtracting(["null", "nan"]))
    for op in FilterOperator.allCases where op.isRange {
      #expect(try matching(op, .null) == [], "\(op)")
      #expect(try matching(op, nan) == [], "\(op)")
    }
    #expect(try matching(.lessThan, i(5)) == ["minusInfinity", "one", "one.0"])
    #expect(try matching(.lessThanOrEqual, d(5)) == ["minusInfinity", "one", "one.0", "five"])
    #expect(try matching(.in, list(i(1), .null, nan)) == ["one", "one.0"])
    #expect(try matching(.notIn, list(i(1), .null)) == [])
    #expect(
      try matching(.notIn, list(i(1), nan))
        == present.subtracting(["null", "nan", "one", "one.0"]))
    #expect(try matching(.arrayContains, .null) == [])
    #expect(try matching(.arrayContains, nan) == [])
    #expect(try matching(.arrayContains, list(i(43))) == [])
    #expect(try matching(.arrayContainsAny, list(.null, i(43))) == ["array"])
  }

  @Test func `raw NOT_EQUAL with null matches nothing`() {
    #expect(!FieldFilter(field("a"), .notEqual, .null).matches(i(1)))
  }

  @Test func `negations include NaN and exclude null and what is missing`() throws {
    #expect(try matching(.notEqual, i(1)) == present.subtracting(["null", "one", "one.0"]))
    #expect(try matching(.isNotNull, .null) == present.subtracting(["null"]))
    #expect(try matching(.isNotNaN, .null) == present.subtracting(["null", "nan"]))
  }

  @Test func `a null or NaN inside an array is an ordinary value for equality`() throws {
    #expect(try matching(.equal, list(.null)) == ["nullArray"])
    #expect(try matching(.equal, list(d(43), .null, nan)) == ["array"])
    #expect(try matching(.in, list(list(.null))) == ["nullArray"])
  }

  @Test func `a range stays in the type of its operand`() throws {
    #expect(try matching(.greaterThanOrEqual, vec(1)) == ["vector"])
    #expect(try matching(.greaterThanOrEqual, map([:])) == ["map"])
    #expect(try matching(.greaterThanOrEqual, list()) == ["array", "nullArray", "empty"])
    let contradiction = query(
      .and([filter("a", .lessThan, i(9)), filter("a", .greaterThan, s(""))]))
    #expect(try run(contradiction, over: []) == [])
  }

  @Test func `array-contains does not look into vectors`() throws {
    #expect(try matching(.arrayContains, d(43)) == ["array"])
  }

  @Test func `filters on the name compare whole names`() throws {
    let collection = CollectionPath(unchecked: ["r"])
    let documents = ["__id9__", "__id10__", "a", "b", "c"].map {
      (collection.document($0), Fields())
    }
    let rows: [(FilterOperator, Value, [String])] = [
      (.equal, s("b"), ["b"]), (.notEqual, s("b"), ["__id9__", "__id10__", "a", "c"]),
      (.greaterThan, s("a"), ["b", "c"]), (.lessThanOrEqual, s("a"), ["__id9__", "__id10__", "a"]),
      (.in, list(s("c"), .reference(collection.document("a"))), ["a", "c"]),
      (.notIn, list(s("a"), s("b"), s("c")), ["__id9__", "__id10__"]),
      (.greaterThan, try ref("q/z"), ["__id9__", "__id10__", "a", "b", "c"]),
    ]
    for (op, value, expected) in rows {
      #expect(try run(query(filter("__name__", op, value)), over: documents) == expected)
    }
  }

  @Test func `a query sees immediate children and a group every depth`() throws {
    let documents: [(DocumentPath, Fields)] = [
      (try DocumentPath("r/1"), [:]), (try DocumentPath("r/1/r/2"), [:]),
      (try DocumentPath("x/1/r/3"), [:]), (try DocumentPath("rr/4"), [:]),
      (try DocumentPath("x/r"), [:]),
    ]
    #expect(try run(query(), over: documents) == ["1"])
    let group = StructuredQuery(scope: .collectionGroup(UTF8String("r")))
    #expect(try run(group, over: documents) == ["1", "2", "3"])
  }

  @Test func `filters see the first 1500 bytes of a string`() throws {
    let head = String(repeating: "a", count: 1500)
    let documents = [("1", head + "x"), ("2", head + "y"), ("3", head)].map {
      (CollectionPath(unchecked: ["r"]).document($0.0), ["a": s($0.1)] as Fields)
    }
    #expect(try run(query(filter("a", .equal, s(head + "z"))), over: documents) == ["1", "2"])
    #expect(try run(query(order: [by("a")]), over: documents) == ["3", "1", "2"])
  }
}
