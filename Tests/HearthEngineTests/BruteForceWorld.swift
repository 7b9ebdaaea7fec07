import HearthEngine
import HearthModel
import HearthPlanner
import HearthTestSupport

/// A database and its naive twin: documents, queries of random shapes by every plan that indexes
/// at hand admit, writes in between.
struct BruteForceWorld {
  /// What a run did.
  struct Counts {
    var queries = 0
    var invalid = 0
    var missing = 0
    var plans = 0
    var found = 0
    var kinds: [String: Int] = [:]

    static func += (a: inout Counts, b: Counts) {
      a.queries += b.queries
      a.invalid += b.invalid
      a.missing += b.missing
      a.plans += b.plans
      a.found += b.found
      a.kinds.merge(b.kinds, uniquingKeysWith: +)
    }
  }

  /// The first wrong answer, which ends a run.
  struct Failure: Error {
    var failing: QueryCase
    var expected: QueryCase.Answer
    var got: QueryCase.Answer
  }

  private let engine: Engine
  private let ask: QueryCase.Asking
  private var schema: RandomSchema
  private var twin = ReferenceDatabase()
  private var asked: [DocumentPath: ReferenceDocument] = [:]
  private var steps: [QueryCase.Step] = []
  private(set) var counts = Counts()

  init(
    _ engine: Engine, seed: UInt64,
    _ ask: @escaping QueryCase.Asking = BruteForceWorld.asking
  ) {
    self.engine = engine
    self.ask = ask
    schema = RandomSchema(seed: seed)
  }

  /// Whether a query without its index is refused.
  private var isStrict: Bool { engine.options.indexPolicy == .strict }

  /// The engine as it is.
  static let asking: QueryCase.Asking = { engine, question in
    do throws(HearthError) {
      let query = question.query
      if let aggregations = question.aggregations {
        let result: AggregationResult
        if let configuration = question.configuration {
          result = try engine.aggregatePlanned(query, aggregations, configuration: configuration)
        } else {
          result = try engine.aggregate(query, aggregations)
        }
        return .values(result.values.map(\.alias.string), result.values.map(\.value))
      }
      let result: QueryResult
      if let configuration = question.configuration {
        result = try engine.runPlanned(query, configuration: configuration)
      } else {
        result = try engine.run(query)
      }
      var documents: [Document] = []
      for document in result.documents { documents.append(try document.document()) }
      return .documents(documents)
    } catch {
      var missing: IndexDefinition?
      if case .missingIndex(let details)? = error.details { missing = details.definition }
      return .refused(error.status, error.reason, missing: missing)
    }
  }

  /// Fills the database, then asks `variants` queries of each shape.
  mutating func run(shapes: Int, variants: Int) async throws {
    try await override(schema.overrides())
    let filling = schema.filling()
    try await commit(Array(filling.prefix(filling.count / 2)))
    for round in 0..<shapes {
      // Half of the indexes are filled from documents, half are kept up by writes.
      if round == shapes / 2 { try await commit(Array(filling.suffix(filling.count / 2))) }
      try await ask(schema.shape(), variants)
      try await commit(schema.changes())
      if schema.oneIn(10) { try await override([schema.override()]) }
    }
    let findings = try engine.findings()
    if !findings.isEmpty { throw Broken(findings: findings) }
  }

  struct Broken: Error {
    var findings: [String]
  }

  // MARK: Writing

  private mutating func commit(_ writes: [Write]) async throws {
    if writes.isEmpty { return }
    let result = try await engine.commit(writes)
    let told = try twin.commit(writes, version: result.version)
    if told != result.results { throw Broken(findings: ["\(writes) told \(result.results)"]) }
    for write in writes {
      asked[write.document] = twin.documents[write.document].map { ReferenceDocument($0) }
    }
    steps.append(.commit(writes))
  }

  private mutating func override(_ overrides: [FieldOverride]) async throws {
    if overrides.isEmpty { return }
    try await engine.applyIndexFile(
      Array(IndexDefinitionFile(overrides: overrides).json().utf8))
    steps.append(.override(overrides))
  }

  private mutating func create(_ definition: IndexDefinition) async throws {
    if ReferenceDisjunction.isSingleField(definition) || definition.fields.count > 100 { return }
    if engine.indexConfiguration.composites.contains(where: { $0.definition == definition }) {
      return
    }
    try await engine.createIndex(definition)
    steps.append(.create(definition))
  }

  /// Keeps the number of indexes small, since every write keeps them all.
  private mutating func dropSome() async throws {
    let declared = engine.indexConfiguration.composites.map(\.definition)
    if declared.count < 24 { return }
    for definition in declared.shuffled(using: &schema.generator).dropLast(8) {
      try await engine.dropIndex(definition)
      steps.append(.drop(definition))
    }
  }

  // MARK: Asking

