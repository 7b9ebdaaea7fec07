import Hearth
import HearthTestSupport
import Testing

/// Reports about aggregates (section H).
@Suite struct AggregateReports {
  private func aggregate(_ query: Query, _ fields: [AggregateField]) async throws -> [Value] {
    let result = try await query.aggregate(fields).getAggregation(source: .server)
    return try fields.map { try result.value($0) }
  }

  private func count(_ query: Query) async throws -> Value {
    try await aggregate(query, [.count()])[0]
  }

  private func declare(_ fields: [String], in database: Firestore) async throws {
    try await database.createIndex(
      IndexDefinition(
        collectionID: "c", fields: fields.map { IndexField(FieldPath([$0]), .ascending) }))
  }

  @Test func `BR-113: each name has its own field's value, over documents that have all fields`()
    async throws
  {
    try await withDatabase { database in
      let things = database.collection("c")
      let rows: [[String: Any]] = [["a": 1, "b": 10], ["a": 2], ["b": 20], ["a": 3, "b": "x"]]
      try await fill(things, 0..<4) { rows[$0] }
      try await declare(["a", "b"], in: database)
      let alone = try await aggregate(things, [.sum("a")])
      #expect(alone == [.integer(6)])
      // In every order of the call each field finds its own.
      let expected: [AggregateField: Value] = [
        .sum("a"): .integer(4), .sum("b"): .integer(10), .count(): .integer(2),
        .average("a"): .double(2),
      ]
      for fields in permutations(Array(expected.keys)) {
        let result = try await things.aggregate(fields).getAggregation(source: .server)
        for field in fields {
          let value = try result.value(field)
          #expect(value == expected[field])
        }
      }
      let six = await reason {
        _ = try await aggregate(things, Array(repeating: .count(), count: 6))
      }
      #expect(six == "AGGREGATION_COUNT")
      let none = await reason { _ = try await aggregate(things, []) }
      #expect(none == "AGGREGATION_COUNT")
    }
  }

  @Test func `BR-114: a group's count is the number of documents that the query returns`()
    async throws
  {
    var generator = SeededGenerator(seed: testSeed("group counts"))
    func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
    try await withDatabase { database in
      try await database.setIndexConfiguration(
        """
        {"indexes": [
          {"collectionGroup": "posts", "queryScope": "COLLECTION_GROUP", "fields": [
            {"fieldPath": "k", "order": "ASCENDING"}, {"fieldPath": "n", "order": "ASCENDING"}]},
          {"collectionGroup": "posts", "queryScope": "COLLECTION_GROUP", "fields": [
            {"fieldPath": "k", "order": "ASCENDING"}, {"fieldPath": "n", "order": "DESCENDING"}]}],
         "fieldOverrides": [
          {"collectionGroup": "posts", "fieldPath": "n", "indexes": [
            {"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"},
            {"order": "DESCENDING", "queryScope": "COLLECTION_GROUP"}]},
          {"collectionGroup": "posts", "fieldPath": "k", "indexes": [
            {"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"}]}]}
        """)
      for parent in ["", "a/1/", "a/2/", "a/1/posts/3/b/x/"] {
        try await fill(database.collection(parent + "posts"), 0..<25) {
          $0 % 6 == 0 ? ["k": $0 % 3] : ["n": ($0 * 7) % 10, "k": $0 % 3]
        }
      }
      for round in 0..<60 {
        var query = database.collectionGroup("posts")
        switch round % 6 {
        case 0: break
        case 1: query = query.whereField("n", isGreaterThan: random(0..<10))
        case 2:
          query = query.whereField("k", isEqualTo: random(0..<3))
            .order(by: "n", descending: random(0..<2) == 0)
        case 3: query = query.whereField("k", in: [0, random(1..<3)]).order(by: "n")
        case 4:
          query = query.whereFilter(
            .orFilter([
              .whereField("k", isEqualTo: random(0..<3)),
              .whereField("n", isEqualTo: random(0..<10)),
            ]))
        default:
          let start = random(0..<10)
          query = query.order(by: "n").start(after: [start]).end(at: [start + random(0..<5)])
        }
        if random(0..<2) == 0 { query = query.limit(to: random(1..<40)) }
        let found = try await query.getDocuments().count
        let counted = try await count(query)
        #expect(counted == .integer(Int64(found)), "round \(round)")
        let capped = try await aggregate(query, [.count(upTo: 7)])
        #expect(capped == [.integer(Int64(min(7, found)))], "round \(round)")
      }
    }
  }

