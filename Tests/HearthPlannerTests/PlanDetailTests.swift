import HearthModel
import HearthPlanner
import Testing

/// What a plan says beyond its indexes: ranges, residuals, names, cursors, and its words.
@Suite struct PlanDetailTests {
  private let cs = configuration([index("city ASC, stars ASC")])
  private let csd = configuration([index("city ASC, stars DESC")])

  private func scan(
    _ question: StructuredQuery, _ configuration: IndexConfiguration = IndexConfiguration()
  ) throws -> IndexScan? {
    switch try plan(question, configuration).disjunctions.first {
    case .scan(let scan): return scan
    case .merge(let scans): return scans.first
    case .lookup, .nothing, nil: return nil
    }
  }

  @Test("Ranges on one field become one interval, in the bracket of their type")
  func ranges() throws {
    let scan = try scan(
      query(filter("stars", .greaterThanOrEqual, 1), filter("stars", .lessThan, 4)))
    #expect(
      scan?.intervals == [
        ValueInterval(
          lower: ValueInterval.Endpoint(1, inclusive: true),
          upper: ValueInterval.Endpoint(4, inclusive: false), bracket: .number)
      ])
  }

  @Test("Intervals stand in scan order")
  func scanOrder() throws {
    let question = query(filter("stars", .notEqual, 3), order: "stars desc")
    let three = ValueInterval.Endpoint(3, inclusive: false)
    #expect(
      try scan(question)?.intervals == [
        ValueInterval(lower: three, upper: nil),
        ValueInterval(lower: ValueInterval.Endpoint(.null, inclusive: false), upper: three),
      ])
  }

  @Test("A negation is cut to the bracket of a range beside it")
  func negationAndRange() throws {
    let question = query(filter("stars", .greaterThan, 1), filter("stars", .notEqual, "x"))
    #expect(
      try scan(question)?.intervals == [
        ValueInterval(
          lower: ValueInterval.Endpoint(1, inclusive: false), upper: nil, bracket: .number)
      ])
  }

  @Test("Inequalities on later fields are residuals")
  func residuals() throws {
    let question = query(filter("price", .greaterThan, 1), filter("stars", .lessThan, 3))
    let scan = try scan(question, configuration([index("price ASC, stars ASC")]))
    #expect(scan?.intervals.count == 1)
    #expect(scan?.residuals.map(\.position) == [1])
    #expect(scan?.residuals.first?.admits(2) == true)
    #expect(scan?.residuals.first?.admits(3) == false)
    #expect(scan?.residuals.first?.admits(.double(.nan)) == false)
  }

  @Test("Names outside the collection only position")
  func foreignNames() throws {
    let below = Value.reference(document("b").collection("ratings").document("x"))
    #expect(
      try scan(query(filter("N", .greaterThanOrEqual, below)))?.names
        == NameInterval(
          lower: NameInterval.Endpoint(document("b"), inclusive: false), upper: nil))
    #expect(
      try scan(query(filter("N", .lessThan, below)))?.names
        == NameInterval(
          lower: nil, upper: NameInterval.Endpoint(document("b"), inclusive: true)))
    let before = Value.reference(CollectionPath(unchecked: ["areas"]).document("x"))
    #expect(try scan(query(filter("N", .greaterThan, before)))?.names == nil)
    #expect(try plan(query(filter("N", .lessThan, before))).disjunctions == [.nothing])
    #expect(try plan(query(equal("N", before))).disjunctions == [.nothing])
  }

  @Test("Names ruled out split a name scan")
  func excludedNames() throws {
    let used = try plan(query(filter("N", .notEqual, "b")))
    #expect(used.indexesUsed == [index("N ASC"), index("N ASC")])
    guard case .scan(let scan)? = used.disjunctions.first else {
      Issue.record("not a scan")
      return
    }
    #expect(scan.names == NameInterval(lower: nil, upper: nil, excluded: [document("b")]))
  }

  struct CursorCase: Sendable {
    let order: String
    let values: [Value]
    let start: Bool
    let inclusive: Bool
    /// The reduced bound; nil for none.
    let bound: SuffixBound?
    var isNothing = false
  }

  @Test(
    "Cursors lose the fields that equality fixes",
    arguments: [
      // city == "SF" in all of them.
      CursorCase(
        order: "city, stars", values: ["SF", 4], start: true, inclusive: true,
        bound: SuffixBound(values: [4], inclusive: true)),
      CursorCase(
        order: "city, stars", values: ["SF", 4], start: false, inclusive: false,
        bound: SuffixBound(values: [4], inclusive: false)),
      CursorCase(
        order: "city, stars", values: ["LA", 4], start: true, inclusive: true, bound: nil),
      CursorCase(
        order: "city, stars", values: ["LA", 4], start: false, inclusive: true, bound: nil,
        isNothing: true),
      CursorCase(order: "city, stars", values: ["SF"], start: true, inclusive: true, bound: nil),
      CursorCase(
        order: "city, stars", values: ["SF"], start: true, inclusive: false, bound: nil,
        isNothing: true),
      CursorCase(
        order: "city desc, stars", values: ["LA"], start: true, inclusive: true, bound: nil,
        isNothing: true),
      CursorCase(
        order: "stars, city", values: [4, "LA"], start: true, inclusive: false,
        bound: SuffixBound(values: [4], inclusive: true)),
      CursorCase(
        order: "stars, city", values: [4, "SG"], start: true, inclusive: true,
        bound: SuffixBound(values: [4], inclusive: false)),
      CursorCase(
        order: "stars, city", values: [4, "SF"], start: false, inclusive: true,
        bound: SuffixBound(values: [4], inclusive: true)),
      CursorCase(
        order: "stars, city, N", values: [4, "SF", "b"], start: false, inclusive: true,
        bound: SuffixBound(values: [4, .reference(document("b"))], inclusive: true)),
    ])
  func cursors(_ row: CursorCase) throws {
    let bound = Bound(values: row.values, inclusive: row.inclusive)
    let question = query(
      equal("city", "SF"), order: row.order, start: row.start ? bound : nil,
      end: row.start ? nil : bound)
    let used = try plan(question, cs)
    if row.isNothing {
      #expect(used.disjunctions == [.nothing])
      return
    }
    guard case .scan(let scan)? = used.disjunctions.first else {
      Issue.record("not a scan: \(used.lines)")
      return
    }
    #expect((row.start ? scan.start : scan.end) == row.bound)
    #expect((row.start ? scan.end : scan.start) == nil)
  }

  @Test("A start behind the end leaves nothing")
  func crossedCursors() throws {
    let question = query(
      order: "stars desc", start: Bound(values: [3], inclusive: true),
      end: Bound(values: [4], inclusive: true))
    #expect(try plan(question).disjunctions == [.nothing])
    let group = query(
      order: "stars", start: Bound(values: [3], inclusive: true),
      end: Bound(values: [3], inclusive: false))
    #expect(try plan(group).disjunctions == [.nothing])
  }

  @Test("Cursors apply to lookups")
  func lookups() throws {
    let after = Bound(values: ["b"], inclusive: false)
    #expect(
      try plan(query(equal("N", "b"), order: "N", start: after)).disjunctions == [.nothing])
    #expect(
      try plan(query(equal("N", "c"), order: "N", start: after)).disjunctions
        == [.lookup([document("c")])])
  }

  @Test("Aggregated fields stand before the name, and cursors end before them")
  func aggregated() throws {
    let question = query(order: "stars", start: Bound(values: [4], inclusive: true))
    let used = try Planner(configuration: configuration([index("stars ASC, price ASC")]))
      .plan(NormalizedQuery(question), aggregating: [path("price"), path("stars")])
    guard case .scan(let scan)? = used.disjunctions.first else {
      Issue.record("not a scan")
      return
    }
    #expect(scan.suffix.map(\.path) == [path("stars"), path("price"), .documentName])
    #expect(scan.start?.positions == [0])
  }

  // Firestore: "This query requires an index with fields [price] after __name__ and Firestore does
  // not currently support such an index."
  @Test("No aggregated field stands after a name that the query orders by or filters")
  func aggregatedAfterName() throws {
    let orders = configuration([index("price ASC, stars ASC")])
    func reason(_ question: StructuredQuery) throws -> String? {
      do {
        _ = try outcome(question, orders, summing: ["price"])
        return nil
      } catch let error as HearthError {
        return error.reason
      }
    }
    var below = query(group: "restaurants")
    below.ancestor = document("a")
    for question in [
      query(order: "N"), query(order: "stars, N"), query(filter("N", .greaterThan, "a")),
      query(equal("N", "a")), query(.or([equal("N", "a"), equal("city")])), below,
      query(equal("price", 1), order: "N"),
    ] { #expect(try reason(question) == "AGGREGATION_AFTER_NAME") }
    for question in [
      query(), query(order: "price, N"), query(filter("N", .lessThan, "a"), order: "price"),
    ] { #expect(try reason(question) == nil) }
  }

  @Test("Plans in words")
  func lines() throws {
    let sf = equal("city", "SF")
    let above = filter("stars", .greaterThan, 3)
    #expect(
      try plan(query(sf, above, order: "stars desc"), csd).lines == [
        "scan (city ASC, stars DESC, __name__ DESC) where city == \"SF\" and stars > 3"
      ])
    #expect(
      try plan(query(sf, equal("open", .boolean(true)))).lines == [
        "merge (city ASC, __name__ ASC) ∩ (open ASC, __name__ ASC)"
          + " where city == \"SF\" and open == true"
      ])
    #expect(try plan(query()).lines == ["scan (__name__ ASC)"])
    #expect(
      try plan(query(filter("N", .in, strings("a", "b")))).lines
        == ["lookup 1 document", "lookup 1 document"])
    #expect(
      try plan(query(filter("stars", .notEqual, 3))).lines == [
        "scan (stars ASC, __name__ ASC) where (stars > null and stars < 3 or stars > 3)"
      ])
    #expect(
      try plan(query(order: "stars", start: Bound(values: [4], inclusive: false))).lines
        == ["scan (stars ASC, __name__ ASC) from (4) exclusive"])
    #expect(try plan(query(limit: 0)).lines == ["nothing"])
    #expect(
      try plan(query(filter("tags", .arrayContains, "bar"), filter("N", .greaterThan, "b"))).lines
        == [
          "scan (tags ARRAY_CONTAINS, __name__ ASC)"
            + " where tags array-contains \"bar\" and __name__ > restaurants/b"
        ])
  }
}