  private mutating func ask(_ shape: QueryShape, _ variants: Int) async throws {
    try await dropSome()
    let documents = asked.values.sorted(by: ReferenceDocument.precedes)
    let stored = documents.map(\.document)
    let samples = (0..<2).map { _ in
      QueryCase.Question(schema.query(shape, stored), aggregations: shape.aggregations)
    }
    // As things are, which is often without an index.
    try check(samples[0], documents, [nil])
    let configurations = try await makeIndexes(samples[0])
    for sample in samples { try check(sample, documents, configurations) }
    let distinct = distinctPlans(samples, configurations)
    for _ in 0..<variants {
      var question = samples[0]
      question.query = schema.query(shape, stored)
      if schema.oneIn(6) {
        question.query = schema.spoiled(question.query)
        if question.aggregations != nil, schema.oneIn(4) {
          question.aggregations = schema.spoiledAggregations()
        }
        try check(question, documents, [nil])
      } else {
        try check(question, documents, distinct)
      }
    }
  }

  /// Asks by each configuration, nil being the database's own.
  private mutating func check(
    _ question: QueryCase.Question, _ documents: [ReferenceDocument],
    _ configurations: [IndexConfiguration?]
  ) throws {
    counts.queries += 1
    let invalid = QueryCase.invalid(question)
    if invalid != nil { counts.invalid += 1 }
    let disjunctions = invalid == nil ? question.disjunctions : []
    // The same by every plan.
    var result: QueryCase.Answer?
    for configuration in configurations {
      var expected = invalid
      if expected == nil, isStrict {
        expected = QueryCase.missing(disjunctions, configuration ?? engine.indexConfiguration)
        if expected != nil { counts.missing += 1 }
      }
      if expected == nil {
        counts.plans += 1
        expected = result ?? QueryCase.result(question, documents)
        result = expected
      }
      var question = question
      question.configuration = configuration
      let got = ask(engine, question)
      if let expected, got != expected {
        throw Failure(
          failing: QueryCase(
            steps: steps, question: question, policy: engine.options.indexPolicy),
          expected: expected, got: got)
      }
    }
    if result?.isEmpty == false { count(question) }
  }

  /// Counts a query that found something, by what is special about it.
  private mutating func count(_ question: QueryCase.Question) {
    counts.found += 1
    var kinds: [String] = []
    let query = question.query
    if case .collectionGroup = query.scope { kinds.append("group") }
    if query.ancestor != nil { kinds.append("ancestor") }
    if query.projection != nil { kinds.append("projection") }
    if !question.summed.isEmpty { kinds.append("sum") }
    if query.start != nil || query.end != nil { kinds.append("cursor") }
    if query.limitIsToLast { kinds.append("limit to last") }
    for kind in kinds { counts.kinds[kind, default: 0] += 1 }
  }

  /// One configuration for every plan that these questions get.
  private mutating func distinctPlans(
    _ questions: [QueryCase.Question], _ configurations: [IndexConfiguration?]
  ) -> [IndexConfiguration?] {
    var known: Set<[QueryPlan?]> = []
    var distinct: [IndexConfiguration?] = []
    for configuration in configurations {
      let planner = Planner(configuration: configuration ?? engine.indexConfiguration)
      let plans = questions.map { question in
        try? planner.plan(NormalizedQuery(question.query), aggregating: question.summed)
      }
      let isRefused = isStrict && plans.contains { $0 == nil }
      if isRefused || !known.insert(plans).inserted { continue }
      distinct.append(configuration)
      for plan in plans[0]?.lines ?? ["every document"] {
        counts.kinds[String(plan.prefix(5)), default: 0] += 1
      }
    }
    return Array(distinct.shuffled(using: &schema.generator).prefix(4))
  }

  // MARK: Indexes

  /// Makes indexes for a question in several ways; gives configurations that admit some of them.
  private mutating func makeIndexes(
    _ question: QueryCase.Question
  ) async throws -> [IndexConfiguration?] {
    var suggestions: [IndexDefinition] = []
    var parts: [IndexDefinition] = []
    for disjunction in question.disjunctions where !suggestions.contains(disjunction.suggestion) {
      suggestions.append(disjunction.suggestion)
      if parts.count < 6 { parts += schema.parts(of: disjunction) }
    }
    let supported = { (index: IndexDefinition) in
      // The name index exists always.
      index.fields != [IndexField(.documentName, .ascending)]
        && !ReferenceDisjunction.isSingleField(index)
    }
    suggestions = suggestions.filter(supported)
    parts = parts.filter(supported)
    for index in (suggestions + parts).shuffled(using: &schema.generator) {
      try await create(index)
    }
    let own = engine.indexConfiguration
    func some(_ indexes: [IndexDefinition], automatic: Bool) -> IndexConfiguration {
      var configuration = own
      configuration.composites = own.composites.filter { indexes.contains($0.definition) }
      if !automatic {
        configuration.overrides = [
          FieldOverride(collectionID: question.query.collectionID, path: nil, indexes: [])
        ]
      }
      return configuration
    }
    var configurations: [IndexConfiguration?] = [
      nil, some([], automatic: true), some(suggestions, automatic: false),
      some(parts, automatic: true), some(parts, automatic: false),
    ]
    if !isStrict {
      configurations.append(some([], automatic: false))
    }
    for _ in 0..<3 {
      let all = own.composites.map(\.definition)
      let chosen = all.filter { _ in schema.oneIn(2) }.shuffled(using: &schema.generator)
      var configuration = some(chosen, automatic: true)
      configuration.overrides += schema.restrictions(of: own, question.query.collectionID)
      configurations.append(configuration)
    }
    return configurations
  }
}
