@testable import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// Faults that simulated worlds and their making have found, each with the shortest story that
/// shows it.
@Suite struct InterleavingTests {
  private static let byCityAndStars = IndexDefinition(
    collectionID: "r",
    fields: [
      IndexField(FieldPath(["city"]), .ascending), IndexField(FieldPath(["stars"]), .ascending),
    ])

  private static var inOrder: StructuredQuery {
    var query = StructuredQuery(CollectionPath(unchecked: ["r"]))
    query.filter = .field(FieldFilter(FieldPath(["city"]), .equal, .string("SF")))
    query.orderBy = [OrderBy(FieldPath(["stars"]), .ascending)]
    return query
  }

  private static func restaurant(_ number: Int) throws -> Write {
    try .set("r/d\(number)", ["city": .string("SF"), "stars": .integer(Int64(number))])
  }

  /// Worlds in which the interleaving of interest is likely, but not certain.
  private func simulateMany(
    _ name: String, _ body: @escaping @Sendable (Engine) async throws -> Void
  ) throws {
    var generator = SeededGenerator(seed: testSeed(name))
    for _ in 0..<40 * soakFactor {
      try simulate(seed: generator.next()) { runtime in
        try await withTemporaryDirectory(inMemory: true) { directory in
          var options = EngineOptions(path: directory + "/db", runtime: runtime)
          options.durability = .none
          options.mapSize = 1 << 28
          let engine = try Engine.open(options)
          try await body(engine)
          await engine.close()
        }
      }
    }
  }

  @Test func `an index that is dropped and created again while it is built is filled`() throws {
    try simulateMany("index created again") { engine in
      _ = try await engine.commit((0..<3).map { try Self.restaurant($0) })
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          group.addTask { try? await engine.createIndex(Self.byCityAndStars) }
          group.addTask { try? await engine.dropIndex(Self.byCityAndStars) }
        }
      }
      try await engine.createIndex(Self.byCityAndStars)
      #expect(try engine.run(Self.inOrder).documents.count == 3)
      #expect(try engine.checkConsistency().findings == [])
    }
  }

  @Test func `a dropped index does not hide phantoms from who has read through it`() async throws {
    try await withEngine { engine in
      _ = try await engine.commit([Self.restaurant(1)])
      try await engine.createIndex(Self.byCityAndStars)
      let seen = Lock<[Int]>([])
      await #expect(throws: HearthError.self) {
        try await engine.runTransaction { context in
          let count = try context.run(Self.inOrder).documents.count
          seen.withLock { $0.append(count) }
          try await engine.dropIndex(Self.byCityAndStars)
          _ = try await engine.commit([Self.restaurant(2)])
          try context.write(.set("counts/r", ["n": .integer(Int64(count))]))
        }
      }
      // The second run finds no index; the first one must not have been committed.
      #expect(seen.withLock { $0 } == [1])
      #expect(try engine.get(DocumentPath("counts/r")).document == nil)
    }
  }

  @Test func `a limited view that runs short while it is built gets its first state`() async throws
  {
    @Sendable func version(_ number: Int64) -> CommitVersion { CommitVersion(microseconds: number) }
    @Sendable func entry(_ number: Int) -> ViewEntry {
      let path = DocumentPath(
        collection: CollectionPath(unchecked: ["r"]), id: "d\(10 + number)")
      let document = Document(
        path: path, createVersion: version(1), updateVersion: version(1), fields: [:])
      return ViewEntry(key: SortKey(values: [], path: path), document: StoredDocument(document))
    }
    var query = StructuredQuery(CollectionPath(unchecked: ["r"]))
    query.limit = 1
    let key = ShardState.ViewKey.query(try NormalizedQuery(query))
    // Of the documents 0 to 39 only the last one is left at version 2.
    let shard = Shard(counters: EngineCounters()) { _, _ in
      Shard.Fetched(entries: [entry(39)], version: version(2))
    }
    let listener = Listener(
      target: .query(query), order: { _, _ in 0 }, onReady: {}, onRemove: { _ in })
    let id = try #require(await shard.attach(listener, key).toBuild)
    let changes = try (0..<39).map { number in
      let before = try entry(number).document.document()
      return ChangedDocument(path: before.path, before: before, after: nil)
    }
    await shard.apply(ChangeBatch(version: version(2), changes: changes))
    _ = await shard.finishRound(version(2))
    // What the view's first run had read at version 1 comes after that round, the last one.
    let first = Shard.Fetched(entries: (0..<17).map(entry), version: version(1))
    _ = await shard.activate(id, .success(first), version(2))
    guard case .snapshot(let snapshot)? = listener.take() else {
      Issue.record("nothing was offered")
      return
    }
    #expect(snapshot.documents.map(\.path.id) == ["d49"])
    #expect(snapshot.version == version(2))
  }

  @Test func `the lease of an earlier grant does not end a later one`() throws {
    let seed = testSeed("gate lease")
    try simulate(seed: seed) { runtime in
      try await withTemporaryDirectory(inMemory: true) { directory in
        var options = EngineOptions(path: directory + "/db", runtime: runtime)
        options.durability = .none
        options.mapSize = 1 << 28
        let engine = try Engine.open(options)
        _ = try await engine.commit([Self.restaurant(1)])
        let path = try DocumentPath("r/d1")
        let runs = Lock(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            try await engine.runTransaction { context in
              runs.withLock { $0 = context.attempt }
              _ = try context.get(path)
              switch context.attempt {
              case 1, 2:
                // Written from inside: runs 1 and 2 lose, the third holds the gate.
                _ = try await engine.commit([Self.like(path)])
              case 3:
                // Gives up late in its lease, and gets the gate again.
                try await runtime.sleep(80_000_000)
                _ = try await engine.commit([Self.like(path)])
              default:
                // Longer than what was left of the first lease, shorter than its own.
                try await runtime.sleep(60_000_000)
              }
              try context.write(Self.like(path))
            }
          }
          group.addTask {
            // Waits for the gate, whenever it comes.
            for _ in 0..<100 {
              try await runtime.sleep(2_000_000)
              _ = try await engine.commit([Self.like(path)])
            }
          }
          try await group.waitForAll()
        }
        #expect(runs.withLock { $0 } == 4)
        await engine.close()
      }
    }
  }

  private static func like(_ path: DocumentPath) -> Write {
    Write(
      document: path,
      operation: .update(
        fields: [:], mask: [],
        transforms: [FieldTransform(path: FieldPath(["likes"]), kind: .increment(.integer(1)))]))
  }
}
