import HearthEncoding
import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

@Suite struct CatalogTests {
  private func numbers(
    _ database: ReopenedDatabase
  ) throws -> (collections: [CollectionPath: UInt64], automatic: [AutomaticIndexKey: UInt64]) {
    var collections: [CollectionPath: UInt64] = [:]
    var automatic: [AutomaticIndexKey: UInt64] = [:]
    try database.damage { store, transaction in
      for (path, number) in try CatalogRecords.collections(store, transaction) {
        collections[path] = number.value
      }
      for (key, number) in try CatalogRecords.automaticIndexes(store, transaction) {
        automatic[key] = number.value
      }
    }
    return (collections, automatic)
  }

  @Test func `numbers survive reopening and are given out once`() async throws {
    try await withReopening { database in
      for round in 0..<3 {
        try await database.withEngine { engine in
          for number in 0...round {
            _ = try await engine.commit([
              .set("c\(number)/a", ["f\(number)": 1]), .set("c\(number)/b", ["f\(round)": 1]),
            ])
          }
          #expect(try engine.findings() == [])
        }
        let (collections, automatic) = try numbers(database)
        #expect(collections.count == round + 1)
        #expect(Set(collections.values).count == collections.count)
        #expect(Set(automatic.values).count == automatic.count)
        #expect(collections[CollectionPath(unchecked: ["c0"])] == 1)
      }
    }
  }

  @Test func `a failed commit gives its numbers to nobody else twice`() async throws {
    try await withReopening { database in
      try await database.withEngine { engine in
        let why = await reason {
          _ = try await engine.commit([.set("x/a", ["n": 1]), .update("y/a", ["n": 1])])
        }
        #expect(why == "DOCUMENT_MISSING")
        _ = try await engine.commit([.set("y/a", ["m": 1]), .set("x/a", ["m": 1])])
        #expect(try engine.findings() == [])
      }
      let (collections, automatic) = try numbers(database)
      #expect(Set(collections.values).count == 2)
      #expect(Set(automatic.values).count == automatic.count)
    }
  }

  @Test func `the number of a dropped index is not used again`() async throws {
    try await withReopening { database in
      let one = index(("a", .ascending), ("b", .ascending))
      try await database.withEngine { engine in
        try await engine.set("x", ["a": 1, "b": 1])
        try await engine.createIndex(one)
      }
      var first: UInt64?
      try database.damage { store, transaction in
        first = try CatalogRecords.load(store, transaction).declared.first?.tree.number.value
      }
      try await database.withEngine { engine in
        try await engine.dropIndex(one)
        try await engine.createIndex(one)
      }
      try database.damage { store, transaction in
        let second = try CatalogRecords.load(store, transaction).declared.first?.tree.number.value
        #expect(try #require(second) > #require(first))
      }
    }
  }

  @Test func `twins share a tree, which lives as long as one of them`() async throws {
    try await withEngine { engine in
      let one = index(("a", .ascending), ("b", .ascending))
      try await engine.set("x", ["a": 1, "b": 1])
      try await engine.createIndex(one)
      let entries = try engine.checkConsistency().indexEntries
      try await engine.createIndex(one.twin)
      #expect(try engine.checkConsistency().indexEntries == entries)
      #expect(engine.indexConfiguration.composites.map(\.definition) == [one, one.twin])
      try await engine.dropIndex(one)
      #expect(try engine.checkConsistency().indexEntries == entries)
      let down = query(order: [by("a", .descending), by("b", .descending)])
      #expect(try engine.ids(down) == ["x"])
      #expect(engine.refusal(query(order: [by("a"), by("b")])) == "INDEX_MISSING")
      try await engine.dropIndex(one.twin)
      #expect(try engine.checkConsistency().indexEntries == entries - 1)
    }
  }

  @Test func `overrides decide which entries exist, and survive reopening`() async throws {
    try await withReopening { database in
      let json = """
        {"indexes": [], "fieldOverrides": [
          {"collectionGroup": "r", "fieldPath": "note", "indexes": []}]}
        """
      try await database.withEngine { engine in
        try await engine.applyIndexFile(Array(json.utf8))
        try await engine.set("a", ["note": "long", "n": 1])
      }
      try await database.withEngine { engine in
        #expect(engine.refusal(query(filter("note", .equal, "x"))) == "INDEX_SINGLE_FIELD_MISSING")
        #expect(try engine.ids(query(filter("n", .equal, 1))) == ["a"])
        let report = try engine.checkConsistency()
        #expect(report.findings == [])
        #expect(report.indexEntries == 1)
        #expect(engine.indexConfiguration.overrides.count == 1)
      }
    }
  }

  @Test func `collection ids and field names may be odd and long`() async throws {
    try await withReopening { database in
      let ids = [
        "\0", "a\0b", "é", "e\u{301}", "🐵", " ", "a.b", String(repeating: "c", count: 1500),
        String(repeating: "c", count: 1499) + "d",
      ]
      func path(_ id: String) -> DocumentPath {
        CollectionPath(unchecked: [id]).document("x")
      }
      try await database.withEngine { engine in
        for (number, id) in ids.enumerated() {
          let fields: Fields = [id: .integer(Int64(number)), "n": .integer(Int64(number))]
          let write = Write(
            document: path(id), operation: .update(fields: fields, mask: nil, transforms: []))
          _ = try await engine.commit([write])
        }
      }
      try await database.withEngine { engine in
        for (number, id) in ids.enumerated() {
          #expect(
            try engine.get(path(id)).document?.value(at: field("n")) == .integer(Int64(number)))
          var byField = StructuredQuery(CollectionPath(unchecked: [id]))
          byField.filter = filter(id, .equal, .integer(Int64(number)))
          #expect(try engine.ids(byField) == ["x"])
        }
        let report = try engine.checkConsistency()
        #expect(report.findings == [])
        #expect(report.collections == ids.count)
      }
      #expect(try Set(numbers(database).collections.values).count == ids.count)
    }
  }

  @Test func `automatic index keys are read back`() throws {
    for path in [["a"], ["a", "b"], ["a.b", "\0", ""], ["é", "e\u{301}"]] {
      for contains in [true, false] {
        let key = AutomaticIndexKey(
          collectionID: "c\0d", path: FieldPath(path), contains: contains, scope: .collection)
        #expect(try CatalogKeys.automatic(from: CatalogKeys.automatic(key)) == key)
      }
    }
  }
}
