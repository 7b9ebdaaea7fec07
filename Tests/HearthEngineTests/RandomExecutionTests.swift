import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@Suite struct RandomExecutionTests {
  @Test func `whatever index serves it, a query finds what matching every document finds`()
    async throws
  {
    var random = RandomQueries(seed: testSeed("randomExecution"))
    var kinds: [String: Int] = [:]
    var asked = 0
    for _ in 0..<(8 * soakFactor) {
      let documents = random.documents()
      try await withEngine { engine in
        // Half of the indexes are built from documents, half are kept up by writes.
        let half = documents.count / 2
        try await write(documents[..<half], to: engine)
        var present = Array(documents[..<half])
        for round in 0..<2 {
          var seen = 0
          while seen < 150 {
            let query = random.query()
            guard let normalized = try? NormalizedQuery(query) else { continue }
            seen += 1
            asked += 1
            let result = try await run(query, in: engine)
            let expected = bruteForce(normalized, present)
            #expect(result.documents.map(\.path) == expected, "\(query) \(result.explanation.plan)")
            if !expected.isEmpty {
              for line in result.explanation.plan { kinds[String(line.prefix(5)), default: 0] += 1 }
            }
          }
          if round == 0 {
            try await write(documents[half...], to: engine)
            present = documents
          }
        }
        #expect(try engine.findings() == [])
      }
    }
    #expect(asked >= 2000)
    for kind in ["looku", "scan ", "merge"] {
      #expect(kinds[kind, default: 0] > 0, "too few of \(kind): \(kinds)")
    }
  }

  private func write(
    _ documents: ArraySlice<(path: DocumentPath, fields: Fields)>, to engine: Engine
  ) async throws {
    _ = try await engine.commit(
      documents.map { path, fields in
        Write(document: path, operation: .update(fields: fields, mask: nil, transforms: []))
      })
  }

  /// Runs a query, making the indexes that it asks for.
  private func run(_ query: StructuredQuery, in engine: Engine) async throws -> QueryResult {
    while true {
      do throws(HearthError) {
        return try engine.run(query)
      } catch {
        guard case .missingIndex(let missing)? = error.details else { throw error }
        try await engine.createIndex(missing.definition)
      }
    }
  }

  private func bruteForce(
    _ query: NormalizedQuery, _ documents: [(path: DocumentPath, fields: Fields)]
  ) -> [DocumentPath] {
    let matcher = QueryMatcher(query)
    let keys = documents.filter { matcher.matches($0.path, $0.fields) }
      .compactMap { matcher.sortKey($0.path, $0.fields) }
      .sorted { matcher.compare($0, $1) < 0 }
    let paths = keys.dropFirst(query.offset).prefix(query.limit ?? keys.count).map(\.path)
    return query.reversesResult ? paths.reversed() : paths
  }
}
