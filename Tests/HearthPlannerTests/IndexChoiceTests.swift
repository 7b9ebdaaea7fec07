import HearthModel
import HearthPlanner
import Testing

@Suite struct IndexChoiceTests {
  private let both = query(equal("city"), equal("category"), equal("area"), order: "stars")

  @Test("An automatic index goes before a composite that serves as well")
  func automaticFirst() throws {
    // (city DESC, N ASC) also serves city ==, as P may have either direction.
    let configuration = configuration([index("city DESC, N ASC")])
    #expect(try plan(query(equal("city")), configuration).indexesUsed == [index("city ASC")])
  }

  @Test("Of several composites the first in definition order serves, any permutation of P")
  func firstComposite() throws {
    let first = index("category DESC, city ASC, stars ASC")
    let second = index("city ASC, category ASC, stars ASC")
    let question = query(equal("city"), equal("category"), order: "stars")
    for order in [[first, second], [second, first]] {
      #expect(try plan(question, configuration(order)).indexesUsed == [order[0]])
    }
    guard case .scan(let scan)? = try plan(question, configuration([first])).disjunctions.first
    else {
      Issue.record("not a scan")
      return
    }
    #expect(scan.prefix.count == 2)
    #expect(scan.suffix == [OrderBy(path("stars")), OrderBy(.documentName)])
  }

