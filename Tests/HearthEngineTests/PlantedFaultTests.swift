import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// A fault put between the brute-force test and the engine, which it must find.
struct PlantedFault: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// What a shrunk case may have at most.
  var writes: Int
  var filters: Int
  var ask: QueryCase.Asking

  static let all = [
    PlantedFault(testDescription: "startAt taken for startAfter", writes: 1, filters: 0) {
      $0.start?.inclusive.toggle()
    },
    PlantedFault(testDescription: "one document too many for a limit", writes: 2, filters: 0) {
      if let limit = $0.limit, limit > 0 { $0.limit = limit + 1 }
    },
    PlantedFault(testDescription: "a document once per branch of an or", writes: 1, filters: 2) {
      query, documents in
      guard case .or? = query.filter, let first = documents.first else { return documents }
      return [first] + documents
    },
    PlantedFault(testDescription: "a wrong suggestion", writes: 0, filters: 2) { engine, question in
      let answer = BruteForceWorld.asking(engine, question)
      guard case .refused(let code, let reason, let missing?) = answer,
        missing.fields.contains(where: { $0.mode == .contains })
      else { return answer }
      let fields = Array(missing.fields.dropLast().reversed()) + missing.fields.suffix(1)
      let wrong = IndexDefinition(
        collectionID: missing.collectionID, scope: missing.scope, fields: fields)
      return .refused(code, reason, missing: wrong)
    },
  ]

  private init(
    testDescription: String, writes: Int, filters: Int, ask: @escaping QueryCase.Asking
  ) {
    self.testDescription = testDescription
    self.writes = writes
    self.filters = filters
    self.ask = ask
  }

  /// Another query is asked than was meant.
  private init(
    testDescription: String, writes: Int, filters: Int,
    changing change: @escaping @Sendable (inout StructuredQuery) -> Void
  ) {
    self.init(testDescription: testDescription, writes: writes, filters: filters) {
      engine, question in
      var question = question
      change(&question.query)
      return BruteForceWorld.asking(engine, question)
    }
  }

  /// The result is altered.
  private init(
    testDescription: String, writes: Int, filters: Int,
    altering alter: @escaping @Sendable (StructuredQuery, [Document]) -> [Document]
  ) {
    self.init(testDescription: testDescription, writes: writes, filters: filters) {
      engine, question in
      let answer = BruteForceWorld.asking(engine, question)
      guard case .documents(let documents) = answer else { return answer }
      return .documents(alter(question.query, documents))
    }
  }
}

@Suite struct PlantedFaultTests {
  @Test(arguments: PlantedFault.all)
  func `a planted fault is found and shrunk to a few lines`(_ fault: PlantedFault) async throws {
    // The same worlds each time: this tests the tester, and a rare fault can hide for long.
    let seed: UInt64 = 20
    var failure: BruteForceWorld.Failure?
    for number in 0..<UInt64(50) where failure == nil {
      failure = try await BruteForceWorld.failure(seed &+ number, fault.ask)
    }
    let found = try #require(failure)
    let small = try await found.failing.shrunk(fault.ask)
    let text = CaseText.text(small)
    // Going from smaller to smaller can end a step before the smallest.
    #expect(small.writeCount <= fault.writes + 1, "\(text)")
    #expect(small.question.query.filterCount <= fault.filters + 1, "\(text)")
    // The query, the writes, and indexes and overrides that it cannot do without.
    #expect(text.split(separator: "\n").count <= fault.writes + 6, "\(text)")
  }
}

extension QueryCase {
  fileprivate var writeCount: Int {
    steps.reduce(0) { count, step in
      if case .commit(let writes) = step { return count + writes.count }
      return count
    }
  }
}

extension StructuredQuery {
  fileprivate var filterCount: Int { filter.map(StructuredQuery.count) ?? 0 }

  private static func count(_ filter: QueryFilter) -> Int {
    switch filter {
    case .field: 1
    case .and(let filters), .or(let filters): filters.reduce(0) { $0 + count($1) }
    }
  }
}
