import Hearth
import HearthTestSupport
import Testing

/// Reports about orders and what they leave out (section C).
@Suite struct OrderReports {
  private struct Named: Codable {
    var name: String
  }

  /// Every way in which a document can come to be must leave it in every index.
  @Test func `BR-045: an order has every document that has the field, however it was written`()
    async throws
  {
    let count = 113
    func check(_ database: Firestore) async throws {
      let things = database.collection("c")
      let all = try await things.ids
      #expect(all.count == count)
      for descending in [false, true] {
        let whole = things.order(by: "name", descending: descending)
        let ordered = try await whole.ids
        #expect(Set(ordered) == Set(all) && ordered.count == count)
        var paged: [String] = []
        var page = whole.limit(to: 10)
        while let last = try await page.getDocuments().documents.last {
          paged += try await page.ids
          page = whole.start(afterDocument: last).limit(to: 10)
        }
        #expect(paged == ordered)
      }
      let composite = things.whereField("kind", isEqualTo: 1).order(by: "name")
      let kinds = try await things.whereField("kind", isEqualTo: 1).ids
      let ordered = try await composite.ids
      #expect(Set(ordered) == Set(kinds) && kinds.count > 40)
      let report = try await database.verify()
      #expect(report.findings == [])
    }
    let index = IndexDefinition(
      collectionID: "c",
      fields: [
        IndexField(FieldPath(["kind"]), .ascending), IndexField(FieldPath(["name"]), .ascending),
      ])
    try await withReopening(
      { database in
        try await writeInEveryWay(count, database.collection("c"))
        try await database.createIndex(index)
        try await check(database)
      },
      { database in
        try await check(database)
        try await database.dropIndex(index)
        try await database.createIndex(index)
        try await check(database)
      }, check)
  }

  private func writeInEveryWay(_ count: Int, _ things: CollectionReference) async throws {
    let database = things.firestore
    for number in 0..<count {
      let document = things.document("d\(number)")
      let data: [String: Any] = ["name": "n\(number * 37 % count)", "kind": number % 2]
      switch number % 8 {
      case 0: try await document.setData(data)
      case 1: try await database.batch().setData(data, forDocument: document).commit()
      case 2:
        let name = "n\(number * 37 % count)"
        _ = try await database.runTransaction {
          $0.setData(["name": name, "kind": number % 2], forDocument: document)
        }
      case 3: try await document.setData(data, merge: true)
      case 4:
        try await document.setData([:])
        try await document.updateData(data)
      case 5: try await document.setData(data, mergeFields: ["name", "kind"])
      case 6:
        try await document.setData(["kind": number % 2])
        try await document.setData(from: Named(name: "n\(number * 37 % count)"), merge: true)
      default: document.setData(data, completion: nil)
      }
    }
    for number in 0..<20 {
      let document = things.document("d\(number * 5)")
      try await document.delete()
      try await document.setData(["name": "again \(number)", "kind": number % 2])
    }
  }

  @Test func `BR-046: documents without an ordered field are left out`() async throws {
    try await withDatabase { database in
      let things = database.collection("c")
      try await fill(things, 0..<8) { $0 < 6 ? ["submitted": $0 == 0 ? NSNull() : $0] : ["x": 1] }
      let all = try await things.ids
      #expect(all.count == 8)
      // Null is a value, absence is none.
      for descending in [false, true] {
        let ordered = try await things.order(by: "submitted", descending: descending).ids
        #expect(ordered.count == 6)
      }
      let hints = try await things.order(by: "submitted").limit(to: 3).explain(analyze: true).hints
      #expect(hints.count == 1 && hints.first?.contains("2 documents") == true)
      let unordered = try await things.explain(analyze: true).hints
      #expect(unordered == [])
      let last = try await things.order(by: "submitted").limit(toLast: 8).ids
      #expect(last.count == 6)
      // An inequality orders, too; in all branches.
      let either = things.whereFilter(
        .orFilter([
          .whereField("submitted", isGreaterThan: 3), .whereField("x", isEqualTo: 1),
        ]))
      if let missing = try await missingIndex(either) {
        try await database.createIndex(missing.definition)
      }
      let found = try await either.ids
      #expect(found == ["d4", "d5"])
    }
  }

