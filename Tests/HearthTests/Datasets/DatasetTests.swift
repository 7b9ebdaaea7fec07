import Hearth
import HearthDatasets
import HearthTestSupport
import Testing

/// Queries over real data find what an independent program found (`Tests/Datasets`), and read no
/// more than that takes.
@Suite(.datasets) struct DatasetTests {
  @Test func `everything was loaded`() async throws {
    let expected = try DatasetExpectations.read()
    for (name, count) in expected.documents {
      let found = try await SharedDatabase.database.collection(name).getDocuments()
      #expect(found.count == count, "\(name)")
    }
  }

  @Test func `the script and these tests know the same queries`() throws {
    let expected = try DatasetExpectations.read()
    #expect(expected.queries.keys.sorted() == NamedQuery.all.map(\.name).sorted())
  }

  @Test(arguments: NamedQuery.all)
  func `results and counts are as computed elsewhere`(_ named: NamedQuery) async throws {
    let expectations = try DatasetExpectations.read()
    let expected = try #require(expectations.queries[named.name])
    let query = try await named.make(SharedDatabase.database)
    let explained = try await query.explain(analyze: true)
    let ids = try #require(explained.snapshot).documents.map(\.documentID)
    expected.check(ids)
    let statistics = try #require(explained.executionStats)
    #expect(statistics.resultsReturned == expected.count)
    if let entries = expected.entries {
      #expect(statistics.debugStats.indexEntriesScanned == entries)
      #expect(statistics.debugStats.documentsScanned == expected.documents)
    }
    let plain = try await query.getDocuments()
    #expect(plain.documents.map(\.documentID) == ids)
  }

  /// The names of all cities, page by page, with documents and with values as cursors.
  @Test(arguments: [true, false])
  func `pages joined are the whole order`(byDocument: Bool) async throws {
    let expected = try #require(try DatasetExpectations.read().queries["all cities by name"])
    let whole = try SharedDatabase.database.collection("cities")
      .order(by: "name").order(by: FieldPath.documentID())
    var ids: [String] = []
    var page = whole.limit(to: 617)
    while true {
      let found = try await page.getDocuments()
      guard let last = found.documents.last else { break }
      ids += found.documents.map(\.documentID)
      let name: Any = try #require(last.get("name"))
      page =
        byDocument
        ? whole.start(afterDocument: last).limit(to: 617)
        : whole.start(after: [name, last.documentID]).limit(to: 617)
    }
    expected.check(ids)
  }

  /// An index that the file does not declare, made from the error that asks for it.
  @Test func `a query runs with the index that its error names`() async throws {
    let database = try SharedDatabase.database
    let query = database.collection("quakes").whereField("status", isEqualTo: "reviewed")
      .order(by: "sig", descending: true).limit(to: 3)
    let error = await #expect(throws: HearthError.self) { _ = try await query.getDocuments() }
    guard case .missingIndex(let missing)? = error?.details else {
      Issue.record("no definition in \(String(describing: error))")
      return
    }
    #expect(missing.definition.description == "(status ASC, sig DESC, __name__ DESC)")
    try await database.createIndex(missing.definition)
    let explained = try await query.explain(analyze: true)
    #expect(explained.snapshot?.count == 3)
    #expect(explained.executionStats?.debugStats.indexEntriesScanned == 4)
  }
}

extension DatasetExpectations.Result {
  /// Compares a result with this one.
  func check(_ found: [String], _ location: SourceLocation = #_sourceLocation) {
    #expect(found.count == count, sourceLocation: location)
    if let ids {
      #expect(found == ids, sourceLocation: location)
      return
    }
    #expect(Array(found.prefix(5)) == first, sourceLocation: location)
    #expect(Array(found.suffix(5)) == last, sourceLocation: location)
    #expect(
      SHA256.hex(found.joined(separator: "\n").utf8) == sha256, "the ids or their order differ",
      sourceLocation: location)
  }
}
