import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// Changes of field overrides under documents (documents-and-queries, 6.2 and 6.7).
@Suite(.timeLimit(.minutes(30))) struct OverrideTests {
  private func withDocuments(_ body: (Engine) async throws -> Void) async throws {
    try await withEngine { engine in
      _ = try await engine.commit(
        (0..<1200).map { number in
          try .set(
            "r/d\(1000 + number)",
            [
              "n": .integer(Int64(number)), "note": .string("note \(number % 7)"),
              "tags": .array(["a", "b"]), "map": .map(["x": 1, "y": .map(["z": 2])]),
            ])
        })
      try await body(engine)
    }
  }

  @Test func `an exemption takes entries away and a reset gives them back`() async throws {
    try await withDocuments { engine in
      let noted = query(filter("note", .equal, "note 3"))
      let before = try engine.checkConsistency()
      let found = try engine.ids(noted)
      try await engine.setOverride(collectionID: "r", path: field("note"), indexes: [])
      #expect(engine.refusal(noted) == "INDEX_SINGLE_FIELD_MISSING")
      let exempted = try engine.checkConsistency()
      #expect(exempted.findings == [])
      #expect(exempted.indexEntries == before.indexEntries - 1200)
      try await engine.set("new", ["note": "note 3"])
      try await engine.setOverride(collectionID: "r", path: field("note"), indexes: nil)
      #expect(try engine.ids(noted) == found + ["new"])
      #expect(try engine.findings() == [])
      #expect(engine.indexConfiguration.overrides.isEmpty)
    }
  }

  @Test func `a map's override is inherited below it, and the collection's by all`() async throws {
    try await withDocuments { engine in
      let deep = query(filter("map.y.z", .equal, 2)) { query in
        query.filter = .field(FieldFilter(FieldPath(["map", "y", "z"]), .equal, 2))
        query.limit = 1
      }
      #expect(try engine.ids(deep) == ["d1000"])
      try await engine.setOverride(collectionID: "r", path: field("map"), indexes: [])
      #expect(engine.refusal(deep) == "INDEX_SINGLE_FIELD_MISSING")
      try await engine.setOverride(
        collectionID: "r", path: FieldPath(["map", "y"]),
        indexes: [SingleFieldIndex(mode: .ascending, scope: .collection)])
      #expect(try engine.ids(deep) == ["d1000"])
      try await engine.setOverride(collectionID: "r", path: nil, indexes: [])
      #expect(try engine.ids(deep) == ["d1000"])
      #expect(engine.refusal(query(filter("n", .equal, 1))) == "INDEX_SINGLE_FIELD_MISSING")
      let report = try engine.checkConsistency()
      #expect(report.findings == [])
      #expect(report.indexEntries == 2 * 1200)
    }
  }

  @Test func `writes that go on while overrides are applied leave no stray entry`() async throws {
    try await withDocuments { engine in
      async let churn: Void = {
        for round in 0..<60 {
          _ = try await engine.commit([
            .set("r/d\(1000 + round * 17)", ["note": .string("w\(round)"), "n": 1]),
            .set("r/extra\(round)", ["note": .string("x\(round)")]),
            .delete("r/d\(1001 + round * 13)"),
          ])
        }
      }()
      for _ in 0..<2 {
        try await engine.setOverride(collectionID: "r", path: field("note"), indexes: [])
        try await engine.setOverride(
          collectionID: "r", path: field("note"),
          indexes: IndexConfiguration.defaultIndexes
            + [SingleFieldIndex(mode: .ascending, scope: .collectionGroup)])
      }
      try await churn
      #expect(try engine.findings() == [])
      var everywhere = StructuredQuery(scope: .collectionGroup(UTF8String("r")))
      everywhere.filter = filter("note", .greaterThanOrEqual, "w")
      everywhere.orderBy = [by("note")]
      let group = try engine.run(everywhere)
      let own = try engine.run(
        query(filter("note", .greaterThanOrEqual, "w"), order: [by("note")]))
      #expect(group.documents.map(\.path) == own.documents.map(\.path))
      #expect(!own.documents.isEmpty)
    }
  }

  @Test func `a change under way is finished after reopening`() async throws {
    try await withReopening { database in
      try await database.withEngine { engine in
        _ = try await engine.commit(
          (0..<1500).map { try .set("r/d\($0)", ["note": .integer(Int64($0))]) })
      }
      // Interrupted by closing somewhere in the middle, if not before its beginning.
      try await database.withEngine { engine in
        async let change: Void = engine.setOverride(
          collectionID: "r", path: field("note"), indexes: [])
        _ = try? await engine.commit([.set("r/x", ["note": 1])])
        await engine.close()
        _ = try? await change
      }
      try await database.withEngine { engine in
        await engine.waitForIndexWork()
        #expect(engine.indexConfiguration.changes.isEmpty)
        let findings = try engine.findings()
        #expect(findings == [])
      }
    }
  }

  // Such an override was stored, and the database could not be opened again.
  @Test func `an override that is too much for a document is taken back`() async throws {
    try await withDocuments { engine in
      // Twice as many entries as elements are too many.
      let many = Value.array((0..<20_500).map { .integer($0) })
      try await engine.set("dzz", ["tags": many])
      let both = [IndexScope.collection, .collectionGroup].map {
        SingleFieldIndex(mode: .contains, scope: $0)
      }
      let before = (engine.indexConfiguration.overrides, try engine.checkConsistency().indexEntries)
      let thrown = await #expect(throws: HearthError.self) {
        try await engine.setOverride(collectionID: "r", path: field("tags"), indexes: both)
      }
      #expect(thrown?.reason == "TOO_MANY_INDEX_ENTRIES")
      #expect(thrown?.message.contains("'r' are as they were") == true)
      #expect(engine.indexConfiguration.overrides == before.0)
      #expect(engine.indexConfiguration.changes.isEmpty)
      #expect(try engine.findings() == [])
      #expect(try engine.checkConsistency().indexEntries == before.1)
      #expect(try engine.ids(query(filter("tags", .arrayContains, 20_400))) == ["dzz"])
      // A file is taken for the collections that can follow it.
      let file = IndexDefinitionFile(overrides: [
        FieldOverride(collectionID: "r", path: field("tags"), indexes: both),
        FieldOverride(collectionID: "s", path: field("tags"), indexes: both),
      ])
      await #expect(throws: HearthError.self) {
        try await engine.applyIndexFile(Array(file.json().utf8))
      }
      #expect(engine.indexConfiguration.overrides.map(\.collectionID) == ["s"])
      #expect(engine.indexConfiguration.changes.isEmpty)
      #expect(try engine.findings() == [])
    }
  }

  @Test func `an override that a file could not hold is refused`() async throws {
    try await withEngine { engine in
      let ascending = SingleFieldIndex(mode: .ascending, scope: .collection)
      func why(
        _ path: FieldPath?, _ indexes: [SingleFieldIndex] = [], of id: String = "r"
      ) async -> String {
        await reason {
          try await engine.setOverride(collectionID: id, path: path, indexes: indexes)
        }
      }
      for path in [
        FieldPath.documentName, FieldPath(["__x__"]), FieldPath([]), FieldPath(["a", ""]),
        field(String(repeating: "f", count: 1600)),
      ] { #expect(await why(path) == "INDEX_DEFINITION", "\(path)") }
      #expect(await why(field("a"), [ascending, ascending]) == "INDEX_DEFINITION")
      #expect(await why(field("a"), of: "a/b") == "INDEX_DEFINITION")
      #expect(engine.indexConfiguration.overrides.isEmpty)
    }
  }

  @Test func `an opening that fails leaves the directory free`() async throws {
    try await withReopening { database in
      try await database.withEngine { engine in _ = try await engine.set("a", ["n": 1]) }
      try database.damage { store, transaction in
        try store.put(
          CatalogKeys.overrides, Array("{\"odd\": 1}".utf8), in: store.catalog, transaction)
      }
      for _ in 0..<2 {
        let why = await reason { try await database.withEngine { _ in } }
        #expect(why == "INDEX_DEFINITION" || why == "INDEX_FILE_SYNTAX")
      }
    }
  }

  @Test func `what is wanted already is waited for where documents do not follow yet`()
    async throws
  {
    try await withEngine { engine in
      for part in 0..<6 {
        _ = try await engine.commit(
          (0..<500).map { try .set("u/\(part)/r/d\($0)", ["n": 1, "t": .array([1, 2])]) })
      }
      let everywhere = IndexDefinition(
        collectionID: "r", scope: .collectionGroup, fields: [IndexField(field("n"), .ascending)])
      var asked = StructuredQuery(scope: .collectionGroup(UTF8String("r")))
      asked.filter = filter("n", .equal, 1)
      async let first: Void = engine.createIndex(everywhere)
      while engine.indexConfiguration.changes.isEmpty { await Task.yield() }
      try await engine.createIndex(everywhere)
      #expect(try engine.run(asked).documents.count == 3000)
      try await first
    }
  }

  @Test func `an earlier query's index is watched although a later query came after its end`()
    async throws
  {
    try await withDocuments { engine in
      let why = await reason {
        _ = try await engine.runs { context in
          _ = try context.run(query(filter("note", .equal, "note 3")))
          if context.attempt == 1 {
            try await engine.setOverride(collectionID: "r", path: field("note"), indexes: [])
          }
          // At the same version, but at the next number of the overrides.
          _ = try context.run(query(filter("n", .equal, 3)))
          if context.attempt == 1 { try await engine.set("a", ["note": "note 3"]) }
          try context.write(.set("t/x", [:]))
        }
      }
      #expect(why == "INDEX_SINGLE_FIELD_MISSING")
    }
  }

  @Test func `a listener and a transaction notice that their index has gone`() async throws {
    try await withDocuments { engine in
      let noted = query(filter("note", .equal, "note 3"), limit: 3)
      let ear = Ear(engine, .query(noted))
      _ = try await ear.ids()
      let runs = await reason {
        _ = try await engine.runs { context in
          _ = try context.run(noted)
          if context.attempt == 1 {
            try await engine.setOverride(collectionID: "r", path: field("note"), indexes: [])
            // The entries that were read say nothing of this any more.
            try await engine.set("a", ["note": "note 3"])
          }
          try context.write(.set("t/x", [:]))
        }
      }
      // The second run plans again, and finds no index.
      #expect(runs == "INDEX_SINGLE_FIELD_MISSING")
      #expect(await ear.failure()?.reason == "INDEX_SINGLE_FIELD_MISSING")
    }
  }
}