  @Test func `BR-115: counting works at once after opening, and beside other counts`() async throws
  {
    try await withReopening(
      { database in
        let empty = try await count(database.collection("c"))
        #expect(empty == .integer(0))
        try await fill(database.collection("c"), 0..<100) { ["n": $0] }
      },
      { database in
        let things = database.collection("c")
        let first = try await count(things)
        #expect(first == .integer(100))
        let counts = try await withThrowingTaskGroup(of: Value.self) { group in
          for _ in 0..<100 { group.addTask { try await self.count(things) } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: .integer(100), count: 100))
        // A write that nobody awaited is counted.
        things.document("new").setData(["n": 1], completion: nil)
        let after = try await count(things)
        #expect(after == .integer(101))
      })
  }

  @Test func `BR-116: sums keep their kind until they overflow, and skip what is no number`()
    async throws
  {
    let huge: Value = .double(9.223372036854775808e18)
    let table: [([Any], sum: Value, average: Value)] = [
      ([Int64.max, 1], huge, .double(4.611686018427387904e18)),
      ([1, 2], .integer(3), .double(1.5)), ([1, 2.5] as [Any], .double(3.5), .double(1.75)),
      (["x"], .integer(0), .null), ([], .integer(0), .null),
      ([1, Double.nan] as [Any], .double(.nan), .double(.nan)),
      ([NSNull(), 4, "x", true, [5]] as [Any], .integer(4), .double(4)),
      ([1.0], .double(1), .double(1)), ([1.0, 1] as [Any], .double(2), .double(1)),
      ([2.0, -0.0], .double(2), .double(1)),
      // The total fits although the way to it does not.
      ([Int64.max, Int64.max, Int64.min, Int64.min], .integer(-2), .double(-0.5)),
      ([Int64.min, -1], .double(-9.223372036854775808e18), .double(-4.611686018427387904e18)),
      ([Int64.max, 0], .integer(.max), .double(4.611686018427387904e18)),
      ([Double.infinity, 1] as [Any], .double(.infinity), .double(.infinity)),
      ([Double.infinity, -Double.infinity], .double(.nan), .double(.nan)),
      (
        [Double.greatestFiniteMagnitude, Double.greatestFiniteMagnitude], .double(.infinity),
        .double(.infinity)
      ),
      // Integers that a double cannot hold.
      ([9_007_199_254_740_993, 0], .integer(9_007_199_254_740_993), .double(4503599627370496.5)),
    ]
    try await withDatabase { database in
      for (number, row) in table.enumerated() {
        let things = database.collection("c\(number)")
        try await fill(things, 0..<row.0.count) { ["a": row.0[$0]] }
        let found = try await aggregate(things, [.sum("a"), .average("a"), .count()])
        #expect(found == [row.sum, row.average, .integer(Int64(row.0.count))], "row \(number)")
      }
      let five = database.collection("five")
      try await fill(five, 0..<5) { ["a": $0] }
      for (cap, expected) in [(2, 2), (5, 5), (9, 5), (0, 0), (1, 1)] {
        let found = try await aggregate(five, [.count(upTo: cap)])
        #expect(found == [.integer(Int64(expected))])
      }
      let name = await reason {
        _ = try await aggregate(five, [.sum(FieldPath.documentID())])
      }
      #expect(name == "AGGREGATION_FIELD")
      // A field in a map, and one with a dot in its name.
      try await database.document("m/d").setData(["m": ["n": 3], "m.n": 4])
      let nested = try await aggregate(
        database.collection("m"), [.sum("m.n")])
      #expect(nested == [.integer(3)])
      let dotted = try await aggregate(
        database.collection("m"), [.sum(FieldPath(["m.n"]))])
      #expect(dotted == [.integer(4)])
    }
  }
}
