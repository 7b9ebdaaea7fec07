import HearthModel
import Testing

@Suite struct QueryValidationTests {
  private func values(_ count: Int) -> Value { .array((0..<count).map { i(Int64($0)) }) }
  private func equalities(_ count: Int) -> QueryFilter {
    .and((0..<count).map { filter("f\($0)", .equal, i(1)) })
  }

  /// Faulty queries with their reasons, in the order of the table of 5.9.
  private var faults: [(String, StructuredQuery)] {
    let x = filter("x", .greaterThan, i(1))
    let notIn = filter("n", .notIn, values(1))
    return [
      ("ARRAY_OPERAND", query(filter("a", .in, i(1)))),
      ("ARRAY_OPERAND", query(filter("a", .notIn, list()))),
      ("ARRAY_OPERAND", query(filter("a", .arrayContainsAny, .null))),
      ("COMPOSITE_EMPTY", query(.and([.or([])]))),
      (
        "MULTIPLE_NEGATIONS",
        query(.and([filter("a", .notEqual, i(1)), filter("a", .notEqual, i(2))]))
      ),
      ("MULTIPLE_NEGATIONS", query(.and([filter("a", .notEqual, .null), notIn]))),
      (
        "MULTIPLE_NEGATIONS",
        query(.or([filter("a", .notEqual, nan), filter("b", .isNotNull)]))
      ),
      ("NOT_IN_COMBINATION", query(.and([notIn, filter("a", .in, values(1))]))),
      ("NOT_IN_COMBINATION", query(.and([notIn, filter("a", .arrayContainsAny, values(1))]))),
      ("NOT_IN_COMBINATION", query(.or([notIn, filter("a", .equal, i(1))]))),
      ("NAME_OPERATOR", query(filter("__name__", .arrayContains, s("a")))),
      ("NAME_OPERATOR", query(filter("__name__", .arrayContainsAny, list(s("a"))))),
      ("NAME_OPERATOR", query(filter("__name__", .equal, .null))),
      ("NAME_OPERATOR", query(filter("__name__", .notEqual, nan))),
      ("NAME_OPERAND", query(filter("__name__", .equal, i(1)))),
      ("NAME_OPERAND", query(filter("__name__", .equal, s("")))),
      ("NAME_OPERAND", query(filter("__name__", .lessThan, s("a/b")))),
      ("NAME_OPERAND", query(filter("__name__", .in, list(s("a"), .null)))),
      ("ORDER_DUPLICATE", query(order: [by("a"), by("a", .descending)])),
      ("ORDER_AFTER_NAME", query(order: [by("__name__"), by("a")])),
      ("ORDER_AFTER_NAME", query(x, order: [by("__name__")])),
      ("CURSOR_EMPTY", query(order: [by("a")]) { $0.end = Bound(values: [], inclusive: true) }),
      ("CURSOR_TOO_MANY_VALUES", query { $0.start = Bound(values: [i(1)], inclusive: true) }),
      (
        "CURSOR_TOO_MANY_VALUES",
        query(x, order: [by("a")]) { $0.start = Bound(values: [i(1), i(2)], inclusive: true) }
      ),
      (
        "CURSOR_NAME_VALUE",
        query(order: [by("__name__")]) { $0.start = Bound(values: [i(1)], inclusive: true) }
      ),
      (
        "CURSOR_NAME_VALUE",
        query(order: [by("__name__")]) { $0.start = Bound(values: [s("a/b")], inclusive: true) }
      ),
      ("LIMIT", query { $0.limit = -1 }),
      ("LIMIT_TO_LAST_ORDER", query { ($0.limit, $0.limitIsToLast) = (1, true) }),
      ("OFFSET", query { $0.offset = -1 }),
      ("IN_TOO_MANY_VALUES", query(filter("a", .in, values(31)))),
      ("IN_TOO_MANY_VALUES", query(filter("a", .arrayContainsAny, values(31)))),
      ("NOT_IN_TOO_MANY_VALUES", query(filter("a", .notIn, values(11)))),
      (
        "TOO_MANY_DISJUNCTIONS",
        query(.and([filter("a", .in, values(5)), filter("b", .in, values(10))]))
      ),
      (
        "ARRAY_CONTAINS_PER_DISJUNCTION",
        query(.and([filter("a", .arrayContains, i(1)), filter("a", .arrayContains, i(2))]))
      ),
      (
        "ARRAY_CONTAINS_PER_DISJUNCTION",
        query(.and([filter("a", .arrayContains, i(1)), filter("b", .arrayContainsAny, values(2))]))
      ),
      (
        "TOO_MANY_INEQUALITY_FIELDS",
        query(.and((0..<11).map { filter("f\($0)", .greaterThan, i(1)) }))
      ),
      (
        "ARRAY_CONTAINS_PER_DISJUNCTION",
        query(.and([filter("a", .arrayContains, i(0)), filter("a", .arrayContainsAny, values(1))]))
      ),
      ("TOO_MANY_COMPONENTS", query(equalities(101))),
      ("TOO_MANY_COMPONENTS", query(equalities(100), order: [by("a")])),
      (
        "NAME_EQUALITY_WITH_INEQUALITY",
        query(.and([filter("__name__", .equal, s("a")), x]))
      ),
      (
        "NAME_EQUALITY_WITH_INEQUALITY",
        query(.and([filter("__name__", .in, list(s("a"))), x]))
      ),
    ]
  }

  @Test func `every fault of 5.9 has its reason`() {
    for (reason, query) in faults {
      expectFailure(reason) { try NormalizedQuery(query) }
    }
  }

