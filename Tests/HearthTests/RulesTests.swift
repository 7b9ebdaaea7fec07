import Hearth
import HearthTestSupport
import Testing

/// Rules of documents-and-queries that are easily got wrong, as a user meets them.
@Suite struct RulesTests {
  /// A leading slash of a path below another one gave an empty segment.
  @Test func `one slash around a path is tolerated, also below another path`() async throws {
    try await withDatabase { database in
      let same = [
        database.document("a/b/c/d"), database.document("/a/b/c/d"), database.document("a/b/c/d/"),
        database.document("/a/b/c/d/"), database.collection("a").document("/b/c/d"),
        database.collection("a").document("b/c/d/"),
        database.document("a/b").collection("/c/")
          .document("/d/"), database.collection("/a/b/c/").document("d"),
      ]
      for document in same {
        let why = await reason { _ = try await document.getDocument() }
        #expect(why == nil, "\(document.path)")
        #expect(document.path == "a/b/c/d")
      }
      for document in [
        database.collection("a").document("//b"), database.collection("a").document("/"),
        database.document("a/b").collection("//c").document("d"), database.document("//a/b"),
        database.document("a/b//"),
      ] {
        let why = await reason { _ = try await document.getDocument() }
        #expect(why == "PATH_EMPTY_SEGMENT", "\(document.path)")
      }
    }
  }

  @Test func `ids are their bytes: not normalised, not folded, not trimmed`() async throws {
    try await withDatabase { database in
      let ids = ["é", "e\u{301}", "E", "e", " e", "e ", "\u{0}", "\u{212b}", "Å", "A\u{30a}"]
      for (number, id) in ids.enumerated() {
        try await database.collection("c").document(id).setData(["n": number])
        try await database.collection(id).document("d").setData(["n": number])
      }
      let all = try await database.collection("c").getDocuments()
      #expect(all.count == ids.count)
      let bytes = all.documents.map { Array($0.documentID.utf8) }
      #expect(bytes == ids.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
      for (number, id) in ids.enumerated() {
        let one = try await database.collection("c").document(id).getDocument()
        #expect(one.get("n") as? Int == number)
        let other = try await database.collection(id).getDocuments()
        #expect(other.documents.map { $0.get("n") as? Int } == [number])
        let found = try await database.collection("c")
          .whereField(FieldPath.documentID(), isEqualTo: id).getDocuments()
        #expect(found.documents.map { $0.get("n") as? Int } == [number])
      }
      let left = database.collection("c").document("é")
      #expect(left != database.collection("c").document("e\u{301}"))
    }
  }

  @Test func `names sort numeric ids first, and then by bytes`() async throws {
    try await withDatabase { database in
      let order = [
        "__id-2__", "__id7__", "__id12__", "12", "7", "A", "Aa", "__id", "_id1__", "a",
        "\u{fe12}", "\u{ff30}", "\u{1f11f}", "\u{1f435}",
      ]
      for id in order.reversed() {
        try await database.collection("c").document(id).setData(["k": 1])
      }
      let all = try await database.collection("c").getDocuments().documents.map(\.documentID)
      #expect(all == order)
      let ties = try await database.collection("c").order(by: "k", descending: true)
        .getDocuments().documents.map(\.documentID)
      #expect(ties == order.reversed())
    }
  }

