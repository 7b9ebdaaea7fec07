import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// Counts, sums and averages (documents-and-queries, 5.8), and what they touch (7).
@Suite struct AggregationTests {
  private func sum(_ name: String) -> Aggregation { Aggregation(.sum(field(name))) }

  private func average(_ name: String) -> Aggregation { Aggregation(.average(field(name))) }

  private let count = Aggregation(.count(upTo: nil))

  private func values(
    _ query: StructuredQuery, _ aggregations: Aggregation..., in engine: Engine
  ) throws -> [Value] {
    let result = try engine.aggregate(query, aggregations)
    let statistics = try #require(result.explanation.statistics)
    #expect(statistics.documentsScanned == 0)
    #expect(statistics.resultsReturned == 1)
    return result.values.map(\.value)
  }

  /// The worked dataset of documents-and-queries 5.4.
  private func withWorkedDataset(_ body: (Engine) async throws -> Void) async throws {
    try await withEngine { engine in
      _ = try await engine.commit([
        .set("r/A", ["city": "SF", "stars": .double(4.5), "price": 2]),
        .set("r/B", ["city": "SF", "stars": 5, "price": 1]),
        .set("r/C", ["city": "LA", "stars": 3, "price": 3]),
        .set("r/D", ["city": "LA", "stars": .null, "price": 2]),
        .set("r/E", ["city": .null, "stars": "n/a", "price": 2]),
        .set("r/F", ["stars": .double(.nan), "price": 1]),
        .set("r/G", ["city": "NY", "price": .double(2)]),
      ])
      try await body(engine)
    }
  }

