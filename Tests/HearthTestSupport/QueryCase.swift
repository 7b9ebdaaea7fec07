package import HearthEngine
package import HearthModel

/// A database's history, a question, and how the question is to be answered: everything that a
/// failure of a random test needs to be seen again.
package struct QueryCase: Sendable {
  /// One step of the history.
  package enum Step: Sendable {
    case commit([Write])
    case create(IndexDefinition)
    case override([FieldOverride])
    case drop(IndexDefinition)
  }

  /// What is asked.
  package struct Question: Sendable {
    package var query: StructuredQuery
    package var aggregations: [Aggregation]?
    /// The indexes that may be used; nil for those of the database.
    package var configuration: IndexConfiguration?

    package init(
      _ query: StructuredQuery, aggregations: [Aggregation]? = nil,
      configuration: IndexConfiguration? = nil
    ) {
      self.query = query
      self.aggregations = aggregations
      self.configuration = configuration
    }

    package var summed: [FieldPath] { (aggregations ?? []).compactMap(\.summed) }

    /// The disjunctions of a valid question.
    package var disjunctions: [ReferenceDisjunction] {
      ReferenceDisjunction.all(of: query, aggregating: summed)
    }
  }

  /// What came back.
  package enum Answer: Sendable, Equatable {
    case documents([Document])
    case values([String], [Value])
    case refused(FirestoreErrorCode.Code, String, missing: IndexDefinition?)
  }

  package var steps: [Step]
  package var question: Question
  /// What the database does where an index is missing.
  package var policy: IndexPolicy

  package init(steps: [Step], question: Question, policy: IndexPolicy = .strict) {
    self.steps = steps
    self.question = question
    self.policy = policy
  }

  /// Asks an engine; tests of the harness put a faulty one in its place.
  package typealias Asking = @Sendable (Engine, Question) -> Answer

  /// What the specification says, of these documents.
  ///
  /// - Parameter configuration: The indexes of the database, where the question names none.
  private func expected(
    _ question: Question, _ documents: [ReferenceDocument], _ configuration: IndexConfiguration
  ) -> Answer {
    if let refusal = QueryCase.invalid(question) { return refusal }
    if policy == .strict,
      let refusal = QueryCase.missing(
        question.disjunctions, question.configuration ?? configuration)
    {
      return refusal
    }
    return QueryCase.result(question, documents)
  }

  /// The refusal of an invalid question.
  package static func invalid(_ question: Question) -> Answer? {
    let reason =
      question.aggregations.flatMap { ReferenceRules.refusal($0) }
      ?? ReferenceRules.refusal(question.query)
      ?? ReferenceRules.refusal(question.query, aggregating: question.summed)
    return reason.map { .refused(.invalidArgument, $0, missing: nil) }
  }

  /// The refusal of a valid question, seen as its disjunctions, for want of an index.
  package static func missing(
    _ disjunctions: [ReferenceDisjunction], _ configuration: IndexConfiguration
  ) -> Answer? {
    guard let unserved = disjunctions.first(where: { !$0.isServed(by: configuration) }) else {
      return nil
    }
    let suggestion = unserved.suggestion
    let isSingle = ReferenceDisjunction.isSingleField(suggestion)
    return .refused(
      .failedPrecondition, isSingle ? "INDEX_SINGLE_FIELD_MISSING" : "INDEX_MISSING",
      missing: suggestion)
  }

  /// What a valid question finds.
  package static func result(_ question: Question, _ documents: [ReferenceDocument]) -> Answer {
    guard let aggregations = question.aggregations else {
      return .documents(ReferenceQuery(question.query).run(documents))
    }
    let results = ReferenceQuery.aggregate(question.query, aggregations, documents)
    return .values(results.map(\.alias), results.map(\.value))
  }

  /// Does everything again in a database of its own; gives the two answers if they differ.
  package func difference(_ ask: Asking) async throws -> (expected: Answer, got: Answer)? {
    let policy = policy
    return try await withEngine { options in
      options.indexPolicy = policy
    } _: { engine in
      var twin = ReferenceDatabase()
      for step in steps {
        switch step {
        case .commit(let writes):
          // Shrinking makes commits that fail; then nothing happened.
          guard let result = try? await engine.commit(writes) else { continue }
          try twin.commit(writes, version: result.version)
        case .create(let definition): try? await engine.createIndex(definition)
        case .override(let overrides):
          let file = IndexDefinitionFile(overrides: overrides)
          try? await engine.applyIndexFile(Array(file.json().utf8))
        case .drop(let definition): try? await engine.dropIndex(definition)
        }
      }
      let documents = twin.documents.values.map { ReferenceDocument($0) }
      var question = question
      // What shrinking took from the database cannot be planned with.
      let declared = engine.indexConfiguration
      question.configuration?.composites.removeAll { !declared.composites.contains($0) }
      let expected = self.expected(question, documents, declared)
      let got = ask(engine, question)
      return expected == got ? nil : (expected, got)
    }
  }

  /// A small case that still fails, by trying smaller ones as long as there are any.
  ///
  /// - Parameters:
  ///   - ask: What gave the wrong answer.
  ///   - attempts: The most cases to try.
  package func shrunk(_ ask: Asking, attempts: Int = 1500) async throws -> QueryCase {
    var best = self
    var left = attempts
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in best.smaller {
        if left == 0 { return best }
        left -= 1
        if try await candidate.difference(ask) != nil {
          best = candidate
          isSmaller = true
          break
        }
      }
    }
    return best
  }
}

extension QueryCase.Answer {
  /// Whether anything was found.
  package var isEmpty: Bool {
    switch self {
    case .documents(let documents): documents.isEmpty
    case .values: false
    case .refused: true
    }
  }
}
