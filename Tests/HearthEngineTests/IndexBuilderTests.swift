import HearthEncoding
import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct IndexBuilderTests {
  private let both = index(("a", .ascending), ("n", .descending))
  private let ordered = query(filter("a", .equal, 1), order: [by("n", .descending)])

  /// More documents than one chunk of a build holds.
  private func fill(_ engine: Engine, _ count: Int = 1200) async throws {
    _ = try await engine.commit(
      (0..<count).map {
        try .set("r/d\(1000 + $0)", ["a": .integer(Int64($0 % 2)), "n": .integer(Int64($0))])
      })
  }

  private func state(_ engine: Engine) -> IndexState? {
    engine.indexConfiguration.composites.first { $0.definition == both }?.state
  }

  @Test func `an index is built while writes go on, and is complete`() async throws {
    try await withEngine { engine in
      try await fill(engine)
      let seen = AsyncStream.makeStream(of: String.self)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<3 {
          group.addTask {
            for number in 0..<60 {
              let id = "d\(1000 + (number * 37 + task * 400) % 1400)"
              if number % 5 == 0 {
                _ = try await engine.commit([.delete("r/\(id)")])
              } else {
                try await engine.set(id, ["a": 1, "n": .integer(Int64(task * 1000 + number))])
              }
            }
          }
        }
        group.addTask {
          try await engine.createIndex(both) { done, total in
            if done > 0 && done < total {
              seen.continuation.yield("\(engine.refusal(ordered) ?? "served")")
              seen.continuation.yield(state(engine)?.rawValue ?? "none")
            }
          }
          seen.continuation.finish()
        }
        try await group.waitForAll()
      }
      // Between the chunks the index is there, but not for queries.
      let between = await seen.stream.reduce(into: Set<String>()) { $0.insert($1) }
      #expect(between == ["INDEX_BUILDING", "CREATING"])
      #expect(state(engine) == .ready)
      #expect(try engine.findings() == [])
      let found = try engine.ids(ordered)
      let expected = try engine.run(query(filter("a", .equal, 1))).documents.count
      #expect(found.count == expected)
    }
  }

  @Test func `a build that was cut off goes on after reopening`() async throws {
    try await withReopening { database in
      try await database.withEngine { engine in
        try await fill(engine)
        try await engine.createIndex(both)
      }
      // As a program leaves it that ends in the middle: CREATING, and half of the entries.
      try database.damage { store, transaction in
        var tree = try #require(CatalogRecords.load(store, transaction).declared.first)
        tree.state = .creating
        try store.put(
          CatalogKeys.declared(tree.sequence), CatalogRecords.encode(tree), in: store.catalog,
          transaction)
        let prefix = KeyLayout.entriesPrefix(tree.tree.number, nil)
        for key in try allKeys(store, store.entries, transaction) where key.starts(with: prefix) {
          if (key.last ?? 0) % 2 == 0 { try store.delete(key, in: store.entries, transaction) }
        }
      }
      try await database.withEngine { engine in
        while state(engine) != .ready { try await engine.set("tick", ["n": 0]) }
        #expect(try engine.findings() == [])
        #expect(try engine.ids(ordered).count == 600)
      }
    }
  }

  @Test func `dropping reclaims every entry and takes the index from planning`() async throws {
    try await withEngine { engine in
      try await fill(engine)
      let before = try engine.checkConsistency().indexEntries
      try await engine.createIndex(both)
      #expect(try engine.checkConsistency().indexEntries == before + 1200)
      try await engine.dropIndex(both)
      #expect(engine.refusal(ordered) == "INDEX_MISSING")
      #expect(try engine.checkConsistency().indexEntries == before)
      #expect(try engine.findings() == [])
      #expect(await reason { try await engine.dropIndex(both) } == "INDEX_NOT_FOUND")
      try await engine.createIndex(both)
      #expect(try engine.ids(ordered).count == 600)
    }
  }

  @Test func `an index that is dropped while it is built leaves no entry behind`() async throws {
    try await withReopening { database in
      let (steps, sink) = AsyncStream.makeStream(of: Void.self)
      try await database.withEngine { engine in
        try await fill(engine, 6000)
        async let why = reason {
          try await engine.createIndex(both) { done, total in
            if done > 0 && done < total { sink.yield() }
          }
        }
        for await _ in steps { break }
        try await engine.dropIndex(both)
        #expect(await why == "INDEX_DROPPED")
        #expect(try engine.findings() == [])
        await engine.waitForIndexWork()
      }
      try database.damage { store, transaction in
        let automatic = try CatalogRecords.automaticIndexes(store, transaction).map {
          KeyLayout.entriesPrefix($0.number, nil)
        }
        let strays = try allKeys(store, store.entries, transaction).filter { key in
          !automatic.contains { key.starts(with: $0) }
        }
        #expect(strays.isEmpty)
      }
    }
  }

  // A plan made before the index was dropped used to be run with its half built successor.
  @Test func `a query while its index is dropped and made again is whole or refused`()
    async throws
  {
    try await withEngine { engine in
      _ = try await engine.commit(
        (0..<600).map { try .set("r/d\($0)", ["a": 1, "n": .integer(Int64($0))]) })
      let composite = index(("a", .ascending), ("n", .ascending))
      try await engine.createIndex(composite)
      let asked = query(filter("a", .equal, 1), order: [by("n")])
      let count = [Aggregation(.count(upTo: nil))]
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<6 {
          group.addTask {
            while !Task.isCancelled {
              do throws(HearthError) {
                let found = try engine.aggregate(asked, count).values[0].value
                #expect(found == 600)
              } catch {
                #expect(["INDEX_MISSING", "INDEX_BUILDING"].contains(error.reason))
              }
              await Task.yield()
            }
            return false
          }
        }
        group.addTask {
          for _ in 0..<(60 * soakFactor) {
            try await engine.dropIndex(composite)
            try await engine.createIndex(composite)
          }
          return true
        }
        while try await group.next() == false {}
        group.cancelAll()
      }
      await engine.waitForIndexWork()
      let findings = try engine.findings()
      #expect(findings == [])
    }
  }

  @Test func `creating an index that exists changes nothing`() async throws {
    try await withEngine { engine in
      try await fill(engine, 10)
      try await engine.createIndex(both)
      let report = try engine.checkConsistency()
      try await engine.createIndex(both)
      #expect(try engine.checkConsistency() == report)
      #expect(engine.indexConfiguration.composites.count == 1)
      // What is automatic anyway is accepted and declares nothing.
      try await engine.createIndex(index(("a", .ascending)))
      #expect(engine.indexConfiguration.composites.count == 1)
    }
  }

  @Test func `an index on an empty collection is ready at once and kept up`() async throws {
    try await withEngine { engine in
      try await engine.createIndex(both)
      #expect(try engine.ids(ordered) == [])
      try await fill(engine, 10)
      #expect(try engine.ids(ordered).first == "d1009")
      #expect(try engine.findings() == [])
    }
  }

  @Test func `a document without room for the entries leaves the index in need of repair`()
    async throws
  {
    try await withEngine { engine in
      let elements = (0..<20_001 as Range<Int64>).map(Value.integer)
      try await engine.set("a", ["t": .array(elements), "n": 1])
      let large = index(("t", .contains), ("n", .ascending))
      #expect(await reason { try await engine.createIndex(large) } == "TOO_MANY_INDEX_ENTRIES")
      #expect(engine.indexConfiguration.composites.map(\.state) == [.needsRepair])
      let query = query(filter("t", .arrayContains, 1), order: [by("n")])
      #expect(engine.refusal(query) == "INDEX_NEEDS_REPAIR")
      // It is not kept up, so the document may still be written; created again, it works.
      try await engine.set("a", ["t": .array([1]), "n": 1])
      try await engine.createIndex(large)
      #expect(try engine.ids(query) == ["a"])
      #expect(try engine.findings() == [])
    }
  }

  @Test func `definitions that make no sense are typed errors`() async throws {
    try await withEngine { engine in
      func why(_ definition: IndexDefinition) async -> HearthError? {
        do throws(HearthError) {
          try await engine.createIndex(definition)
          return nil
        } catch {
          return error
        }
      }
      for definition in [
        index(("a", .ascending), ("a", .descending)),
        index(("a", .contains), ("b", .contains)),
        index(("a", .ascending), ("b", .ascending), of: "a/b"),
      ] {
        #expect(await why(definition)?.status == .invalidArgument, "\(definition)")
      }
      #expect(await reason { try await engine.applyIndexFile(Array("{".utf8)) } != "no error")
      #expect(engine.indexConfiguration.composites.isEmpty)
    }
  }
}
