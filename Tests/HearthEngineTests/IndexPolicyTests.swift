import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// What a database does where an index is missing (documents-and-queries, 8.10).
@Suite struct IndexPolicyTests {
  private let asked = query(
    filter("city", .equal, "SF"), filter("n", .greaterThan, 2), order: [by("n", .descending)],
    limit: 2)

  private func withPolicy(
    _ policy: IndexPolicy, _ body: (Engine) async throws -> Void
  ) async throws {
    try await withEngine { options in
      options.indexPolicy = policy
    } _: { engine in
      _ = try await engine.commit(
        (0..<10).map {
          try .set("r/d\($0)", ["n": .integer(Int64($0)), "city": $0 % 2 == 0 ? "SF" : "LA"])
        })
      try await body(engine)
    }
  }

  @Test func `strict refuses at every entry point with one and the same error`() async throws {
    try await withPolicy(.strict) { engine in
      var errors: [HearthError?] = []
      func keep(_ body: () async throws -> Void) async {
        do {
          try await body()
          errors.append(nil)
        } catch { errors.append(error as? HearthError) }
      }
      await keep { _ = try engine.run(asked) }
      await keep { _ = try engine.explain(asked) }
      await keep { _ = try engine.aggregate(asked, [Aggregation(.count(upTo: nil))]) }
      await keep { _ = try engine.explain(asked, [Aggregation(.count(upTo: nil))]) }
      await keep { _ = try await engine.runTransaction { try $0.run(asked) } }
      await keep {
        _ = try await engine.runTransaction {
          try $0.aggregate(asked, [Aggregation(.count(upTo: nil))])
        }
      }
      errors.append(await Ear(engine, .query(asked)).failure())
      #expect(errors.count == 7)
      for error in errors {
        #expect(error?.status == .failedPrecondition)
        #expect(error?.reason == "INDEX_MISSING")
        #expect(error?.message == errors[0]?.message)
        #expect(error?.details == errors[0]?.details)
      }
    }
  }

  @Test(arguments: [IndexPolicy.advise, .scan])
  func `a query without its index runs by scanning and says so`(_ policy: IndexPolicy)
    async throws
  {
    try await withPolicy(policy) { engine in
      let result = try engine.run(asked)
      #expect(result.documents.map(\.path.id) == ["d8", "d6"])
      let wanted = index(
        ("city", .ascending), ("n", .descending), ("__name__", .descending))
      #expect(result.explanation.assumedIndex == wanted)
      #expect(result.explanation.plan.first?.contains("scan of every document") == true)
      #expect(result.explanation.statistics?.documentsScanned == 10)
      #expect(try engine.explain(asked).assumedIndex == wanted)
      let total = try engine.aggregate(asked, [Aggregation(.sum(field("n")))])
      #expect(total.values[0].value == 14)
      let counted = try await engine.runTransaction { context in
        try context.run(asked).documents.count
      }
      #expect(counted == 2)
      let advised = engine.advisedIndexes
      // The query, the sum, and the query inside the transaction; explaining is no run.
      #expect(advised.first { $0.definition == wanted }?.queries ?? 3 == 3)
      #expect(advised.contains { $0.definition == wanted } == (policy == .advise))
      // With the index the same query is served by it.
      try await engine.createIndex(wanted)
      let served = try engine.run(asked)
      #expect(served.documents.map(\.path.id) == ["d8", "d6"])
      #expect(served.explanation.assumedIndex == nil)
      #expect(served.explanation.statistics?.documentsScanned == 2)
    }
  }

  @Test func `a listener without an index sees what an index would show`() async throws {
    try await withPolicy(.scan) { engine in
      let ear = Ear(engine, .query(asked))
      let first = try await ear.ids()
      #expect(first == ["d8", "d6"])
      try await engine.set("d9", ["n": 9, "city": "SF"])
      let second = try await ear.ids()
      #expect(second == ["d9", "d8"])
    }
  }

  @Test func `a scan inside a transaction is protected against phantoms`() async throws {
    try await withPolicy(.scan) { engine in
      let runs = try await engine.runs { context in
        _ = try context.run(asked)
        if context.attempt == 1 { try await engine.set("d99", ["n": 99, "city": "SF"]) }
        try context.write(.set("t/x", [:]))
      }
      #expect(runs == 2)
    }
  }

  @Test func `errors of the query itself stay errors`() async throws {
    try await withPolicy(.scan) { engine in
      #expect(engine.refusal(query(filter("a", .in, .array([])))) == "ARRAY_OPERAND")
    }
  }
}
