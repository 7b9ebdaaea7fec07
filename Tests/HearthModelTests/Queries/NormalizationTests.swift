import HearthModel
import HearthTestSupport
import Testing

@Suite struct EffectiveOrderTests {
  private func order(_ query: StructuredQuery) throws -> String {
    try NormalizedQuery(query).effectiveOrder
      .map { "\($0.path)\($0.direction == .descending ? " desc" : "")" }.joined(separator: ", ")
  }

  @Test func `inequality fields and the name are appended with the last direction`() throws {
    let x = filter("x", .greaterThan, i(1))
    let rows: [(StructuredQuery, String)] = [
      (query(), "__name__"),
      (query(order: [by("a", .descending)]), "a desc, __name__ desc"),
      (query(order: [by("a", .descending), by("b")]), "a desc, b, __name__"),
      (query(.and([x, filter("key", .notEqual, s("a"))])), "key, x, __name__"),
      (query(x, order: [by("a", .descending)]), "a desc, x desc, __name__ desc"),
      (query(x, order: [by("x", .descending)]), "x desc, __name__ desc"),
      (query(.or([x, filter("b", .equal, i(2))])), "x, __name__"),
      (query(filter("x", .equal, .null)), "__name__"),
      (query(filter("x", .notEqual, .null)), "x, __name__"),
      (query(filter("x", .in, list(i(2), i(3))), order: [by("x")]), "x, __name__"),
      (query(.and([x, filter("__name__", .greaterThan, s("a"))])), "x, __name__"),
      (query(order: [by("a"), by("__name__", .descending)]), "a, __name__ desc"),
      // By path, segment by segment: a.b before a-b.
      (
        query(
          .and([
            filter("a-b", .greaterThan, i(1)),
            .field(FieldFilter(field("a", "b"), .greaterThan, i(1))),
          ])), "a.b, `a-b`, __name__"
      ),
    ]
    for (query, expected) in rows { #expect(try order(query) == expected) }
  }

  @Test func `limitToLast reverses every direction and swaps the cursors`() throws {
    let q = query(order: [by("a"), by("b", .descending)]) {
      $0.limit = 3
      $0.limitIsToLast = true
      $0.start = Bound(values: [i(1)], inclusive: false)
      $0.end = Bound(values: [i(9)], inclusive: true)
    }
    let normalized = try NormalizedQuery(q)
    #expect(try order(q) == "a desc, b, __name__")
    #expect(normalized.start == Bound(values: [i(9)], inclusive: true))
    #expect(normalized.end == Bound(values: [i(1)], inclusive: false))
    #expect(normalized.reversesResult)
    #expect(normalized.query == q)
  }

  @Test func `no branch of an or returns a document without an ordered field`() throws {
    let documents = [("1", ["b": i(2)] as Fields), ("2", ["a": .null, "b": i(2)])].map {
      (CollectionPath(unchecked: ["r"]).document($0.0), $0.1)
    }
    let q = query(.or([filter("a", .greaterThan, i(1)), filter("b", .equal, i(2))]))
    #expect(try run(q, over: documents) == ["2"])
  }
}

@Suite struct DisjunctionTests {
  @Test func `tests for null and NaN are unary at the top and raw in lists`() throws {
    let rows: [(QueryFilter, [FieldFilter])] = [
      (filter("a", .equal, .null), [FieldFilter(field("a"), .isNull, .null)]),
      (filter("a", .equal, nan), [FieldFilter(field("a"), .isNaN, .null)]),
      (filter("a", .notEqual, .null), [FieldFilter(field("a"), .isNotNull, .null)]),
      (filter("a", .notEqual, nan), [FieldFilter(field("a"), .isNotNaN, .null)]),
      (filter("a", .in, list(.null)), [FieldFilter(field("a"), .equal, .null)]),
    ]
    for (filter, expected) in rows {
      #expect(
        try NormalizedQuery(query(filter)).disjunctions == [Conjunction(filters: expected)])
    }
  }

