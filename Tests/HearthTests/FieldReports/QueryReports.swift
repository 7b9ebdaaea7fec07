import Hearth
import HearthTestSupport
import Testing

/// Reports about what builders and operators accept and find (section C).
@Suite struct QueryReports {
  @Test func `BR-047: array queries follow unions and removals, across reopening`() async throws {
    @Sendable func expect(
      _ ids: [String], _ element: Any, _ database: Firestore,
      _ location: SourceLocation = #_sourceLocation
    ) async throws {
      let things = database.collection("c")
      let found = try await things.whereField("tags", arrayContains: element).ids
      #expect(found == ids, sourceLocation: location)
      let any = try await things.whereField("tags", arrayContainsAny: [element, "nothing"]).ids
      #expect(any == ids, sourceLocation: location)
      let report = try await database.verify()
      #expect(report.findings == [], sourceLocation: location)
    }
    try await withReopening(
      { database in
        let document = database.document("c/d")
        try await document.setData(["tags": [String]()])
        try await expect([], "a", database)
        try await document.updateData(["tags": FieldValue.arrayUnion(["a"])])
        try await expect(["d"], "a", database)
      },
      { database in
        let document = database.document("c/d")
        try await expect(["d"], "a", database)
        try await document.updateData(["tags": FieldValue.arrayRemove(["a"])])
        try await expect([], "a", database)
        // Twice in the array is once in the result.
        try await document.setData(["tags": ["b", "b", 1, 1.0] as [Any]])
        try await expect(["d"], "b", database)
      },
      { database in
        let document = database.document("c/d")
        try await expect(["d"], "b", database)
        try await expect(["d"], 1, database)
        try await expect([], "a", database)
        // One of two equal elements goes with the other, and the entry with them.
        try await document.updateData(["tags": FieldValue.arrayRemove([1])])
        try await expect([], 1.0, database)
        try await document.updateData(["tags": "b"])
        try await expect([], "b", database)
        try await document.delete()
        try await expect([], "b", database)
      })
  }

  private typealias Step = (name: String, apply: @Sendable (Query) -> Query)

  @Test func `BR-049: the order of builder calls changes nothing`() async throws {
    try await withDatabase { database in
      let things = database.collection("c")
      try await fill(things, 1..<13, id: { "\($0 + 10)" }) {
        ["n": $0, "even": $0 % 2 == 0, "m": $0 % 3]
      }
      let document = try await things.document("12").getDocument()
      let byNumber: Step = ("order", { $0.order(by: "n") })
      let chains: [([Step], [String])] = [
        // The name's order, with nothing said.
        (
          [("limit", { $0.limit(to: 2) }), ("after", { $0.start(afterDocument: document) })],
          ["13", "14"]
        ),
        (
          [
            ("limit", { $0.limit(to: 2) }), ("at", { $0.start(atDocument: document) }),
            ("where", { $0.whereField("even", isEqualTo: true) }),
          ], ["12", "14"]
        ),
        (
          [
            byNumber, ("limit", { $0.limit(to: 2) }), ("after", { $0.start(after: [4]) }),
            ("where", { $0.whereField("n", isGreaterThan: 1) }),
          ], ["15", "16"]
        ),
        (
          [
            byNumber, ("limit", { $0.limit(toLast: 2) }), ("before", { $0.end(before: [4]) }),
            ("where", { $0.whereField("n", isNotEqualTo: 3) }),
          ], ["11", "12"]
        ),
        // A range that implies an order, before and after the cursor.
        (
          [
            ("limit", { $0.limit(to: 3) }), ("after", { $0.start(afterDocument: document) }),
            ("where", { $0.whereField("n", isGreaterThan: 0) }),
            ("end", { $0.whereField("n", isLessThan: 9) }),
          ], ["13", "14", "15"]
        ),
        (
          [
            ("a", { $0.whereField("m", isEqualTo: 1) }),
            ("b", { $0.whereField("even", isEqualTo: true) }), ("limit", { $0.limit(to: 1) }),
            (
              "or",
              {
                $0.whereFilter(
                  .orFilter([
                    .whereField("n", isEqualTo: 4), .whereField("n", isEqualTo: 10),
                  ]))
              }
            ),
          ], ["14"]
        ),
      ]
      for (steps, expected) in chains {
        var plans: Set<[String]> = []
        for chain in permutations(steps) {
          // That an order comes before a cursor is the API's own rule.
          let names = chain.map(\.name)
          if let order = names.firstIndex(of: "order"),
            names.prefix(order).contains(where: { ["after", "at", "before"].contains($0) })
          {
            continue
          }
          let query = chain.reduce(things as Query) { $1.apply($0) }
          let found = try await query.ids
          #expect(found == expected, "\(names)")
          plans.insert(try await query.explain().planSummary.lines)
        }
        #expect(plans.count == 1, "\(steps.map(\.name))")
      }
    }
  }

