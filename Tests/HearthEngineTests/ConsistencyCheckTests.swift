import HearthEncoding
import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

@Suite struct ConsistencyCheckTests {
  private func findings(
    _ damage: @escaping (RecordStore, borrowing WriteTransaction) throws -> Void
  ) async throws -> [String] {
    try await withReopening { database in
      try await database.withEngine { engine in
        for number in 0..<5 { try await engine.set("d\(number)", ["n": .integer(Int64(number))]) }
        try await engine.createIndex(index(("n", .descending), ("m", .ascending)))
        try await engine.set("both", ["n": 1, "m": 2, "t": .array([1, 2])])
        let report = try engine.checkConsistency()
        #expect(report.findings == [])
        #expect(report.documents == 6)
        #expect(report.collections == 1)
      }
      try database.damage(damage)
      return try await database.withEngine { try $0.findings() }
    }
  }

  @Test func `an undamaged database has no findings after reopening`() async throws {
    #expect(try await findings { _, _ in } == [])
  }

  @Test func `a missing index entry is found and its document named`() async throws {
    let found = try await findings { store, transaction in
      let keys = try allKeys(store, store.entries, transaction)
      let key = try #require(keys.first { $0.count > 8 && $0.suffix(2) == Array("d3".utf8) })
      #expect(try store.delete(key, in: store.entries, transaction))
    }
    #expect(found.contains { $0.contains("'r/d3' lacks an index entry") }, "\(found)")
  }

  @Test func `an index entry too many is found`() async throws {
    let found = try await findings { store, transaction in
      let keys = try allKeys(store, store.entries, transaction)
      let key = try #require(keys.first)
      try store.put(key + [0x61], [], in: store.entries, transaction)
    }
    #expect(found.contains { $0.contains("index entries") }, "\(found)")
  }

  @Test func `one entry too many does not hide one that is missing`() async throws {
    let found = try await findings { store, transaction in
      let keys = try allKeys(store, store.entries, transaction)
      try store.delete(keys[0], in: store.entries, transaction)
      try store.put(keys[0] + [0x61], [], in: store.entries, transaction)
    }
    #expect(found.contains { $0.contains("lacks an index entry") }, "\(found)")
  }

  @Test func `a document of an unknown collection is found`() async throws {
    let found = try await findings { store, transaction in
      let key = KeyLayout.document(CollectionNumber(4711), id: "stray")
      let record = DocumentCodec.record(
        create: version(1), update: version(1), fields: DocumentCodec.encode(["n": 1]))
      try store.put(key, record, in: store.documents, transaction)
    }
    #expect(found.contains { $0.contains("collection that the catalog does not know") })
  }

  @Test func `a document without its entries is found`() async throws {
    let found = try await findings { store, transaction in
      let keys = try allKeys(store, store.documents, transaction)
      let collection = try KeyLayout.documentID(of: keys[0]).collection
      let record = DocumentCodec.record(
        create: version(1), update: version(1), fields: DocumentCodec.encode(["n": 1]))
      try store.put(
        KeyLayout.document(collection, id: "new"), record, in: store.documents, transaction)
    }
    #expect(found.contains { $0.contains("'r/new' lacks an index entry") }, "\(found)")
  }

  /// An old copy of a page of the catalog: commits to come would get the versions of earlier ones.
  @Test func `documents that are newer than the newest commit are found`() async throws {
    let found = try await findings { store, transaction in
      var older: [UInt8] = []
      OrderedNumber.append(1, to: &older)
      try store.put(CatalogKeys.head, older, in: store.catalog, transaction)
    }
    #expect(found.contains { $0.contains("'r/d3' is newer than the newest commit") }, "\(found)")
  }
}
