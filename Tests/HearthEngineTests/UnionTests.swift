import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// Several disjunctions as one result (documents-and-queries, 5.5 and 6.4).
@Suite struct UnionTests {
  private func withNumbers(_ body: (Engine) async throws -> Void) async throws {
    try await withEngine { engine in
      _ = try await engine.commit(
        (0..<300).map { number in
          try .set(
            "r/d\(1000 + number)",
            ["n": .integer(Int64(number)), "m": .integer(Int64(number % 3)), "t": .array([1, 2])])
        })
      try await body(engine)
    }
  }

  @Test func `a limited union reads little more than it returns`() async throws {
    try await withNumbers { engine in
      let any = query(filter("m", .in, .array([0, 1, 2])), limit: 5)
      let result = try engine.run(any)
      #expect(result.documents.map(\.path.id) == (1000..<1005).map { "d\($0)" })
      let statistics = try #require(result.explanation.statistics)
      // A head of each of the three streams, and a step after each match but the last.
      #expect(statistics.indexEntriesScanned == 3 + 4)
      #expect(statistics.documentsScanned == 5)
    }
  }

  @Test func `a document of several branches comes once and is read once`() async throws {
    try await withNumbers { engine in
      let all = query(filter("t", .arrayContainsAny, .array([1, 2])))
      let result = try engine.run(all)
      #expect(result.documents.count == 300)
      #expect(result.explanation.statistics?.documentsScanned == 300)
      #expect(result.explanation.statistics?.indexEntriesScanned == 600)
    }
  }

  @Test func `branches by name, by index and by merge stand in one order`() async throws {
    try await withNumbers { engine in
      let mixed = query(
        .or([
          filter("__name__", .greaterThan, "d1297"),
          filter("n", .equal, 5),
          .and([filter("n", .equal, 7), filter("m", .equal, 1)]),
          .and([filter("n", .equal, 8), filter("m", .equal, 1)]),
        ]))
      #expect(try engine.ids(mixed) == ["d1005", "d1007", "d1298", "d1299"])
      var backwards = mixed
      backwards.orderBy = [OrderBy(.documentName, .descending)]
      let why = engine.refusal(backwards)
      #expect(why == "INDEX_MISSING")
      try await engine.createIndex(
        IndexDefinition(collectionID: "r", fields: [IndexField(.documentName, .descending)]))
      #expect(try engine.ids(backwards) == ["d1299", "d1298", "d1007", "d1005"])
    }
  }

  @Test func `a branch that fixes an ordered field keeps its place`() async throws {
    try await withNumbers { engine in
      try await engine.createIndex(index(("m", .ascending), ("n", .ascending)))
      let asked = query(
        .or([
          .and([filter("m", .equal, 1), filter("n", .equal, 4)]),
          .and([filter("m", .equal, 1), filter("n", .greaterThan, 293)]),
          .and([filter("n", .equal, 1), filter("m", .equal, 1)]),
        ]),
        order: [by("n")])
      #expect(try engine.ids(asked) == ["d1001", "d1004", "d1295", "d1298"])
      var last = asked
      last.limit = 3
      last.limitIsToLast = true
      try await engine.createIndex(index(("m", .ascending), ("n", .descending)))
      #expect(try engine.ids(last) == ["d1004", "d1295", "d1298"])
    }
  }

  @Test func `a transaction's union is protected in every branch up to where it was read`()
    async throws
  {
    try await withNumbers { engine in
      let first = query(filter("m", .in, .array([0, 1])), limit: 2)
      let disturbed = try await engine.runs { context in
        _ = try context.run(first)
        if context.attempt == 1 { try await engine.set("a", ["m": 1]) }
        try context.write(.set("t/x", [:]))
      }
      #expect(disturbed == 2)
      let quiet = try await engine.runs { context in
        _ = try context.run(first)
        if context.attempt == 1 { try await engine.set("z", ["m": 1]) }
        try context.write(.set("t/x", [:]))
      }
      #expect(quiet == 1)
    }
  }
}