  @Test func `nesting, repetition and single children vanish`() throws {
    let (a, b) = (filter("a", .equal, i(1)), filter("b", .equal, i(2)))
    let flat = try NormalizedQuery(query(.and([a, b]))).disjunctions
    for same: QueryFilter in [
      .and([.and([a]), .and([b, .and([])])]), .or([.and([a, b])]), .and([a, .or([b]), a]),
      .or([.and([a, b]), .and([a, b])]),
    ] { #expect(try NormalizedQuery(query(same)).disjunctions == flat) }
    let nothing = try NormalizedQuery(query(.and([]))).disjunctions
    #expect(nothing == [Conjunction(filters: [])])
  }

  @Test func `names in filters become references`() throws {
    let normalized = try NormalizedQuery(query(filter("__name__", .in, list(s("a"), s("b")))))
    #expect(
      normalized.disjunctions.map(\.filters.first?.value) == [try ref("r/a"), try ref("r/b")])
    var group = StructuredQuery(scope: .collectionGroup(UTF8String("r")))
    group.filter = filter("__name__", .equal, s("x/1/r/2"))
    #expect(
      try NormalizedQuery(group).disjunctions.first?.filters.first?.value == ref("x/1/r/2"))
  }

  /// A filter tree whose truth is decided by recursion, without any normal form.
  private func holds(_ filter: QueryFilter, _ fields: Fields) -> Bool {
    switch filter {
    case .field(let filter):
      // `== null` and its like mean the unary test at the top of an operand (5.1).
      switch (filter.op, filter.value.isNull, filter.value.isNaN) {
      case (.equal, true, _): return fields.value(at: filter.path)?.isNull == true
      case (.equal, _, true): return fields.value(at: filter.path)?.isNaN == true
      default: return filter.matches(CollectionPath(unchecked: ["r"]).document("x"), fields)
      }
    case .and(let children): return children.allSatisfy { holds($0, fields) }
    case .or(let children): return children.contains { holds($0, fields) }
    }
  }

  private func tree(_ random: inout RandomValues, depth: Int) -> QueryFilter {
    let names = ["a", "b", "c"]
    let value = random.value(depth: 1)
    if depth > 0, !random.generator.oneIn(3) {
      let children = (0..<Int.random(in: 1...3, using: &random.generator)).map { _ in
        tree(&random, depth: depth - 1)
      }
      return random.generator.oneIn(2) ? .and(children) : .or(children)
    }
    switch Int.random(in: 0..<4, using: &random.generator) {
    case 0: return filter(random.pick(names), .in, list(value, random.value(depth: 1)))
    case 1: return filter(random.pick(names), .arrayContainsAny, list(value))
    default: return filter(random.pick(names), .equal, value)
    }
  }

  @Test func `the normal form means what the tree means and has the computed count`() throws {
    var random = RandomValues(seed: testSeed("normal form"))
    var compared = 0
    for _ in 0..<2000 * soakFactor {
      let filter = tree(&random, depth: 3)
      let normalized: NormalizedQuery
      do {
        normalized = try NormalizedQuery(query(filter))
      } catch {
        #expect(
          ["TOO_MANY_DISJUNCTIONS", "ARRAY_CONTAINS_PER_DISJUNCTION", "TOO_MANY_COMPONENTS"]
            .contains(error.reason))
        continue
      }
      #expect(normalized.disjunctions.count <= QueryRules.mostDisjunctions)
      let matcher = QueryMatcher(normalized)
      for _ in 0..<5 {
        let fields = random.fields(names: ["a", "b", "c"], depth: 1)
        let path = CollectionPath(unchecked: ["r"]).document("x")
        #expect(matcher.matches(path, fields) == holds(filter, fields), "\(query(filter).text)")
        compared += 1
      }
    }
    #expect(compared > 1000)
  }

  @Test func `the count multiplies and thirty are the most`() throws {
    func values(_ count: Int) -> Value { .array((0..<count).map { i(Int64($0)) }) }
    let ten = filter("a", .in, values(10))
    let three = QueryFilter.or((0..<3).map { filter("b", .equal, i($0)) })
    #expect(try NormalizedQuery(query(.and([ten, three]))).disjunctions.count == 30)
    expectFailure("TOO_MANY_DISJUNCTIONS") {
      try NormalizedQuery(query(.and([ten, filter("b", .in, values(4))])))
    }
    // Far beyond what could be made: 30 to the 40th overflows any counter.
    let many = QueryFilter.and((0..<40).map { filter("f\($0)", .in, values(30)) })
    expectFailure("TOO_MANY_DISJUNCTIONS") { try NormalizedQuery(query(many)) }
  }
}