  @Test("While overrides change, only what is configured before and after serves")
  func changingOverrides() throws {
    let ascending = SingleFieldIndex(mode: .ascending, scope: .collection)
    let group = SingleFieldIndex(mode: .ascending, scope: .collectionGroup)
    let configuration = IndexConfiguration(
      overrides: [
        FieldOverride(
          collectionID: "restaurants", path: path("city"), indexes: [ascending, group])
      ],
      changes: [OverrideChange(collectionID: "restaurants", previous: [])])
    #expect(try plan(query(equal("city")), configuration).indexesUsed == [index("city ASC")])
    func reason(_ query: StructuredQuery) -> String? {
      #expect(throws: HearthError.self) { try plan(query, configuration) }?.reason
    }
    // New, and not complete; given up, and gone at once.
    #expect(reason(query(equal("city"), group: "restaurants")) == "INDEX_BUILDING")
    #expect(
      reason(query(filter("city", .arrayContains, "x"))) == "INDEX_SINGLE_FIELD_MISSING")
  }

  @Test("Prefix values follow the order of the index, not of the query")
  func prefixOrder() throws {
    let question = query(
      equal("city", "SF"), equal("category", .null), filter("tags", .arrayContains, "bar"),
      order: "stars")
    let definition = index("tags CONTAINS, category ASC, city ASC, stars ASC")
    let used = try plan(question, configuration([definition])).disjunctions
    guard case .scan(let scan)? = used.first else {
      Issue.record("not a scan: \(used)")
      return
    }
    #expect(scan.prefix == ["bar", .null, "SF"])
  }

  @Test("Merge takes the members with most leading fields first and none that adds nothing")
  func mergeOrder() throws {
    let indexes = [
      index("city ASC, stars ASC"), index("area ASC, stars ASC"),
      index("category ASC, stars ASC"), index("category ASC, city ASC, stars ASC"),
    ]
    #expect(
      try plan(both, configuration(indexes)).indexesUsed
        == [index("category ASC, city ASC, stars ASC"), index("area ASC, stars ASC")])
    #expect(
      try plan(both, configuration(Array(indexes.prefix(3)))).indexesUsed
        == Array(indexes.prefix(3)))
  }

  @Test("A merge needs all its members ready")
  func mergeNeedsReady() throws {
    var configuration = configuration([
      index("city ASC, stars ASC"), index("area ASC, stars ASC"), index("category ASC, stars ASC"),
    ])
    configuration.composites[1].state = .creating
    #expect(
      try outcome(both, configuration)
        == .missing(
          index("area ASC, category ASC, city ASC, stars ASC"), reason: "INDEX_MISSING"))
  }

  @Test("The one relaxation: a sole automatic index of the other mode serves one equality")
  func relaxation() throws {
    let descendingOnly = configuration([], overrides: [override("city", [.descending])])
    let used = try plan(query(equal("city")), descendingOnly)
    #expect(used.indexesUsed == [index("city DESC")])
    guard case .scan(let scan)? = used.disjunctions.first else {
      Issue.record("not a scan")
      return
    }
    // The suffix, not the index, says how to read.
    #expect(scan.suffix == [OrderBy(.documentName)])
    #expect(scan.direction == .ascending)

    // Not for two equalities, and not for an order.
    #expect(
      try outcome(query(equal("city"), equal("area")), descendingOnly)
        == .missing(index("area ASC, city ASC"), reason: "INDEX_MISSING"))
    #expect(
      try outcome(query(order: "city"), descendingOnly)
        == .missing(index("city ASC"), reason: "INDEX_SINGLE_FIELD_MISSING"))
  }

  @Test("array-contains in descending name order has no automatic index")
  func containsDescending() throws {
    #expect(
      try outcome(
        query(filter("tags", .arrayContains, "x"), order: "N desc"), IndexConfiguration())
        == .missing(index("tags CONTAINS, N DESC"), reason: "INDEX_MISSING"))
  }

  @Test("Building and broken indexes do not serve, and the error says which it is")
  func states() throws {
    let question = query(equal("city"), order: "stars")
    let definition = index("city ASC, stars ASC")
    #expect(
      try outcome(question, configuration([definition], state: .creating))
        == .missing(definition, reason: "INDEX_BUILDING"))
    #expect(
      try outcome(question, configuration([definition], state: .needsRepair))
        == .missing(definition, reason: "INDEX_NEEDS_REPAIR"))
    // An index that would serve but is not the suggested one is not mentioned.
    #expect(
      try outcome(question, configuration([index("city DESC, stars ASC")], state: .creating))
        == .missing(definition, reason: "INDEX_MISSING"))
  }

  @Test("The scopes never stand in for each other, nor do other collections")
  func scopes() throws {
    let question = query(equal("city"), order: "stars")
    for other in [
      index("city ASC, stars ASC", scope: .collectionGroup),
      index("city ASC, stars ASC", collection: "ratings"),
    ] {
      #expect(
        try outcome(question, configuration([other]))
          == .missing(index("city ASC, stars ASC"), reason: "INDEX_MISSING"))
    }
  }

  @Test("A group-scope override serves group queries")
  func groupOverride() throws {
    let single = [SingleFieldIndex(mode: .ascending, scope: .collectionGroup)]
    let configuration = configuration(
      [],
      overrides: [
        FieldOverride(collectionID: "restaurants", path: path("city"), indexes: single)
      ])
    #expect(
      try plan(query(equal("city"), group: "restaurants"), configuration).indexesUsed
        == [index("city ASC", scope: .collectionGroup)])
  }

  @Test(
    "Contradictory filters find nothing but still need their index",
    arguments: [
      [filter("stars", .greaterThan, 3), filter("stars", .lessThan, "a")],
      [filter("stars", .greaterThan, 3), filter("stars", .lessThan, 3)],
      [filter("stars", .greaterThan, .null)], [filter("stars", .lessThanOrEqual, .double(.nan))],
      [filter("stars", .notIn, .array([1, .null]))],
      [filter("stars", .greaterThan, 1), equal("city", "LA")],
      [filter("stars", .greaterThan, 1), filter("city", .in, .array([.null]))],
      [filter("stars", .greaterThan, 1), filter("city", .greaterThan, "T")],
    ])
  func contradictions(_ filters: [QueryFilter]) throws {
    var question = query(order: "stars")
    question.filter = .and([equal("city", "SF")] + filters)
    guard case .missing = try outcome(question, IndexConfiguration()) else {
      Issue.record("no index was asked for")
      return
    }
    let served = configuration([index("city ASC, stars ASC")])
    let used = try plan(question, served)
    #expect(used.disjunctions == [.nothing])
    #expect(used.indexesUsed.isEmpty)
  }

  @Test("Limit 0 reads nothing but needs its index")
  func limitZero() throws {
    let question = query(equal("city"), order: "stars", limit: 0)
    guard case .missing = try outcome(question, IndexConfiguration()) else {
      Issue.record("no index was asked for")
      return
    }
    let served = configuration([index("city ASC, stars ASC")])
    #expect(try plan(question, served).indexesUsed.isEmpty)
  }

  @Test("The message names the definition, the way to make it, and the order of range fields")
  func message() throws {
    let question = query(filter("price", .greaterThan, 1), filter("stars", .greaterThan, 3))
    do {
      _ = try plan(question)
      Issue.record("no index was asked for")
    } catch let error as HearthError {
      for part in [
        "(price ASC, stars ASC, __name__ ASC)", "createIndex", "firestore.indexes.json",
        "most selective",
      ] {
        #expect(error.message.contains(part))
      }
    }
  }

  @Test("A missing single-field index is named by scope and mode")
  func singleFieldMessage() throws {
    do {
      _ = try plan(query(equal("userId"), group: "ratings"))
      Issue.record("no index was asked for")
    } catch let error as HearthError {
      for part in ["COLLECTION_GROUP_ASC", "'ratings'", "'userId'", "fieldOverrides"] {
        #expect(error.message.contains(part))
      }
    }
  }
}