  @Test func `keys of an update must not lie in one another`() async throws {
    try await withDatabase { database in
      let document = database.document("c/d")
      try await document.setData(["a": ["b": 1]])
      let conflicts: [[AnyHashable: Any]] = [
        ["a": 1, "a.b": 2], ["a.b": 1, FieldPath(["a", "b"]): 2], ["a.b.c": 1, "a.b": 2],
        ["a": FieldValue.delete(), "a.b": 1], ["a": FieldValue.increment(1), "a.b": 1],
      ]
      for fields in conflicts {
        let why = await reason { try await document.updateData(fields) }
        #expect(why == "FIELD_PATH_CONFLICT", "\(fields)")
      }
      // Neighbours, and a name that has the same text.
      try await document.updateData(["a.b": 2, "ab": 3, FieldPath(["a.b"]): 4, "a.c": 5])
      let fields = try await document.getDocument().fields
      #expect(
        fields == [
          "a": .map(["b": .integer(2), "c": .integer(5)]), "a.b": .integer(4), "ab": .integer(3),
        ])
    }
  }

  @Test func `names in data are literal, keys of an update are paths`() async throws {
    try await withDatabase { database in
      let document = database.document("c/d")
      try await document.setData(["a": ["b": 1]])
      try await document.setData(["a.b": 2], merge: true)
      try await document.updateData(["a": ["x.y": 3]])
      let fields = try await document.getDocument().fields
      #expect(fields == ["a": .map(["x.y": .integer(3)]), "a.b": .integer(2)])
      try await document.setData(["a.b": 5, "a": ["b": 6]], mergeFields: ["a.b"])
      let merged = try await document.getDocument().fields
      #expect(
        merged == ["a": .map(["b": .integer(6), "x.y": .integer(3)]), "a.b": .integer(2)])
      let missing = await reason {
        try await document.setData(["a.b": 5], mergeFields: ["a.b"])
      }
      #expect(missing == "MERGE_FIELD_MISSING")
    }
  }

  @Test func `empty writes only check or ensure that there is a document`() async throws {
    try await withDatabase { database in
      let document = database.document("c/d")
      let missing = await reason { try await document.updateData([:]) }
      #expect(missing == "DOCUMENT_MISSING")
      try await document.setData([:], merge: true)
      let made = try await document.getDocument()
      #expect(made.exists && made.fields.isEmpty)
      try await document.updateData([:])
      try await document.setData([:], merge: true)
      try await document.setData([:])
      let same = try await document.getDocument()
      #expect(same.updateTime == made.updateTime && same.createTime == made.createTime)
      try await document.delete()
      try await document.delete()
      try await document.setData([:])
      let again = try await document.getDocument()
      #expect(try #require(again.createTime) > #require(made.createTime))
    }
  }

  @Test func `an empty and filters nothing, an empty or is refused`() async throws {
    try await withDatabase { database in
      let things = database.collection("c")
      try await things.document("d").setData(["a": 1])
      for filter in [
        Filter.andFilter([]), .andFilter([.andFilter([]), .andFilter([])]),
        .orFilter([.andFilter([])]), .orFilter([.whereField("a", isEqualTo: 2), .andFilter([])]),
      ] {
        let found = try await things.whereFilter(filter).getDocuments()
        #expect(found.count == 1)
      }
      for filter in [Filter.orFilter([]), .andFilter([.orFilter([])]), .orFilter([.orFilter([])])] {
        let why = await reason { _ = try await things.whereFilter(filter).getDocuments() }
        #expect(why == "COMPOSITE_EMPTY")
      }
    }
  }

  /// Beyond 2⁵³ neighbours are one double, and a comparison through doubles merges them.
  @Test func `integers are compared with doubles exactly`() async throws {
    try await withDatabase { database in
      let things = database.collection("c")
      let numbers: [(String, Any)] = [
        ("a", -Double.infinity), ("b", Int64.min), ("c", -9_007_199_254_740_993), ("d", -0.5),
        ("e", 0), ("f", 9_007_199_254_740_992.0), ("g", 9_007_199_254_740_993),
        ("h", Int64.max), ("i", 0x1p63), ("j", Double.infinity),
      ]
      for (id, number) in numbers.reversed() {
        try await things.document(id).setData(["n": number])
      }
      let ordered = try await things.order(by: "n").getDocuments().documents.map(\.documentID)
      #expect(ordered == numbers.map(\.0))
      for (position, (id, number)) in numbers.enumerated() {
        let equal = try await things.whereField("n", isEqualTo: number).getDocuments()
        #expect(equal.documents.map(\.documentID) == [id])
        let above = try await things.whereField("n", isGreaterThan: number).getDocuments()
        #expect(above.documents.map(\.documentID) == numbers[(position + 1)...].map(\.0))
        let start = try await things.order(by: "n").start(at: [number]).getDocuments()
        #expect(start.documents.map(\.documentID) == numbers[position...].map(\.0))
      }
      let zero = try await things.whereField("n", isEqualTo: -0.0).getDocuments()
      #expect(zero.documents.map(\.documentID) == ["e"])
    }
  }

  /// BR-037: strings are compared as their stored bytes, whatever made them.
  @Test func `BR-037: strings sort as their bytes do, and native or not makes no difference`()
    async throws
  {
    var generator = SeededGenerator(seed: testSeed("strings"))
    let letters = ["a", "z", "é", "e\u{301}", "Ł", "你", "岩", "\u{fe12}", "Ｐ", "🄟", "🐵", "\0", " "]
    func text() -> String {
      (0..<Int.random(in: 0...12, using: &generator)).reduce(into: "") { text, _ in
        text += letters.randomElement(using: &generator) ?? ""
      }
    }
    let texts = (0..<400).map { _ in text() }
    try await withDatabase { database in
      let batch = database.batch()
      for (number, text) in texts.enumerated() {
        // Half of them by way of Foundation's string.
        let value: Any = number % 2 == 0 ? text : NSString(string: text)
        batch.setData(["s": value], forDocument: database.document("c/\(number)"))
      }
      try await batch.commit()
      let found = try await database.collection("c").order(by: "s").getDocuments().documents
        .compactMap { ($0.get("s") as? String).map { Array($0.utf8) } }
      #expect(found == texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    }
  }
}
