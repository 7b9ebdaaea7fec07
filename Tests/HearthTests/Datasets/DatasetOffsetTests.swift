import HearthDatasets
import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// Queries with an offset, which the facade does not offer, over the earthquakes.
@Suite struct DatasetOffsetTests {
  private static let quakes = CollectionPath(unchecked: ["quakes"])

  private func query(
    where filter: (String, Value)? = nil, by order: (String, Direction)? = nil,
    offset: Int, limit: Int? = nil, toLast: Bool = false
  ) -> StructuredQuery {
    var query = StructuredQuery(Self.quakes)
    query.filter = filter.map { .field(FieldFilter(FieldPath([$0.0]), .equal, $0.1)) }
    query.orderBy = order.map { [OrderBy(FieldPath([$0.0]), $0.1)] } ?? []
    query.offset = offset
    query.limit = limit
    query.limitIsToLast = toLast
    return query
  }

  @Test func `an offset is skipped after the cursors and before the limit`() async throws {
    let expectations = try DatasetExpectations.read().offsets
    let queries = [
      "the strongest quakes but three":
        query(by: ("mag", .descending), offset: 3, limit: 10),
      "one network, the second ten":
        query(where: ("net", .string("hv")), offset: 10, limit: 10),
      "an offset beyond the end":
        query(where: ("net", .string("mb")), offset: 1000, limit: 10),
      "an offset without a limit": query(where: ("net", .string("uu")), offset: 30),
      "an offset from the end":
        query(by: ("sig", .ascending), offset: 5, limit: 7, toLast: true),
    ]
    #expect(expectations.keys.sorted() == queries.keys.sorted())
    try await withEngine { engine in
      var source = try Dataset.quakes.source()
      var writes: [Write] = []
      while let document = try source.next() {
        writes.append(try .set(document.path, document.fields))
      }
      _ = try await engine.commit(writes)
      for (name, query) in queries {
        let expected = try #require(expectations[name])
        let result = try engine.run(query)
        #expect(result.documents.map(\.path.id) == expected.ids, "\(name)")
        #expect(
          result.explanation.statistics?.indexEntriesScanned == expected.entries, "\(name)")
      }
    }
  }
}
