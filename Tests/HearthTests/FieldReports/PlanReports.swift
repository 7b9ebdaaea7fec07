import Hearth
import HearthTestSupport
import Testing

/// Reports about plans that changed unnoticed or refused an index that serves (section D).
@Suite struct PlanReports {
  @Test func `BR-072: plans change only with their golden file`() async throws {
    try await withDatabase { database in
      try await database.setIndexConfiguration(PlanShape.indexes)
      var text = ""
      for shape in PlanShape.all(database.collection("r")) {
        text += "\(shape.text)\n"
        let outcome: String
        do {
          outcome = try await shape.query.explain().description
        } catch let error as HearthError {
          outcome = "\(error.reason): \(error.message)"
        }
        for line in outcome.split(separator: "\n") { text += "    \(line)\n" }
      }
      try Golden(name: "plans.txt").check(text)
    }
  }

  /// A query of the matrix with the test that its results must pass.
  private struct Cell {
    var name: String
    var query: Query
    var passes: (Document) -> Bool
  }

  private struct Document {
    var id: String
    var a: Int?
    var o: Int?
    var t: [String]?

    init(_ number: Int) {
      id = "d" + (number < 10 ? "0" : "") + "\(number)"
      a = number % 7 == 0 ? nil : number % 5
      o = number % 11 == 0 ? nil : (number * 7) % 13
      t =
        number % 6 == 0
        ? nil
        : ["x", "y", "z"].enumerated().filter { number % ($0.offset + 2) == 0 }
          .map(\.element)
    }

    var data: [String: Any] {
      var data: [String: Any] = [:]
      if let a { data["a"] = a }
      if let o { data["o"] = o }
      if let t { data["t"] = t }
      return data
    }
  }

  private func filters(_ things: CollectionReference) -> [Cell] {
    [
      Cell(name: "a ==", query: things.whereField("a", isEqualTo: 2)) { $0.a == 2 },
      Cell(name: "a <", query: things.whereField("a", isLessThan: 3)) { ($0.a ?? 9) < 3 },
      Cell(name: "a in", query: things.whereField("a", in: [1, 3])) { [1, 3].contains($0.a) },
      Cell(name: "a !=", query: things.whereField("a", isNotEqualTo: 2)) {
        $0.a != nil && $0.a != 2
      },
      Cell(name: "a not-in", query: things.whereField("a", notIn: [0, 4])) {
        $0.a != nil && $0.a != 0 && $0.a != 4
      },
      Cell(name: "t array-contains", query: things.whereField("t", arrayContains: "y")) {
        $0.t?.contains("y") == true
      },
      Cell(
        name: "a == or o ==",
        query: things.whereFilter(
          .orFilter([.whereField("a", isEqualTo: 1), .whereField("o", isEqualTo: 3)]))
      ) { $0.a == 1 || $0.o == 3 },
    ]
  }

  /// The filter of a cell with each order: the documents must have the ordered field.
  private func orders(_ cell: Cell) -> [Cell] {
    let same = cell.name.hasPrefix("t") ? "t" : "a"
    func ordered(_ field: String, _ descending: Bool) -> Cell {
      Cell(
        name: "\(cell.name), by \(field)\(descending ? " desc" : "")",
        query: cell.query.order(by: field, descending: descending)
      ) { document in
        let has = field == "a" ? document.a != nil : field == "o" ? document.o != nil : true
        return has && cell.passes(document)
      }
    }
    return [cell] + [false, true].flatMap { [ordered(same, $0), ordered("o", $0)] }
  }

  private func outcome(_ query: Query) async throws -> String {
    if let missing = try await missingIndex(query) { return "needs \(missing.definition)" }
    var used: [String] = []
    for index in try await query.indexesUsed where !used.contains(index) { used.append(index) }
    return used.joined(separator: " + ")
  }

  private let composites = """
    {"indexes": [
      {"collectionGroup": "c", "queryScope": "COLLECTION", "fields": [
        {"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "o", "order": "ASCENDING"}]},
      {"collectionGroup": "c", "queryScope": "COLLECTION", "fields": [
        {"fieldPath": "o", "order": "ASCENDING"}, {"fieldPath": "a", "order": "ASCENDING"}]},
      {"collectionGroup": "c", "queryScope": "COLLECTION", "fields": [
        {"fieldPath": "t", "arrayConfig": "CONTAINS"}, {"fieldPath": "o", "order": "ASCENDING"}]}
    ]}
    """

  @Test func `BR-077: every refusal names an index that serves, and every plan finds all`()
    async throws
  {
    let documents = (0..<60).map { Document($0) }
    var text = ""
    for declared in ["automatic indexes", "with composites"] {
      text += "\(declared)\n"
      try await withDatabase { database in
        let things = database.collection("c")
        if declared != "automatic indexes" { try await database.setIndexConfiguration(composites) }
        try await fill(things, 0..<60, id: { documents[$0].id }) { documents[$0].data }
        for cell in filters(things).flatMap(orders) {
          text += "    \(cell.name): \(try await outcome(cell.query))\n"
          // What the advice says is declared, so each refusal is followed to its end.
          var created: [IndexDefinition] = []
          while let missing = try await missingIndex(cell.query) {
            #expect(!created.contains(missing.definition), "\(cell.name): the same advice twice")
            if created.contains(missing.definition) { break }
            try await database.createIndex(missing.definition)
            created.append(missing.definition)
          }
          let found = try await cell.query.ids
          let expected = documents.filter(cell.passes).map(\.id)
          #expect(Set(found) == Set(expected) && found.count == expected.count, "\(cell.name)")
          for index in created { try await database.dropIndex(index) }
        }
      }
    }
    try Golden(name: "plan-matrix.txt").check(text)
  }
}
