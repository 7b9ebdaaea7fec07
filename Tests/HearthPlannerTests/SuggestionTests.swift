import HearthModel
import HearthPlanner
import HearthTestSupport
import Testing

/// Property 4 of documents-and-queries, Annex C, against a judge that reads 6.4 and 6.5 on its own.
@Suite struct SuggestionTests {
  @Test func `from no index at all the suggested ones suffice, and each is needed`() throws {
    let seed = testSeed("suggestions")
    var schema = RandomSchema(seed: seed)
    var suggested = 0
    var refused = 0
    for round in 0..<(1200 * soakFactor) {
      if round % 30 == 29 { schema = RandomSchema(seed: seed &+ UInt64(round)) }
      let shape = schema.shape()
      let question = QueryCase.Question(
        schema.query(shape, []), aggregations: shape.aggregations)
      if QueryCase.invalid(question) != nil { continue }
      let disjunctions = question.disjunctions
      var configuration = IndexConfiguration(overrides: [
        FieldOverride(collectionID: question.query.collectionID, path: nil, indexes: [])
      ])
      var made: [IndexDefinition] = []
      while let unserved = disjunctions.first(where: { !$0.isServed(by: configuration) }) {
        let suggestion = unserved.suggestion
        #expect(missing(question, configuration) == suggestion, "\(seed) \(question.query.text)")
        made.append(suggestion)
        configuration = configuration.adding(suggestion)
        // Exactly this one makes it servable, by itself.
        try #require(unserved.isServed(by: configuration))
      }
      let plan = try plan(question, configuration)
      // Of several, one made for a later disjunction may serve an earlier one as well.
      if made.count == 1, !plan.disjunctions.contains(.nothing) {
        let isUsed = plan.disjunctions.contains { $0.isScan(of: made[0]) }
        #expect(isUsed, "\(seed) \(plan.lines)")
      }
      for index in made {
        let poorer = configuration.taking(index)
        let unserved = disjunctions.first { !$0.isServed(by: poorer) }
        let expected = unserved?.suggestion
        #expect(missing(question, poorer) == expected, "\(seed) \(question.query.text)")
        if expected != nil { refused += 1 }
      }
      suggested += made.count
    }
    #expect(suggested > 1000)
    #expect(refused > suggested / 2)
  }

  private func plan(
    _ question: QueryCase.Question, _ configuration: IndexConfiguration
  ) throws(HearthError) -> QueryPlan {
    try Planner(configuration: configuration).plan(
      NormalizedQuery(question.query), aggregating: question.summed)
  }

  private func missing(
    _ question: QueryCase.Question, _ configuration: IndexConfiguration
  ) -> IndexDefinition? {
    do {
      _ = try plan(question, configuration)
      return nil
    } catch {
      #expect(error.status == .failedPrecondition)
      guard case .missingIndex(let missing)? = error.details else { return nil }
      return missing.definition
    }
  }
}

extension IndexConfiguration {
  /// The configuration with one index more; a single-field one by an override.
  fileprivate func adding(_ index: IndexDefinition) -> IndexConfiguration {
    change(index) {
      $0 + [$1]
    } composites: {
      $0 + [$1]
    }
  }

  /// The configuration with one index less.
  fileprivate func taking(_ index: IndexDefinition) -> IndexConfiguration {
    change(index) { indexes, one in
      indexes.filter { $0 != one }
    } composites: { all, one in
      all.filter { $0 != one }
    }
  }

  private func change(
    _ index: IndexDefinition,
    singles: ([SingleFieldIndex], SingleFieldIndex) -> [SingleFieldIndex],
    composites: ([DeclaredIndex], DeclaredIndex) -> [DeclaredIndex]
  ) -> IndexConfiguration {
    var copy = self
    guard ReferenceDisjunction.isSingleField(index), let field = index.fields.first else {
      copy.composites = composites(
        copy.composites, DeclaredIndex(definition: index, state: .ready))
      return copy
    }
    let known = singleFieldIndexes(collectionID: index.collectionID, path: field.path)
    let one = SingleFieldIndex(mode: field.mode, scope: index.scope)
    copy.overrides.removeAll { $0.path == field.path }
    copy.overrides.append(
      FieldOverride(
        collectionID: index.collectionID, path: field.path, indexes: singles(known, one)))
    return copy
  }
}
