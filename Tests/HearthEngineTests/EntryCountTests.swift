import HearthEncoding
import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// Property 7 of documents-and-queries, Annex C.
@Suite struct EntryCountTests {
  @Test func `entries are as many and as big as the formulas of 6.6 say`() async throws {
    let seed = testSeed("entryCounts")
    for number in 0..<UInt64(12 * soakFactor) {
      var schema = RandomSchema(seed: seed &+ number)
      try await withEngine { engine in
        var twin = ReferenceDatabase()
        let overrides = IndexDefinitionFile(overrides: schema.overrides())
        try await engine.applyIndexFile(Array(overrides.json().utf8))
        for writes in [schema.filling(), schema.changes(), schema.changes(), schema.changes()] {
          let result = try await engine.commit(writes)
          try twin.commit(writes, version: result.version)
          for disjunction in QueryCase.Question(schema.query(schema.shape(), [])).disjunctions {
            for index in schema.parts(of: disjunction) where index.fields.count > 2 {
              try await engine.createIndex(index)
            }
          }
          let documents = Array(twin.documents.values)
          try check(engine, documents, "HEARTH_SEED=\(seed), world \(number)")
        }
      }
    }
  }

  private func check(_ engine: Engine, _ documents: [Document], _ seed: String) throws {
    let configuration = engine.indexConfiguration
    var stored = 0
    for document in documents {
      let expected = ReferenceEntries(document, configuration)
      stored += expected.stored
      let id = document.path.collection.collectionID
      let declared = configuration.composites.map(\.definition)
        .filter { UTF8Order.equal($0.collectionID, id) }
      let cost = IndexEntries.cost(
        fields: document.fields, path: document.path, configuration: configuration,
        declared: declared)
      #expect(cost.entries == expected.sizes.count, "\(seed) \(document)")
      #expect(cost.total == expected.sizes.reduce(0, +), "\(seed) \(document)")
      #expect(cost.largest == expected.sizes.max() ?? 0, "\(seed) \(document)")
    }
    let report = try engine.checkConsistency()
    #expect(report.findings == [], "\(seed)")
    #expect(report.indexEntries == stored, "\(seed)")
  }
}
