import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@Suite struct EngineTests {
  @Test func `a committed document is read back`() async throws {
    try await withEngine { engine in
      let result = try await engine.commit([.set("r/a", ["city": .string("SF"), "n": .integer(1)])])
      let (document, version) = try engine.get(DocumentPath("r/a"))
      #expect(version == result.version)
      #expect(try document?.fields() == ["city": .string("SF"), "n": .integer(1)])
      #expect(document?.updateVersion == result.version)
      #expect(try engine.get(DocumentPath("r/b")).document == nil)
    }
  }

  @Test func `a query reads through the automatic index and counts`() async throws {
    try await withEngine { engine in
      for i in 0..<20 {
        _ = try await engine.commit([
          .set("r/d\(i)", ["city": .string(i % 2 == 0 ? "SF" : "LA"), "n": .integer(Int64(i))])
        ])
      }
      var query = StructuredQuery(try CollectionPath("r"))
      query.filter = .field(FieldFilter(FieldPath(["city"]), .equal, .string("SF")))
      query.limit = 3
      let result = try engine.run(query)
      #expect(result.documents.map(\.path.id) == ["d0", "d10", "d12"])
      #expect(result.explanation.statistics?.indexEntriesScanned == 4)
      #expect(result.explanation.statistics?.documentsScanned == 3)

      query = StructuredQuery(try CollectionPath("r"))
      query.orderBy = [OrderBy(FieldPath(["n"]), .descending)]
      query.limit = 2
      #expect(try engine.run(query).documents.map(\.path.id) == ["d19", "d18"])

      query.filter = .field(FieldFilter(FieldPath(["city"]), .equal, .string("LA")))
      #expect(throws: HearthError.self) { try engine.run(query) }
      try await engine.createIndex(
        IndexDefinition(
          collectionID: "r",
          fields: [
            IndexField(FieldPath(["city"]), .ascending), IndexField(FieldPath(["n"]), .descending),
          ]))
      #expect(try engine.run(query).documents.map(\.path.id) == ["d19", "d17"])
      let report = try engine.checkConsistency()
      #expect(report.findings == [])
      #expect(report.documents == 20)
      #expect(report.indexEntries == 60)
    }
  }

  @Test func `transactions on one document all commit with at most two runs each`() async throws {
    // The lease is no part of this rule; a slow machine must not end one.
    try await withEngine({ $0.limits.turnLeaseNanoseconds = 60_000_000_000 }) { engine in
      _ = try await engine.commit([.set("r/a", ["n": .integer(0)])])
      let path = try DocumentPath("r/a")
      let runs = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<100 {
          group.addTask {
            try await engine.runTransaction { context in
              guard case .integer(let n)? = try context.get(path)?.value(at: FieldPath(["n"]))
              else { return 0 }
              try context.write(.update("r/a", ["n": .integer(n + 1)]))
              return context.attempt
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(try engine.get(path).document?.fields() == ["n": .integer(100)])
      #expect(runs.allSatisfy { (1...2).contains($0) }, "\(runs)")
    }
  }

  @Test func `a listener sees its first state and each later one`() async throws {
    try await withEngine({ $0.holdLeases() }) { engine in
      _ = try await engine.commit([.set("r/a", ["n": .integer(1)])])
      var query = StructuredQuery(try CollectionPath("r"))
      query.orderBy = [OrderBy(FieldPath(["n"]))]
      let (events, sink) = AsyncStream.makeStream(of: Void.self)
      let listener = engine.listen(.query(query)) { sink.yield() }
      var iterator = events.makeAsyncIterator()
      await iterator.next()
      guard case .snapshot(let first)? = listener.take() else {
        Issue.record("no snapshot")
        return
      }
      #expect(first.documents.map(\.path.id) == ["a"])
      _ = try await engine.commit([.set("r/b", ["n": .integer(0)]), .delete("r/a")])
      await iterator.next()
      guard case .snapshot(let second)? = listener.take() else {
        Issue.record("no snapshot")
        return
      }
      #expect(second.documents.map(\.path.id) == ["b"])
      #expect(second.changes.map(\.kind) == [.removed, .added])
      listener.remove()
    }
  }
}
