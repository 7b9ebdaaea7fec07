import Hearth
import HearthTestSupport
import Testing

/// BR-034: every valid field name can be written, updated, deleted, queried, indexed and shown.
@Suite struct FieldNameReports {
  static let names = [
    "a.b", "a/b", "x-y", "9lives", "`t`", "p\\q\\r", "~*[]", "é", "e\u{301}", "a b", "\"q\"", "'",
    "\\", "`", "``\\`", "\\`", "*", "_", "__", "__x", "x__", "名", "🐵", "\n", "\0", "$where", "#",
    String(repeating: "n", count: 1500),
  ]

  @Test(arguments: names)
  func `BR-034: any valid name is written, updated, queried and deleted`(_ name: String)
    async throws
  {
    try await withDatabase { database in
      let things = database.collection("c")
      let path = FieldPath([name])
      let short = name.utf8.count < 1000
      try await things.document("a").setData([name: 1, "n": 1])
      try await things.document("b").setData(["n": 1])
      try await things.document("c").setData([name: 3, "n": 1])
      try await things.document("a").updateData([path: 5])
      let got = try await things.document("a").getDocument()
      #expect(got.value(path) == .integer(5))
      #expect(got.fields.count == 2)
      let equal = try await things.whereField(path, isEqualTo: 5).ids
      #expect(equal == ["a"])
      let ordered = try await things.order(by: path).ids
      #expect(ordered == ["c", "a"])
      if short {
        // In a map, where the path has more than one name.
        let inner = FieldPath(["m", name])
        try await things.document("b").updateData([inner: 7])
        let nested = try await things.whereField(inner, isGreaterThan: 6).ids
        #expect(nested == ["b"])
        try await things.document("b").setData(["m": [name: 8]], merge: true)
        let merged = try await things.whereField(inner, isEqualTo: 8).ids
        #expect(merged == ["b"])
        try await things.document("b").setData(["m": [name: 9], "n": 0], mergeFields: [inner])
        let listed = try await things.whereField(inner, isEqualTo: 9).ids
        #expect(listed == ["b"])
      }
      try await things.document("a").updateData([path: FieldValue.delete()])
      let left = try await things.order(by: path).ids
      #expect(left == ["c"])
      let report = try await database.verify()
      #expect(report.findings == [])
    }
  }

  @Test(arguments: names)
  func `BR-034: any valid name stands in an index file and in explain`(_ name: String)
    async throws
  {
    try await withDatabase { database in
      let things = database.collection("c")
      let path = FieldPath([name])
      try await things.document("a").setData([name: 1, "n": 1])
      let query = things.whereField("n", isEqualTo: 1).order(by: path, descending: true)
      let missing = try #require(try await missingIndex(query))
      // The fragment goes into a file as it is.
      try await database.setIndexConfiguration(
        #"{"indexes": [\#(missing.json)], "fieldOverrides": []}"#)
      let found = try await query.ids
      #expect(found == ["a"])
      let declared = try database.indexes
      #expect(declared.map(\.definition) == [missing.definition])
      // What explain shows is read back as the same path.
      let shown = try #require(try await query.explain().planSummary.indexesUsed.first)
      let properties = try #require(shown["properties"])
      let canonical = properties.dropFirst("(n ASC, ".count).dropLast(" DESC, __name__ DESC)".count)
      let readBack = try FieldPath(canonical: String(canonical))
      #expect(readBack == path)
    }
  }

  /// A fault of comparing with Swift's equality would merge them.
  @Test func `BR-034: names that differ in bytes only are two fields`() async throws {
    try await withDatabase { database in
      let document = database.document("c/d")
      let (composed, decomposed) = (FieldPath(["é"]), FieldPath(["e\u{301}"]))
      try await document.setData([:])
      try await document.updateData([composed: 1])
      try await document.updateData([decomposed: 2])
      let got = try await document.getDocument()
      #expect(got.value(composed) == .integer(1))
      #expect(got.value(decomposed) == .integer(2))
      for (path, value) in [(composed, 1), (decomposed, 2)] {
        let found = try await database.collection("c").whereField(path, isEqualTo: value).ids
        #expect(found == ["d"])
        let crossed = try await database.collection("c").whereField(path, isEqualTo: 3 - value).ids
        #expect(crossed == [])
      }
      try await document.updateData([composed: FieldValue.delete()])
      let left = try await document.getDocument()
      #expect(left.value(composed) == nil)
      #expect(left.value(decomposed) == .integer(2))
    }
  }

  @Test func `BR-034: empty and reserved names are refused, with their reason`() async throws {
    try await withDatabase { database in
      let document = database.document("c/d")
      try await document.setData(["a": 1])
      let long = String(repeating: "n", count: 1501)
      let name = await reason { try await document.setData(["": 1]) }
      #expect(name == "FIELD_NAME_EMPTY")
      let table: [(FieldPath, String)] = [
        (FieldPath([""]), "FIELD_PATH_SYNTAX"), (FieldPath(["a", ""]), "FIELD_PATH_SYNTAX"),
        (FieldPath([]), "FIELD_PATH_SYNTAX"), (FieldPath(["__x__"]), "FIELD_NAME_RESERVED"),
        (FieldPath(["a", "__x__"]), "FIELD_NAME_RESERVED"),
        (FieldPath(["____"]), "FIELD_NAME_RESERVED"),
        (FieldPath.documentID(), "FIELD_NAME_RESERVED"), (FieldPath([long]), "FIELD_NAME_TOO_LONG"),
      ]
      for (path, expected) in table {
        let update = await reason { try await document.updateData([path: 1]) }
        #expect(update == expected, "\(path)")
        if path == FieldPath.documentID() { continue }
        let query = await reason {
          _ = try await database.collection("c").whereField(path, isEqualTo: 1).getDocuments()
        }
        #expect(query == expected, "\(path)")
        let order = await reason {
          _ = try await database.collection("c").order(by: path).getDocuments()
        }
        #expect(order == expected, "\(path)")
      }
    }
  }
}
