import HearthModel
import HearthPlanner
import HearthTestSupport
import Testing

/// Random queries, planned over indexes made as they are asked for (Annex C, 2 and 4).
@Suite struct PlanPropertyTests {
  @Test("Plans, read word by word, find what the definitions of section 5 find")
  func plansFindWhatTheyShould() throws {
    var random = RandomQueries(seed: testSeed("plansFindWhatTheyShould"))
    var counts: [String: Int] = [:]
    for _ in 0..<(100 * soakFactor) {
      let documents = random.documents()
      for _ in 0..<20 {
        let query = random.query()
        guard let normalized = try? NormalizedQuery(query) else { continue }
        let (plan, configuration) = try served(normalized, &random)
        let found = PlanInterpreter(documents: documents).run(plan)
        let expected = BruteForce(documents: documents).run(normalized)
        #expect(found == expected, "\(query) by \(plan.lines) with \(configuration)")
        for line in plan.lines where !expected.isEmpty {
          counts[String(line.prefix(5)), default: 0] += 1
        }
      }
    }
    // The test is worth its time only if every kind of plan occurs and finds something.
    for kind in ["nothi", "looku", "scan ", "merge"] {
      #expect(counts[kind, default: 0] > 0, "too few of \(kind): \(counts)")
    }
  }

  @Test("Without an index of its plan a query fails or finds another admissible plan")
  func everyIndexMatters() throws {
    var random = RandomQueries(seed: testSeed("everyIndexMatters"))
    var failures = 0
    for _ in 0..<(20 * soakFactor) {
      let documents = random.documents()
      for _ in 0..<20 {
        guard let normalized = try? NormalizedQuery(random.query()) else { continue }
        let (plan, configuration) = try served(normalized, &random)
        for index in Set(plan.indexesUsed) where index.fields.count > 1 {
          let poorer = configuration.removing(index)
          do {
            let other = try Planner(configuration: poorer).plan(normalized)
            #expect(!other.indexesUsed.contains(index))
            #expect(
              PlanInterpreter(documents: documents).run(other)
                == BruteForce(documents: documents).run(normalized))
          } catch {
            failures += 1
            #expect(error.status == .failedPrecondition)
          }
        }
      }
    }
    #expect(failures > 5)
  }

  @Test("The suggested index serves the failed disjunction alone")
  func suggestionsServe() throws {
    var random = RandomQueries(seed: testSeed("suggestionsServe"))
    var suggestions = 0
    for _ in 0..<(2000 * soakFactor) {
      guard let normalized = try? NormalizedQuery(random.query()) else { continue }
      guard let missing = missingIndex(normalized, IndexConfiguration()) else { continue }
      suggestions += 1
      let richer = IndexConfiguration(
        composites: [DeclaredIndex(definition: missing, state: .ready)])
      do {
        let plan = try Planner(configuration: richer).plan(normalized)
        if !plan.indexesUsed.isEmpty, !plan.disjunctions.contains(.nothing) {
          #expect(plan.disjunctions.contains { $0.isScan(of: missing) })
        }
      } catch {
        // Another disjunction needs another index; the first one is served now.
        #expect(missingIndex(normalized, richer) != missing)
      }
    }
    #expect(suggestions > 50)
  }

  private func missingIndex(
    _ query: NormalizedQuery, _ configuration: IndexConfiguration
  ) -> IndexDefinition? {
    do {
      _ = try Planner(configuration: configuration).plan(query)
      return nil
    } catch {
      guard case .missingIndex(let missing)? = error.details else { return nil }
      return missing.definition
    }
  }

  /// Plans, making what is missing: the suggested index, or shorter ones that merge to it.
  private func served(
    _ query: NormalizedQuery, _ random: inout RandomQueries
  ) throws -> (QueryPlan, IndexConfiguration) {
    var configuration = IndexConfiguration()
    while let missing = missingIndex(query, configuration) {
      var made = [missing]
      let lead = leadingFields(of: missing, query)
      if lead > 1, !random.generator.oneIn(3) {
        made = missing.fields[..<lead].map { field in
          IndexDefinition(
            collectionID: missing.collectionID, scope: missing.scope,
            fields: [field] + missing.fields[lead...])
        }
        if random.generator.oneIn(2) {
          made.append(
            IndexDefinition(
              collectionID: missing.collectionID, scope: missing.scope,
              fields: missing.fields[..<2].reversed() + missing.fields[lead...]))
        }
        made.shuffle(using: &random.generator)
      }
      configuration.composites += made.map { DeclaredIndex(definition: $0, state: .ready) }
    }
    return (try Planner(configuration: configuration).plan(query), configuration)
  }

  /// How many fields of a suggestion are EQ or CN: those before the tail of the effective order.
  private func leadingFields(of index: IndexDefinition, _ query: NormalizedQuery) -> Int {
    var lead = index.fields.count
    for order in query.effectiveOrder.reversed() where lead > 0 {
      let field = index.fields[lead - 1]
      let mode: IndexFieldMode = order.direction == .ascending ? .ascending : .descending
      if field.path == order.path, field.mode == mode { lead -= 1 }
    }
    return lead
  }
}

extension DisjunctionPlan {
  func isScan(of index: IndexDefinition) -> Bool {
    if case .scan(let scan) = self { return scan.index == index }
    return false
  }
}

extension IndexConfiguration {
  /// The configuration without one index; an automatic one goes by an override.
  func removing(_ index: IndexDefinition) -> IndexConfiguration {
    var copy = self
    copy.composites.removeAll { $0.definition == index }
    if copy.composites.count == composites.count, let field = index.fields.first {
      let left = singleFieldIndexes(collectionID: index.collectionID, path: field.path)
        .filter { $0.mode != field.mode || $0.scope != index.scope }
      copy.overrides.append(
        FieldOverride(collectionID: index.collectionID, path: field.path, indexes: left))
    }
    return copy
  }
}