  @Test func `BR-051: after the last page come empty ones`() async throws {
    try await withDatabase { database in
      let things = database.collection("c")
      try await fill(things, 0..<10) { ["n": $0 / 2] }
      for whole in [things, things.order(by: "n"), things.order(by: "n", descending: true)] {
        var sizes: [Int] = []
        var page = whole
        var last: QueryDocumentSnapshot?
        for _ in 0..<4 {
          let found = try await page.limit(to: 6).getDocuments().documents
          sizes.append(found.count)
          last = found.last ?? last
          page = whole.start(afterDocument: try #require(last))
        }
        #expect(sizes == [6, 4, 0, 0])
        // Backwards the same.
        let first = try #require(try await whole.getDocuments().documents.first)
        let before = try await whole.end(beforeDocument: first).ids
        #expect(before == [])
      }
    }
  }

  @Test func `BR-057: lists and disjunctions up to the limits run, beyond them an error says so`()
    async throws
  {
    try await withDatabase { database in
      let things = database.collection("c")
      try await fill(things, 0..<40) { ["a": $0, "b": $0 % 7, "t": [$0]] }
      func list(_ count: Int) -> [Int] { Array(0..<count) }
      let table: [(Query, String?)] = [
        (things.whereField("a", in: list(30)), nil),
        (things.whereField("a", in: list(31)), "IN_TOO_MANY_VALUES"),
        (things.whereField("t", arrayContainsAny: list(30)), nil),
        (things.whereField("t", arrayContainsAny: list(31)), "IN_TOO_MANY_VALUES"),
        (things.whereField("a", in: list(5)).whereField("b", in: list(6)), nil),
        (things.whereField("a", in: list(6)).whereField("b", in: list(6)), "TOO_MANY_DISJUNCTIONS"),
        (things.whereField("a", notIn: list(10)), nil),
        (things.whereField("a", notIn: list(11)), "NOT_IN_TOO_MANY_VALUES"),
        (things.whereField("a", in: [Int]()), "ARRAY_OPERAND"),
        (things.whereField("a", notIn: [Int]()), "ARRAY_OPERAND"),
        (things.whereField("t", arrayContainsAny: [Int]()), "ARRAY_OPERAND"),
        (things.whereFilter(.orFilter(list(30).map { .whereField("a", isEqualTo: $0) })), nil),
        (
          things.whereFilter(.orFilter(list(31).map { .whereField("a", isEqualTo: $0) })),
          "TOO_MANY_DISJUNCTIONS"
        ),
        (things.whereField("a", in: list(1_000)), "IN_TOO_MANY_VALUES"),
      ]
      for (query, expected) in table {
        let why = await reason { _ = try await query.getDocuments() }
        #expect(why == expected)
        let live = await reason {
          for try await _ in query.snapshots { break }
        }
        #expect(live == expected)
      }
      let error = await #expect(throws: HearthError.self) {
        _ = try await things.whereField("a", in: list(31)).getDocuments()
      }
      #expect(error?.message.contains("31") == true && error?.message.contains("30") == true)
      let product = await #expect(throws: HearthError.self) {
        _ = try await things.whereField("a", in: list(6)).whereField("b", in: list(6))
          .getDocuments()
      }
      #expect(product?.message.contains("36") == true)
      let found = try await things.whereField("a", in: list(30)).ids
      #expect(found.count == 30)
    }
  }

  @Test func `BR-058: in and array-contains-any combine`() async throws {
    try await withDatabase { database in
      let things = database.collection("c")
      try await fill(things, 0..<24) {
        ["a": $0 % 3, "t": ["abc".map { "\($0)" }[$0 % 3], "z\($0 % 4)"]]
      }
      let query = things.whereField("a", in: [1, 2])
        .whereField("t", arrayContainsAny: ["b", "z0"])
      let lines = try await query.explain().planSummary.lines
      #expect(lines.count == 4)
      let found = try await query.ids
      let expected = (0..<24).filter { [1, 2].contains($0 % 3) && ($0 % 3 == 1 || $0 % 4 == 0) }
      #expect(found == expected.map { "d\($0)" }.sorted())
    }
  }

  @Test func `BR-059: members of lists compare deeply`() async throws {
    try await withDatabase { database in
      let things = database.collection("c")
      let values: [(String, Any)] = [
        ("array", [1, 2]), ("map", ["a": [1]]), ("longer", [1, 2, 3]), ("shorter", [1]),
        ("more", ["a": [1], "b": 1] as [String: Any]), ("deep", ["a": ["b": ["c": [NSNull()]]]]),
        ("doubles", [1.0, 2.0]), ("text", ["1", "2"]), ("null", [NSNull()]),
      ]
      for (id, value) in values { try await things.document(id).setData(["v": value]) }
      let found = try await things.whereField("v", in: [[1, 2], ["a": [1]]] as [Any]).ids
      // 1 and 1.0 are equal in queries, in arrays too.
      #expect(found == ["array", "doubles", "map"])
      let deep = try await things.whereField("v", in: [["a": ["b": ["c": [NSNull()]]]]]).ids
      #expect(deep == ["deep"])
      let others = try await things.whereField(
        "v", notIn: [[1, 2], ["a": [1]], [NSNull()]] as [Any]
      ).ids
      #expect(Set(others) == ["longer", "shorter", "more", "deep", "text"])
      let unequal = try await things.whereField("v", isNotEqualTo: ["a": [1]]).ids
      #expect(Set(unequal) == Set(values.map(\.0)).subtracting(["map"]))
      try await things.document("m").setData(["l": [["a": 1], ["a": 2]]])
      let contained = try await things.whereField(
        "l", arrayContainsAny: [["a": 2.0], ["b": 1]] as [Any]
      ).ids
      #expect(contained == ["m"])
    }
  }

  @Test func `BR-060: a path or an id that cannot be is refused, and the error names the part`()
    async throws
  {
    try await withDatabase { database in
      let long = String(repeating: "i", count: 1501)
      let deep = (0..<101).flatMap { ["c\($0)", "d"] }.joined(separator: "/")
      let table: [(DocumentReference, String, String)] = [
        (database.document(""), "PATH_EMPTY_SEGMENT", "empty"),
        (database.document("a//b"), "PATH_EMPTY_SEGMENT", "a//b"),
        (database.document("a/b/c"), "PATH_WRONG_PARITY", "a/b/c"),
        (database.document("a/.."), "ID_RESERVED", ".."),
        (database.document("a/."), "ID_RESERVED", "'.'"),
        (database.document("a/__x__"), "ID_RESERVED", "__x__"),
        (database.document("a/____"), "ID_RESERVED", "____"),
        (database.document("__x__/b"), "ID_RESERVED", "__x__"),
        (database.document("a/" + long), "ID_TOO_LONG", "1501"),
        (database.document(long + "/a"), "ID_TOO_LONG", "1501"),
        (database.document(deep), "PATH_TOO_DEEP", "100"),
        (database.collection("a").document(""), "ID_EMPTY", "empty"),
        (database.document("a/__id007__"), "ID_RESERVED", "__id007__"),
        (database.document("a/__id9223372036854775808__"), "ID_RESERVED", "9223372036854775808"),
      ]
      for (document, expected, part) in table {
        let error = await #expect(throws: HearthError.self) {
          _ = try await document.getDocument()
        }
        #expect(error?.reason == expected && error?.status == .invalidArgument)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        let write = await reason { try await document.setData([:]) }
        #expect(write == expected)
        let listener = await reason { for try await _ in document.snapshots { break } }
        #expect(listener == expected)
        let batch = await reason {
          try await database.batch().deleteDocument(document).commit()
        }
        #expect(batch == expected)
      }
      for id in ["__", "___", "__id", "_id1__", "__id7__", "__id-2__", "\0", " ", "...", "é"] {
        let why = await reason { try await database.collection("a").document(id).setData([:]) }
        #expect(why == nil, "\(id)")
      }
      let longest = String(repeating: "i", count: 1500)
      let fits = await reason { try await database.document("a/" + longest).setData([:]) }
      #expect(fits == nil)
    }
  }
}