  @Test func `the worked dataset`() async throws {
    try await withWorkedDataset { engine in
      #expect(try values(query(), count, sum("price"), in: engine) == [7, .double(13)])
      #expect(
        try values(query(), count, average("stars"), in: engine) == [6, .double(.nan)])
      #expect(try values(query(), sum("nope"), average("nope"), in: engine) == [0, .null])
      let sf = query(filter("city", .equal, "SF"))
      try await engine.createIndex(
        index(("city", .ascending), ("price", .ascending), ("stars", .ascending)))
      #expect(
        try values(sf, sum("price"), average("stars"), in: engine) == [3, .double(4.75)])
    }
  }

  @Test func `several aggregates take only documents that have every field`() async throws {
    try await withEngine { engine in
      _ = try await engine.commit([
        .set("r/1", ["a": 1, "b": 10]), .set("r/2", ["a": 2]), .set("r/3", ["b": 20]),
        .set("r/4", ["a": 3, "b": "x"]),
      ])
      #expect(try values(query(), sum("a"), in: engine) == [6])
      try await engine.createIndex(index(("a", .ascending), ("b", .ascending)))
      #expect(try values(query(), sum("a"), sum("b"), count, in: engine) == [4, 10, 2])
    }
  }

  @Test func `kinds of numbers survive in entries: 1 and 1.0 sum to different types`()
    async throws
  {
    try await withEngine { engine in
      try await engine.set("1", ["n": 1])
      try await engine.set("2", ["n": 2])
      #expect(try values(query(), sum("n"), in: engine) == [3])
      try await engine.set("2", ["n": .double(2)])
      #expect(try values(query(), sum("n"), in: engine) == [.double(3)])
      // The field that an equality fixes has a kind too.
      let two = query(filter("n", .equal, 2))
      #expect(try values(two, sum("n"), in: engine) == [.double(2)])
      try await engine.set("2", ["n": 2])
      #expect(try values(two, sum("n"), in: engine) == [2])
      #expect(try engine.findings() == [])
    }
  }

  @Test func `sums are exact until they leave the integers`() async throws {
    try await withEngine { engine in
      let cases: [([Value], Value, Value)] = [
        ([.integer(.max), 1], .double(9_223_372_036_854_775_808), .double(0x1p62)),
        ([.integer(.max), 1, -1], .integer(.max), .double(0x1p63 / 3)),
        ([.integer(.min), -1, 1], .integer(.min), .double(-0x1p63 / 3)),
        ([.integer(9_007_199_254_740_993), 2], .integer(9_007_199_254_740_995), .double(0)),
        ([.integer(1), .double(2.5)], .double(3.5), .double(1.75)),
        ([.integer(1), .double(.nan)], .double(.nan), .double(.nan)),
        ([.double(.infinity), .double(-.infinity)], .double(.nan), .double(.nan)),
        (["x", .null], 0, .null), ([.double(-0.0)], .double(0), .double(0)),
      ]
      for (number, (numbers, total, mean)) in cases.enumerated() {
        for (id, value) in numbers.enumerated() {
          _ = try await engine.commit([.set("c\(number)/\(id)", ["n": value])])
        }
        let all = StructuredQuery(CollectionPath(unchecked: ["c\(number)"]))
        let found = try values(all, sum("n"), average("n"), in: engine)
        #expect(found[0] == total, "\(numbers)")
        if case .double(0) = mean { continue }
        #expect(found[1] == mean, "\(numbers)")
      }
    }
  }

  @Test func `offset, limit, cursors and caps`() async throws {
    try await withEngine { engine in
      _ = try await engine.commit(
        (0..<10).map { try .set("r/d\($0)", ["n": .integer(Int64($0))]) })
      func run(_ query: StructuredQuery, _ aggregations: Aggregation...) throws -> [Value] {
        try engine.aggregate(query, aggregations).values.map(\.value)
      }
      let ordered = query(order: [by("n")], limit: 3) { $0.offset = 2 }
      #expect(try run(ordered, sum("n"), count) == [9, 3])
      let last = query(order: [by("n")], limit: 2) { $0.limitIsToLast = true }
      #expect(try run(last, sum("n")) == [17])
      let page = query(order: [by("n")]) { $0.start = Bound(values: [8], inclusive: false) }
      #expect(try run(page, sum("n"), average("n")) == [9, .double(9)])
      let capped = Aggregation(.count(upTo: 4))
      #expect(try run(query(), capped) == [4])
      #expect(try run(query(), Aggregation(.count(upTo: 0))) == [0])
      #expect(try run(query(limit: 2), capped) == [2])
      #expect(try run(query(), capped, Aggregation(.count(upTo: 6))) == [4, 6])
      #expect(try run(query(limit: 0), count, average("n")) == [0, .null])
    }
  }

  @Test func `an aggregation reads entries only, and a cap reads no further`() async throws {
    try await withEngine { engine in
      _ = try await engine.commit(
        (0..<1500).map { try .set("r/d\($0)", ["n": .integer(Int64($0)), "m": 1]) })
      func entries(_ query: StructuredQuery, _ aggregation: Aggregation) throws -> [Int] {
        let statistics = try #require(
          try engine.aggregate(query, [aggregation]).explanation.statistics)
        #expect(statistics.documentsScanned == 0)
        return [statistics.indexEntriesScanned, statistics.readOperations]
      }
      #expect(try entries(query(), count) == [1500, 2])
      #expect(try entries(query(), sum("n")) == [1500, 2])
      #expect(try entries(query(filter("n", .lessThan, 10)), sum("n")) == [10, 1])
      #expect(try entries(query(), Aggregation(.count(upTo: 7))) == [7, 1])
      #expect(try entries(query(), Aggregation(.count(upTo: 0))) == [0, 1])
      #expect(try entries(query(limit: 7), count) == [8, 1])
      #expect(
        try entries(query(filter("__name__", .equal, "d3")), count) == [1, 1])
      #expect(
        try entries(query(filter("n", .in, .array([1, 2, 2000]))), sum("n")) == [2, 1])
    }
  }

  @Test func `a union counts a document once, and knows the numbers of each branch`()
    async throws
  {
    try await withEngine { engine in
      _ = try await engine.commit([
        .set("r/1", ["a": 1, "b": 1, "p": 1]), .set("r/2", ["a": 1, "b": 2, "p": .double(10)]),
        .set("r/3", ["a": 2, "b": 1, "p": 100]), .set("r/4", ["a": 2, "b": 2, "p": 1000]),
      ])
      let either = query(.or([filter("a", .equal, 1), filter("b", .equal, 1)]))
      #expect(try values(either, count, in: engine) == [3])
      let why = await reason { _ = try engine.aggregate(either, [sum("p")]) }
      #expect(why == "INDEX_MISSING")
      try await engine.createIndex(index(("a", .ascending), ("p", .ascending)))
      try await engine.createIndex(index(("b", .ascending), ("p", .ascending)))
      #expect(try values(either, sum("p"), in: engine) == [.double(111)])
      var limited = either
      limited.limit = 2
      #expect(try values(limited, sum("p"), in: engine) == [.double(11)])
      // Fixed in one branch and read in the other.
      let mixed = query(.or([filter("p", .equal, 100), filter("a", .equal, 1)]))
      #expect(try values(mixed, sum("p"), count, in: engine) == [.double(111), 3])
    }
  }

  @Test func `a merge takes each number from the member that has it`() async throws {
    try await withEngine { engine in
      _ = try await engine.commit([
        .set("r/1", ["a": 1, "b": 1, "n": 5]), .set("r/2", ["a": 1, "b": 1, "n": .double(7)]),
        .set("r/3", ["a": 1, "b": 2, "n": 9]), .set("r/4", ["a": 1, "b": .double(1), "n": 1]),
      ])
      try await engine.createIndex(index(("a", .ascending), ("n", .ascending)))
      try await engine.createIndex(index(("b", .ascending), ("n", .ascending)))
      let both = query(filter("a", .equal, 1), filter("b", .equal, 1))
      let result = try engine.aggregate(both, [sum("n"), sum("b"), count])
      #expect(result.explanation.plan.first?.hasPrefix("merge") == true)
      #expect(result.values.map(\.value) == [.double(13), .double(3), 3])
    }
  }

  @Test func `names, numbers and fields of aggregations are checked`() async throws {
    try await withEngine { engine in
      func why(_ aggregations: [Aggregation]) async -> String {
        await reason { _ = try engine.aggregate(query(), aggregations) }
      }
      #expect(await why([]) == "AGGREGATION_COUNT")
      #expect(await why(Array(repeating: count, count: 6)) == "AGGREGATION_COUNT")
      #expect(await why([Aggregation(.sum(.documentName))]) == "AGGREGATION_FIELD")
      #expect(await why([Aggregation(.count(upTo: -1))]) == "AGGREGATION_UP_TO")
      let twice = [
        Aggregation(.count(upTo: nil), alias: "x"), Aggregation(.sum(field("x")), alias: "x"),
      ]
      #expect(await why(twice) == "AGGREGATION_ALIAS")
      let named = try engine.aggregate(
        query(), [count, Aggregation(.count(upTo: nil), alias: "x"), count])
      #expect(named.values.map(\.alias.string) == ["field_1", "x", "field_2"])
    }
  }

  @Test func `a transaction's aggregate conflicts with whatever would change it`() async throws {
    try await withEngine { engine in
      _ = try await engine.commit([.set("r/1", ["n": 1]), .set("r/2", ["n": 2])])
      for (number, value) in [Value.integer(5), .double(1), .integer(1)].enumerated() {
        let runs = try await engine.runs { context in
          let total = try context.aggregate(query(), [Aggregation(.sum(field("n")))])
          if context.attempt == 1 {
            // The second change keeps every key and turns an integer into a double.
            try await engine.set("1", ["n": value])
          }
          try context.write(.set("t/\(number)", ["sum": total.values[0].value]))
        }
        #expect(runs == 2)
      }
      let undisturbed = try await engine.runs { context in
        _ = try context.aggregate(query(filter("n", .lessThan, 10)), [count])
        if context.attempt == 1 { try await engine.set("far", ["n": 1000]) }
        try context.write(.set("t/x", [:]))
      }
      #expect(undisturbed == 1)
    }
  }
}