  @Test func `BR-053: a document that loses the ordered field leaves, and the next slides in`()
    async throws
  {
    try await withDatabase { database in
      let things = database.collection("c")
      for number in 1...5 { try await things.document("\(number)").setData(["f": number]) }
      let iterator = things.order(by: "f").limit(to: 3).snapshots.makeAsyncIterator()
      func next() async throws -> [String] {
        let snapshot = try #require(try await iterator.next())
        return snapshot.documentChanges.map { change in
          let old = change.oldPosition.map { "\($0)" } ?? "-"
          let new = change.newPosition.map { "\($0)" } ?? "-"
          return "\(change.type) \(change.document.documentID) \(old) \(new)"
        }
      }
      let first = try await next()
      #expect(first == ["added 1 - 0", "added 2 - 1", "added 3 - 2"])
      try await things.document("2").updateData(["f": FieldValue.delete()])
      let second = try await next()
      #expect(second == ["removed 2 1 -", "added 4 - 2"])
      // It comes back in where its value puts it; replacing the document loses the field as well.
      try await things.document("2").updateData(["f": 0])
      let third = try await next()
      #expect(third == ["removed 4 2 -", "added 2 - 0"])
      try await things.document("1").setData(["g": 1])
      let fourth = try await next()
      #expect(fourth == ["removed 1 1 -", "added 4 - 2"])
      try await things.document("3").delete()
      let fifth = try await next()
      #expect(fifth == ["removed 3 1 -", "added 5 - 2"])
    }
  }

  @Test func `BR-055: other range fields follow the explicit orders by path, in their direction`()
    async throws
  {
    try await withDatabase { database in
      let things = database.collection("c")
      func range(_ fields: String...) -> Query {
        fields.reduce(things as Query) { $0.whereField($1, isGreaterThan: 0) }
      }
      let table: [(Query, String)] = [
        (
          range("added", "ends").order(by: "added", descending: true),
          "(added DESC, ends DESC, __name__ DESC)"
        ),
        (range("b", "a"), "(a ASC, b ASC, __name__ ASC)"),
        (range("b", "a").order(by: "b"), "(b ASC, a ASC, __name__ ASC)"),
        (
          range("c", "a", "b").order(by: "b", descending: true),
          "(b DESC, a DESC, c DESC, __name__ DESC)"
        ),
        (
          range("a").order(by: "z").order(by: "y", descending: true),
          "(z ASC, y DESC, a DESC, __name__ DESC)"
        ),
        (range("a.b", "a-b", "a"), "(a ASC, a.b ASC, `a-b` ASC, __name__ ASC)"),
        (
          things.whereField("x", isNotEqualTo: 1).whereField("a", isLessThan: 1),
          "(a ASC, x ASC, __name__ ASC)"
        ),
        (
          range("b", "a").order(by: "b").order(by: FieldPath.documentID(), descending: true),
          "nothing can follow the name"
        ),
      ]
      for (query, expected) in table {
        if expected.hasPrefix("(") {
          let missing = try #require(try await missingIndex(query))
          #expect(missing.definition.description == expected)
          try await database.createIndex(missing.definition)
          let summary = try await query.explain().planSummary
          #expect(Set(summary.indexes.map(\.description)) == [expected])
          #expect(summary.order == expected)
        } else {
          let why = await reason { _ = try await query.getDocuments() }
          #expect(why == "ORDER_AFTER_NAME")
        }
      }
    }
  }

  @Test func `BR-056: the name follows the last order; another direction is an index of its own`()
    async throws
  {
    try await withDatabase { database in
      let things = database.collection("c")
      for id in ["a", "b", "c"] {
        try await things.document(id).setData(["text": id == "c" ? "y" : "z", "k": 1])
      }
      let falling = things.order(by: "text", descending: true)
      let plain = try await falling.ids
      #expect(plain == ["b", "a", "c"])
      let used = try await falling.indexesUsed
      #expect(used == ["(text DESC, __name__ DESC)"])
      let mixed = falling.order(by: FieldPath.documentID())
      let error = await #expect(throws: HearthError.self) { _ = try await mixed.getDocuments() }
      #expect(error?.status == .failedPrecondition)
      #expect(error?.message.contains("(text DESC, __name__ ASC)") == true)
      let missing = try #require(try await missingIndex(mixed))
      #expect(missing.definition.description == "(text DESC, __name__ ASC)")
      try await database.createIndex(missing.definition)
      let found = try await mixed.ids
      #expect(found == ["a", "b", "c"])
      let other = things.order(by: "text").order(by: FieldPath.documentID(), descending: true)
      let definition = try #require(try await missingIndex(other)).definition
      #expect(definition.description == "(text ASC, __name__ DESC)")
      try await database.setIndexConfiguration(
        #"{"indexes": [\#(try #require(try await missingIndex(other)).json)]}"#)
      let reversed = try await other.ids
      #expect(reversed == ["c", "b", "a"])
    }
  }
}
