import HearthEngine
import HearthModel
import HearthTestSupport

/// A database and its naive twin, doing the same things one after another.
struct ModelRun {
  private var engine: Engine
  private let options: EngineOptions
  private var twin = ReferenceDatabase()
  private var random: ModelOperations
  /// Writes, reads and queries done.
  private(set) var operations = 0
  private(set) var counts: [String: Int] = [:]

  /// The first difference, which ends the run.
  struct Difference: Error, CustomStringConvertible {
    var description: String
  }

  init(seed: UInt64, _ options: EngineOptions) throws {
    self.options = options
    random = ModelOperations(seed: seed)
    engine = try Engine.open(options)
  }

  /// Does at least `wanted` operations and closes.
  mutating func run(_ wanted: Int) async throws {
    var sinceCheck = 0
    while operations < wanted {
      try await step()
      sinceCheck += 1
      if sinceCheck == 3000 {
        sinceCheck = 0
        try checkEverything()
      }
    }
    try checkEverything()
    await engine.close()
  }

  private mutating func step() async throws {
    switch random.number(0...199) {
    case 0..<120: try get()
    case 120..<142: try await query()
    case 142..<191: try await commit()
    case 191..<198: try await transact()
    default:
      if random.generator.oneIn(4) { try await reopen() } else { try await changeIndexes() }
    }
  }

  private mutating func count(_ what: String, _ number: Int = 1) {
    operations += number
    counts[what, default: 0] += number
  }

  private func require(_ isTrue: Bool, _ text: @autoclosure () -> String) throws {
    if !isTrue { throw Difference(description: "after \(operations) operations: " + text()) }
  }

  // MARK: Operations

  private mutating func get() throws {
    count("reads")
    let path = random.document()
    let (document, version) = try engine.get(path)
    try require(version == twin.version, "the head is \(version), expected \(twin.version)")
    try compare("'\(path)'", document.map { [$0] } ?? [], [twin.documents[path]].compactMap { $0 })
  }

  private mutating func commit() async throws {
    let writes = random.writes(twin)
    count("writes", writes.count)
    let result: CommitResult
    do throws(HearthError) {
      result = try await engine.commit(writes)
    } catch {
      return try expectFailure(error, writes)
    }
    try await take(writes, result.version, result.results)
  }

  private mutating func take(
    _ writes: [Write], _ version: CommitVersion, _ told: [WriteResult]?
  ) async throws {
    try require(version > twin.version, "version \(version) after \(twin.version)")
    let expected: [WriteResult]
    do throws(HearthError) {
      expected = try twin.commit(writes, version: version)
    } catch {
      return try require(false, "\(writes) was committed, expected \(error.reason)")
    }
    if let told { try require(told == expected, "\(writes) told \(told), expected \(expected)") }
  }

  private mutating func expectFailure(_ error: HearthError, _ writes: [Write]) throws {
    counts["refused commits", default: 0] += 1
    var expected: HearthError?
    do throws(HearthError) {
      for write in writes { try write.validate() }
      var copy = twin
      let next = CommitVersion(microseconds: twin.version.microseconds + 1)
      try copy.commit(writes, version: next)
    } catch {
      expected = error
    }
    try require(
      error.status == expected?.status && error.reason == expected?.reason,
      "\(writes) failed with \(error), expected \(expected?.reason ?? "success")")
  }

  /// Reads and queries, then writes; alone, so it runs once.
  private mutating func transact() async throws {
    let paths = (0..<random.number(0...3)).map { _ in random.document() }
    let query = random.query()
    let asks = random.generator.oneIn(2)
    let writes = random.writes(twin)
    count("reads", paths.count)
    count("writes", writes.count)
    let twin = twin
    let known = twin.documents
    let before = engine.metrics.transactionRuns
    do {
      try await engine.runTransaction { context in
        for path in paths {
          let document = try context.get(path)?.document()
          if document != known[path] {
            throw Difference(description: "a transaction read \(document as Any) at '\(path)'")
          }
        }
        if asks, let result = try? context.run(query) {
          let documents = try result.documents.map { try $0.document() }
          if documents != twin.run(query) {
            throw Difference(description: "a transaction's \(query) gave \(documents)")
          }
        }
        for write in writes { try context.write(write) }
      }
    } catch let error as HearthError {
      if error.reason == "UPDATE_OF_MISSING_READ" {
        return try require(
          writes.contains { paths.contains($0.document) && known[$0.document] == nil },
          "\(writes) failed with \(error) after reading \(paths)")
      }
      return try expectFailure(error, writes)
    }
    try require(
      engine.metrics.transactionRuns == before + 1, "a transaction ran again, but it was alone")
    try await take(writes, try engine.headVersion(), nil)
  }

  private mutating func query() async throws {
    let query = random.query()
    count("queries")
    for _ in 0..<40 {
      let result: QueryResult
      do throws(HearthError) {
        result = try engine.run(query)
      } catch {
        if case .missingIndex(let missing)? = error.details {
          counts["indexes created", default: 0] += 1
          try await engine.createIndex(missing.definition)
          continue
        }
        return try expectInvalid(query, error)
      }
      return try compare("\(query)", result.documents, twin.run(query))
    }
    try require(false, "\(query) lacks an index however many are created")
  }

  private mutating func expectInvalid(_ query: StructuredQuery, _ error: HearthError) throws {
    counts["invalid queries", default: 0] += 1
    var expected: HearthError?
    do throws(HearthError) { _ = try NormalizedQuery(query) } catch { expected = error }
    try require(
      error.reason == expected?.reason,
      "\(query) failed with \(error), expected \(expected?.reason ?? "a result")")
  }

  private func compare(
    _ what: String, _ got: [StoredDocument], _ expected: [Document]
  ) throws {
    let got = try got.map { try $0.document() }
    try require(got == expected, "\(what) gave \(got), expected \(expected)")
  }

  // MARK: Now and then

  private mutating func changeIndexes() async throws {
    let declared = engine.indexConfiguration.composites.map(\.definition)
    // Many indexes make writes slow, and it is creating and dropping that is to be tested.
    let surplus = max(1, declared.count - 8)
    for definition in declared.shuffled(using: &random.generator).prefix(surplus) {
      counts["indexes dropped", default: 0] += 1
      try await engine.dropIndex(definition)
    }
  }

  private mutating func reopen() async throws {
    counts["reopened", default: 0] += 1
    await engine.close()
    engine = try Engine.open(options)
  }

  private mutating func checkEverything() throws {
    for collection in ModelOperations.collections {
      let query = StructuredQuery(collection)
      try compare("'\(collection)'", try engine.run(query).documents, twin.run(query))
    }
    let report = try engine.checkConsistency()
    try require(report.findings == [], "the check finds \(report.findings)")
    try require(
      report.documents == twin.documents.count, "\(report.documents) documents are stored")
  }
}