  @Test func `of two faults in a filter the one that stands first in the table wins`() {
    // Two faults joined by `and` must give the first one's reason; combinations that make new
    // faults of their own only ever bring earlier ones forward.
    var table: [String] = []
    var tests: [(String, StructuredQuery)] = []
    for (reason, query) in faults where !table.contains(reason) {
      table.append(reason)
      if query.filter != nil, query.orderBy.isEmpty { tests.append((reason, query)) }
    }
    for (p, first) in tests.enumerated() {
      for second in tests[p...] {
        guard let a = first.1.filter, let b = second.1.filter else { continue }
        for both in [query(.and([a, b])), query(.and([b, a]))] {
          let found = reason(of: { try NormalizedQuery(both) }) ?? "none"
          let position = table.firstIndex(of: found) ?? .max
          #expect(position <= table.firstIndex(of: first.0) ?? -1, "\(found): \(both.text)")
        }
      }
    }
    let orderAndCursor = query(order: [by("a"), by("a")]) {
      $0.start = Bound(values: [], inclusive: true)
      $0.limit = -1
    }
    expectFailure("ORDER_DUPLICATE") { try NormalizedQuery(orderAndCursor) }
  }

  @Test func `what 5.9 calls no error is none`() {
    let x = filter("x", .greaterThan, i(1))
    let legal: [StructuredQuery] = [
      query(.and([x, filter("x", .lessThan, s("a")), filter("y", .lessThan, i(1))])),
      query(.and([x, filter("x", .notEqual, i(5))])),
      query(.and([filter("a", .in, values(2)), filter("t", .arrayContains, i(1))])),
      query(.and([filter("a", .in, values(5)), filter("b", .in, values(5))])),
      query(.and([filter("a", .equal, i(1)), filter("a", .equal, i(2))])),
      query(.and([filter("a", .notEqual, i(1)), filter("a", .notEqual, i(1))])),
      query(filter("a", .in, values(30))), query(filter("a", .notIn, values(10))),
      query(.or([filter("n", .notIn, values(1))])),
      query(.or([filter("t", .arrayContains, i(1)), filter("u", .arrayContains, i(1))])),
      query(equalities(100)), query(equalities(99), order: [by("a")]),
      query(.and((0..<10).map { filter("f\($0)", .greaterThan, i(1)) })),
      query(
        .and([filter("__name__", .equal, s("a")), filter("__name__", .greaterThan, s("0")), x])),
      query(x, order: [by("x"), by("__name__", .descending)]),
      query { $0.limit = 0 },
      query(order: [by("__name__")]) {
        $0.start = Bound(
          values: [.reference(CollectionPath(unchecked: ["z"]).document("1"))],
          inclusive: true)
      },
    ]
    for query in legal {
      #expect(reason(of: { try NormalizedQuery(query) }) == nil, "\(query.text)")
    }
  }

  @Test func `the parent document is a component`() throws {
    var below = StructuredQuery(try CollectionPath("a/b/r"))
    below.filter = equalities(100)
    expectFailure("TOO_MANY_COMPONENTS") { try NormalizedQuery(below) }
    below.filter = equalities(99)
    #expect(reason(of: { try NormalizedQuery(below) }) == nil)
  }

  @Test func `in a group a name is a path from the root`() {
    var group = StructuredQuery(scope: .collectionGroup(UTF8String("r")))
    for text in ["r", "r/1/r", "a//b", ""] {
      group.filter = filter("__name__", .greaterThan, s(text))
      expectFailure("NAME_OPERAND") { try NormalizedQuery(group) }
    }
  }

  @Test func `reserved field names cannot be asked for`() {
    expectFailure("FIELD_NAME_RESERVED") {
      try NormalizedQuery(query(filter("__a__", .equal, i(1))))
    }
    expectFailure("FIELD_NAME_RESERVED") { try NormalizedQuery(query(order: [by("__a__")])) }
    expectFailure("FIELD_NAME_RESERVED") {
      try NormalizedQuery(query { $0.projection = [field("a", "__name__")] })
    }
    expectFailure("FIELD_NAME_EMPTY") { try NormalizedQuery(query(filter("", .equal, i(1)))) }
    expectFailure("ID_RESERVED") {
      try NormalizedQuery(StructuredQuery(scope: .collectionGroup(UTF8String("__a__"))))
    }
  }

  @Test func `absurd nesting fails instead of exhausting the stack`() {
    var nested = filter("a", .equal, i(1))
    for _ in 0..<2000 { nested = .and([nested]) }
    expectFailure("TOO_MANY_COMPONENTS") { try NormalizedQuery(query(nested)) }
    var value = i(1)
    for _ in 0..<2000 { value = map(["a": value]) }
    expectFailure("DEPTH") { try NormalizedQuery(query(filter("a", .equal, value))) }
    expectFailure("DEPTH") {
      try NormalizedQuery(
        query(order: [by("a")]) { $0.start = Bound(values: [value], inclusive: true) })
    }
    #expect(!query(nested).text.isEmpty)
    #expect(!value.text.isEmpty)
  }

  @Test func `a query reads as one line`() throws {
    let q = query(
      .and([
        filter("city", .equal, s("SF")),
        .or([filter("stars", .in, values(2)), filter("price", .equal, .null)]),
      ]), order: [by("stars", .descending), by("a b")]
    ) {
      $0.start = Bound(values: [d(1.5)], inclusive: false)
      $0.offset = 2
      $0.limit = 10
    }
    #expect(
      q.text == "r where city == \"SF\" and (stars in [0, 1] or price == null) "
        + "order by stars desc, `a b` start after (1.5) offset 2 limit 10")
  }
}
