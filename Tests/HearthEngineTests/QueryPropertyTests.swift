import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// Properties 3 and 5 of documents-and-queries, Annex C, over random worlds.
@Suite struct QueryPropertyTests {
  /// A filled database in which every query has its index; group queries, too.
  private func withWorld(
    _ seed: UInt64,
    _ body: (Engine, inout RandomSchema, [ReferenceDocument]) async throws -> Void
  ) async throws {
    try await withEngine { engine in
      var schema = RandomSchema(seed: seed)
      let all = [IndexScope.collection, .collectionGroup].flatMap { scope in
        [IndexFieldMode.ascending, .descending, .contains].map {
          SingleFieldIndex(mode: $0, scope: scope)
        }
      }
      let override = FieldOverride(collectionID: "r", path: nil, indexes: all)
      try await engine.applyIndexFile(
        Array(IndexDefinitionFile(overrides: [override]).json().utf8))
      var twin = ReferenceDatabase()
      let writes = schema.filling()
      try twin.commit(writes, version: try await engine.commit(writes).version)
      let documents = twin.documents.values.map { ReferenceDocument($0) }
      try await body(engine, &schema, documents.sorted(by: ReferenceDocument.precedes))
    }
  }

  /// Runs a query, making the indexes that it asks for.
  private func run(_ query: StructuredQuery, in engine: Engine) async throws -> [Document] {
    while true {
      do throws(HearthError) {
        return try engine.run(query).documents.map { (document) throws(HearthError) in
          try document.document()
        }
      } catch {
        guard case .missingIndex(let missing)? = error.details else { throw error }
        try await engine.createIndex(missing.definition)
      }
    }
  }

  @Test func `pages by snapshot cursors make the whole result, forwards and backwards`()
    async throws
  {
    let seed = testSeed("pages")
    var pages = 0
    for number in 0..<UInt64(10 * soakFactor) {
      try await withWorld(seed &+ number) { engine, schema, documents in
        for _ in 0..<12 {
          var query = schema.query(schema.shape(), documents.map(\.document))
          (query.start, query.end, query.limit, query.projection) = (nil, nil, nil, nil)
          query.limitIsToLast = false
          query.offset = 0
          let whole = try await run(query, in: engine)
          #expect(whole == ReferenceQuery(query).run(documents), "\(seed) \(query.text)")
          let size = schema.number(1...3)
          let forwards = try await walk(query, size, in: engine)
          #expect(forwards.joined().elementsEqual(whole), "\(seed) \(query.text) by \(size)")
          guard let last = whole.last else { continue }
          // Backwards from the end: an explicit order, then `endBefore` the first of each page.
          query.orderBy = try query.cursor(at: last).orderBy
          let backwards = try await walk(query, size, backwards: true, in: engine)
          #expect(
            backwards.reversed().joined().elementsEqual(whole), "\(seed) \(query.text) by \(size)")
          pages += forwards.count + backwards.count
        }
      }
    }
    #expect(pages > 200)
  }

  /// The pages of a query, each beginning behind the last document of the one before it.
  private func walk(
    _ query: StructuredQuery, _ size: Int, backwards: Bool = false, in engine: Engine
  ) async throws -> [[Document]] {
    var query = query
    query.limit = size
    query.limitIsToLast = backwards
    var pages: [[Document]] = []
    // Pages without end would be a fault, too.
    while pages.count < 200 {
      let page = try await run(query, in: engine)
      pages.append(page)
      guard page.count == size, let edge = backwards ? page.first : page.last else { break }
      let cursor = try query.cursor(at: edge)
      query.orderBy = cursor.orderBy
      let bound = Bound(values: cursor.values, inclusive: false)
      if backwards { query.end = bound } else { query.start = bound }
    }
    return pages
  }

  @Test func `a filter put together differently finds the same and needs the same indexes`()
    async throws
  {
    let seed = testSeed("rewritten")
    var asked = 0
    for number in 0..<UInt64(8 * soakFactor) {
      try await withWorld(seed &+ number) { engine, schema, documents in
        for _ in 0..<20 {
          let query = schema.query(schema.shape(), documents.map(\.document))
          guard let filter = query.filter else { continue }
          let whole = try await run(query, in: engine)
          for _ in 0..<4 {
            var other = query
            other.filter = schema.rewritten(filter)
            // Distribution repeats filters, and there are limits on some.
            if ReferenceRules.refusal(other) != nil { continue }
            asked += 1
            // Without making an index.
            let found = try engine.run(other).documents.map { try $0.document() }
            #expect(found == whole, "\(seed) \(query.text) as \(other.text)")
          }
        }
      }
    }
    #expect(asked > 300)
  }

  @Test func `the disjunctions are as many as were counted, by every way of counting`() throws {
    let seed = testSeed("disjunctions")
    var schema = RandomSchema(seed: seed)
    var counted = 0
    for round in 0..<(1000 * soakFactor) {
      if round % 50 == 49 { schema = RandomSchema(seed: seed &+ UInt64(round)) }
      let query = schema.query(schema.shape(), [])
      let count = ReferenceFilter(query.filter).disjunctionCount
      #expect(try NormalizedQuery(query).disjunctions.count == count, "\(seed) \(query.text)")
      #expect(ReferenceFilter(query.filter).disjunctions(in: query.scope).count == count)
      if count > 1 { counted += 1 }
      // One more than the most is refused before any is made.
      var wide = query
      let values = Value.array((0..<30).map { .integer(Int64($0)) })
      let tenFold = QueryFilter.field(FieldFilter(FieldPath(["w"]), .in, values))
      wide.filter = .and(
        [tenFold, tenFold, query.filter ?? .and([])].shuffled(using: &schema.generator))
      let expected = ReferenceRules.refusal(wide)
      let got = reason(of: wide)
      #expect(got == expected, "\(seed) \(wide.text)")
    }
    #expect(counted > 100)
  }

  private func reason(of query: StructuredQuery) -> String? {
    do {
      _ = try NormalizedQuery(query)
      return nil
    } catch {
      return error.reason
    }
  }
}
