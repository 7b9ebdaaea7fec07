import HearthModel
import HearthPlanner
import Testing

/// One row of the table in documents-and-queries 6.9.
struct IndexCase: Sendable, CustomTestStringConvertible {
  enum Expected: Sendable {
    /// The indexes used, one per scan.
    case served([String], by: Shape)
    case missing(String)
    case singleFieldMissing(String)
  }
  enum Shape: Sendable { case scan, merge, lookup }

  let row: String
  let query: StructuredQuery
  let expected: Expected
  var composites: [String] = []
  var overrides: [FieldOverride] = []
  var scope = IndexScope.collection
  var summing: [String] = []

  var testDescription: String { row }
}

private let cs = "city ASC, stars ASC"
private let csd = "city ASC, stars DESC"
private let ks = "category ASC, stars ASC"
private let kc = "category ASC, city ASC"

private func scans(_ indexes: String...) -> IndexCase.Expected { .served(indexes, by: .scan) }
private func merges(_ indexes: String...) -> IndexCase.Expected { .served(indexes, by: .merge) }

private let two = strings("a", "b")
private let ref = Value.reference(document("r"))

private let cases: [IndexCase] = [
  IndexCase(row: "1", query: query(), expected: scans("N ASC")),
  IndexCase(row: "2", query: query(order: "N desc"), expected: .missing("N DESC")),
  IndexCase(row: "3", query: query(filter("N", .greaterThan, ref)), expected: scans("N ASC")),
  IndexCase(row: "4", query: query(equal("N", ref)), expected: .served(["N ASC"], by: .lookup)),
  IndexCase(
    row: "4 in", query: query(filter("N", .in, .array([ref, "s"]))),
    expected: .served(["N ASC", "N ASC"], by: .lookup)),
  IndexCase(row: "5", query: query(equal("city", "SF")), expected: scans("city ASC")),
  IndexCase(row: "6", query: query(equal("city"), order: "N desc"), expected: scans("city DESC")),
  IndexCase(row: "7", query: query(filter("stars", .greaterThan, 3)), expected: scans("stars ASC")),
  IndexCase(
    row: "8", query: query(filter("stars", .greaterThan, 3), order: "stars desc"),
    expected: scans("stars DESC")),
  IndexCase(
    row: "9", query: query(order: "stars desc, N asc"), expected: .missing("stars DESC, N ASC")),
  IndexCase(
    row: "10", query: query(filter("stars", .notEqual, 3)),
    expected: scans("stars ASC", "stars ASC")),
  IndexCase(
    row: "11", query: query(filter("city", .notIn, two)),
    expected: scans("city ASC", "city ASC", "city ASC")),
  IndexCase(
    row: "12", query: query(filter("city", .in, two)), expected: scans("city ASC", "city ASC")),
  IndexCase(
    row: "13", query: query(filter("city", .in, two), order: "city desc"),
    expected: scans("city DESC", "city DESC")),
  IndexCase(
    row: "14", query: query(filter("tags", .arrayContains, "x")), expected: scans("tags CONTAINS")),
  IndexCase(
    row: "15", query: query(filter("tags", .arrayContainsAny, strings("x", "y"))),
    expected: scans("tags CONTAINS", "tags CONTAINS")),
  IndexCase(
    row: "16", query: query(equal("city"), equal("category")),
    expected: merges("category ASC", "city ASC")),
  IndexCase(
    row: "17", query: query(equal("city"), equal("area"), equal("category")),
    expected: merges(kc, "area ASC"), composites: [kc]),
  IndexCase(
    row: "18", query: query(equal("city"), equal("price", .null)),
    expected: merges("city ASC", "price ASC")),
  IndexCase(
    row: "19", query: query(filter("tags", .arrayContains, "x"), equal("city")),
    expected: merges("city ASC", "tags CONTAINS")),
  IndexCase(
    row: "20", query: query(equal("city"), order: "stars"), expected: .missing(cs)),
  IndexCase(
    row: "21", query: query(equal("city"), order: "stars"), expected: scans(cs), composites: [cs]),
  IndexCase(
    row: "22", query: query(equal("city"), order: "stars desc"), expected: .missing(csd),
    composites: [cs]),
  IndexCase(
    row: "23", query: query(equal("city"), filter("stars", .greaterThanOrEqual, 4)),
    expected: .missing(cs)),
  IndexCase(
    row: "24", query: query(filter("city", .in, two), filter("stars", .greaterThanOrEqual, 4)),
    expected: scans(cs, cs), composites: [cs]),
  IndexCase(
    row: "25", query: query(equal("city"), equal("category"), order: "stars"),
    expected: merges(cs, ks), composites: [cs, ks]),
  IndexCase(
    row: "26",
    query: query(equal("city"), equal("category"), filter("stars", .greaterThan, 3)),
    expected: merges(cs, ks), composites: [cs, ks]),
  IndexCase(
    row: "27", query: query(equal("city"), equal("category"), order: "stars"),
    expected: .missing("category ASC, city ASC, stars ASC"), composites: [cs]),
  IndexCase(
    row: "28", query: query(equal("city"), equal("category"), order: "stars"),
    expected: .missing("category ASC, city ASC, stars ASC"), composites: [csd, ks]),
  IndexCase(
    row: "29", query: query(filter("price", .greaterThan, 1), filter("stars", .greaterThan, 3)),
    expected: .missing("price ASC, stars ASC")),
  IndexCase(
    row: "30",
    query: query(
      filter("price", .greaterThan, 1), filter("stars", .greaterThan, 3), order: "stars desc"),
    expected: .missing("stars DESC, price DESC")),
  IndexCase(
    row: "31", query: query(filter("stars", .greaterThan, 3), order: "price"),
    expected: .missing("price ASC, stars ASC")),
  IndexCase(
    row: "32", query: query(equal("city"), filter("stars", .notEqual, 3), order: "price desc"),
    expected: .missing("city ASC, price DESC, stars DESC")),
  IndexCase(
    row: "33", query: query(.or([equal("city"), equal("open", .boolean(true))])),
    expected: scans("city ASC", "open ASC")),
  IndexCase(
    row: "34", query: query(.or([equal("city"), filter("stars", .greaterThan, 3)])),
    expected: .missing(cs)),
  IndexCase(
    row: "34 once added", query: query(.or([equal("city"), filter("stars", .greaterThan, 3)])),
    expected: scans(cs, "stars ASC"), composites: [cs]),
  IndexCase(
    row: "35", query: query(.or([equal("city"), equal("open", .boolean(true))]), order: "stars"),
    expected: .missing("open ASC, stars ASC"), composites: [cs]),
  IndexCase(
    row: "36", query: query(filter("tags", .arrayContains, "x"), order: "stars desc"),
    expected: .missing("tags CONTAINS, stars DESC")),
  IndexCase(
    row: "37",
    query: query(
      filter("tags", .arrayContains, "x"), equal("zip"), equal("city"), order: "stars desc"),
    expected: .missing("tags CONTAINS, city ASC, zip ASC, stars DESC")),
  IndexCase(
    row: "38", query: query(equal("city"), order: "stars", limit: 2, toLast: true),
    expected: .missing(csd), composites: [cs]),
  IndexCase(
    row: "39", query: query(order: "stars", limit: 2, toLast: true),
    expected: scans("stars DESC")),
  IndexCase(
    row: "40", query: query(equal("city"), order: "city asc, stars desc"), expected: scans(csd),
    composites: [csd]),
  IndexCase(
    row: "41", query: query(filter("city", .in, two), order: "stars desc, city asc"),
    expected: .missing("city ASC, stars DESC, N ASC"), composites: [csd]),
  IndexCase(
    row: "42", query: query(equal("city"), order: "stars"), expected: .missing(cs),
    composites: ["city ASC, stars ASC, price ASC"]),
  IndexCase(
    row: "43", query: query(equal("city"), filter("N", .greaterThan, ref)),
    expected: scans("city ASC")),
  IndexCase(
    row: "44", query: query(filter("stars", .greaterThan, 3), filter("N", .greaterThan, ref)),
    expected: scans("stars ASC")),
  IndexCase(
    row: "45", query: query(group: "restaurants"), expected: scans("N ASC"),
    scope: .collectionGroup),
  IndexCase(
    row: "46", query: query(equal("userId", "u"), group: "restaurants"),
    expected: .singleFieldMissing("userId ASC"), scope: .collectionGroup),
  IndexCase(
    row: "47", query: query(equal("userId"), order: "timestamp desc", group: "restaurants"),
    expected: .missing("userId ASC, timestamp DESC"), scope: .collectionGroup),
  IndexCase(
    row: "48", query: query(equal("note")), expected: .singleFieldMissing("note ASC"),
    overrides: [override("note", [])]),
  IndexCase(
    row: "49", query: query(order: "note desc"), expected: .singleFieldMissing("note DESC"),
    overrides: [override("note", [.ascending])]),
  IndexCase(
    row: "50", query: query(equal("city"), equal("note")), expected: scans("city ASC, note ASC"),
    composites: ["city ASC, note ASC"], overrides: [override("note", [])]),
  IndexCase(row: "51", query: query(), expected: scans("price ASC"), summing: ["price"]),
  IndexCase(
    row: "52", query: query(equal("city")), expected: .missing("city ASC, price ASC"),
    summing: ["price"]),
  IndexCase(
    row: "53", query: query(equal("city")),
    expected: .missing("city ASC, price ASC, stars ASC"), summing: ["stars", "price"]),
  IndexCase(
    row: "54", query: query(equal("city"), filter("stars", .greaterThan, 3)),
    expected: .missing(cs)),
  IndexCase(
    row: "55", query: query(equal("category"), equal("city"), order: "avgRating desc"),
    expected: .missing("category ASC, city ASC, avgRating DESC")),
  IndexCase(
    row: "55 merged", query: query(equal("category"), equal("city"), order: "avgRating desc"),
    expected: merges("category ASC, avgRating DESC", "city ASC, avgRating DESC"),
    composites: ["category ASC, avgRating DESC", "city ASC, avgRating DESC"]),
]

@Suite struct IndexCasesTests {
  @Test("The table of 6.9", arguments: cases)
  func row(_ row: IndexCase) throws {
    let configuration = configuration(
      row.composites.map { index($0) }, overrides: row.overrides)
    let outcome = try outcome(row.query, configuration, summing: row.summing)
    switch (row.expected, outcome) {
    case (.served(let indexes, let shape), .plan(let plan)):
      #expect(plan.indexesUsed == indexes.map { index($0, scope: row.scope) })
      #expect(plan.disjunctions.allSatisfy { self.shape($0) == shape })
    case (.missing(let text), .missing(let definition, let reason)):
      #expect(definition == index(text, scope: row.scope))
      #expect(reason == "INDEX_MISSING")
    case (.singleFieldMissing(let text), .missing(let definition, let reason)):
      #expect(definition == index(text, scope: row.scope))
      #expect(reason == "INDEX_SINGLE_FIELD_MISSING")
    default: Issue.record("row \(row.row): \(outcome)")
    }
  }

  private func shape(_ plan: DisjunctionPlan) -> IndexCase.Shape? {
    switch plan {
    case .nothing: nil
    case .lookup: .lookup
    case .scan: .scan
    case .merge: .merge
    }
  }
}
