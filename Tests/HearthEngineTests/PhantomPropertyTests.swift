import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// Whatever changes the result of a query conflicts with a transaction that ran it, by every kind of
/// plan (transactions-and-listeners, 2.5 and 7.5).
@Suite(.timeLimit(.minutes(30))) struct PhantomPropertyTests {
  /// What a query gave: documents with their versions, or aggregated values.
  private struct Seen: Equatable, Sendable {
    var documents: [String] = []
    var values: [Value] = []

    init(_ result: QueryResult) {
      documents = result.documents.map { "\($0.path) \($0.updateVersion.microseconds)" }
    }

    init(_ result: AggregationResult) { values = result.values.map(\.value) }
  }

  private struct Counts {
    var tried = 0
    var changed = 0
  }

  @Test(arguments: 0..<4)
  func `a commit that changes a query's result conflicts with it`(_ part: Int) async throws {
    let seed = testSeed("phantoms \(part)")
    var counts = Counts()
    for number in 0..<UInt64(5 * soakFactor) {
      let schema = RandomSchema(seed: seed &+ number &* 0x1_0001)
      try await withEngine { options in
        if number % 5 == 4 { options.indexPolicy = .scan }
      } _: { engine in
        try await run(schema, engine, &counts, "HEARTH_SEED=\(seed), world \(number)")
      }
    }
    print("phantoms \(part): \(counts)")
    #expect(counts.changed > counts.tried / 50)
  }

  private func run(
    _ start: RandomSchema, _ engine: Engine, _ counts: inout Counts, _ context: String
  ) async throws {
    var schema = start
    var twin = ReferenceDatabase()
    let overrides = IndexDefinitionFile(overrides: schema.overrides())
    try await engine.applyIndexFile(Array(overrides.json().utf8))
    let filling = schema.filling()
    try twin.commit(filling, version: try await engine.commit(filling).version)
    for _ in 0..<40 {
      let shape = schema.shape()
      let stored = twin.documents.values.sorted { $0.path < $1.path }
      let question = QueryCase.Question(
        schema.query(shape, stored), aggregations: shape.aggregations)
      let writes = schema.changes()
      if writes.isEmpty || QueryCase.invalid(question) != nil { continue }
      try await makeIndexes(question, engine)
      let before = try ask(question, engine)
      // Half of the ranges are checked by walking them again, half by the log.
      let readsLater = schema.oneIn(2)
      let runs = try await engine.runs { context in
        let seen =
          if let aggregations = question.aggregations {
            Seen(try context.aggregate(question.query, aggregations))
          } else {
            Seen(try context.run(question.query))
          }
        let now = try ask(question, engine)
        #expect(seen == now)
        if context.attempt == 1 { _ = try await engine.commit(writes) }
        if readsLater { _ = try? context.get(DocumentPath("t/y")) }
        try context.write(.set("t/x", ["n": .integer(Int64(context.attempt))]))
      }
      try twin.commit(writes, version: try engine.headVersion())
      counts.tried += 1
      if try ask(question, engine) == before { continue }
      counts.changed += 1
      #expect(runs == 2, "\(context): \(question.query), \(writes)")
    }
    let findings = try engine.findings()
    #expect(findings == [])
  }

  private func ask(_ question: QueryCase.Question, _ engine: Engine) throws -> Seen {
    if let aggregations = question.aggregations {
      return Seen(try engine.aggregate(question.query, aggregations))
    }
    return Seen(try engine.run(question.query))
  }

  /// Creates what errors name as missing.
  private func makeIndexes(_ question: QueryCase.Question, _ engine: Engine) async throws {
    while true {
      do {
        _ = try ask(question, engine)
        return
      } catch let error as HearthError {
        guard case .missingIndex(let details)? = error.details else { throw error }
        try await engine.createIndex(details.definition)
      }
    }
  }
}
