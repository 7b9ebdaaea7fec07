import HearthEngine
import HearthModel
import HearthTestSupport

extension World {
  /// One client: a few operations, one after another.
  func client(seed: UInt64, operations: Int) async throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<operations {
      switch weather {
      case .fair: try await fairOperation(&generator)
      case .busy: try await busyOperation(&generator)
      case .storm: await stormyOperation(&generator)
      }
    }
  }

  private func fairOperation(_ generator: inout SeededGenerator) async throws {
    if generator.oneIn(2) { try await rate(&generator) } else { try await transfer(&generator) }
  }

  private func busyOperation(_ generator: inout SeededGenerator) async throws {
    switch Int.random(in: 0..<14, using: &generator) {
    case 0, 1, 2: try await rate(&generator)
    case 3, 4: try await transfer(&generator)
    case 5, 6: try await join(&generator)
    case 7: try await leave(&generator)
    case 8: try await audit(&generator)
    case 9: try await like(&generator)
    case 10: try await shuffleMembers(&generator)
    case 11: try read(&generator)
    case 12: try await listenForAWhile(&generator)
    default: try await changeIndexes(&generator)
    }
  }

  /// Anything, at times given up half way.
  ///
  /// Errors are allowed; effects of what failed are not, and that is the recorder's to see.
  private func stormyOperation(_ generator: inout SeededGenerator) async {
    let seed = generator.next()
    let isCancelled = generator.oneIn(5)
    let patience = UInt64.random(in: 0...300, using: &generator)
    let isFailing = generator.oneIn(10)
    let isMeddling = generator.oneIn(12)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        var generator = SeededGenerator(seed: seed)
        do {
          if isFailing {
            try await self.failingTransaction()
          } else if isMeddling {
            try await self.meddlingTransaction()
          } else {
            try await self.busyOperation(&generator)
          }
        } catch let torn as Torn {
          self.recorder.find("a transaction saw a total of \(torn.total)")
        } catch {
          self.tolerate(error)
        }
      }
      guard isCancelled else { return }
      for _ in 0..<(patience % 7) { await Task.yield() }
      if patience > 150 { try? await runtime.sleep(patience * 1_000_000) }
      group.cancelAll()
    }
  }

  private func tolerate(_ error: any Error) {
    if error is CancellationError || error is Deliberate { return }
    if let error = error as? HearthError {
      // Leases end in storms, so a transaction may run out of runs; tasks are cancelled; two
      // clients may drop the same index.
      let expected = ["CONTENTION", "CANCELLED", "INDEX_NOT_FOUND"]
      if expected.contains(error.reason) { return }
    }
    recorder.find("unexpected error: \(error)")
  }

  private struct Deliberate: Error {}

  /// A block that gives up after it has written.
  private func failingTransaction() async throws {
    let path = World.path(World.restaurants, "r", 0)
    try await recorder.transaction("failing") { run in
      _ = try run.get(path)
      try run.write(World.set(path, ["n": .integer(-1)]))
      throw Deliberate()
    }
  }

  /// A block that writes to what it has read, and waits for that.
  private func meddlingTransaction() async throws {
    let path = World.path(World.restaurants, "r", 1)
    let recorder = recorder
    try await recorder.transaction("meddling") { run in
      let before = try run.get(path)?.fields
      if run.attempt <= 3 {
        try await recorder.commit("meddle", [World.increment(path, "likes")])
      }
      guard let before else { return }
      try run.write(World.set(path, before))
    }
  }

  // MARK: Plain operations

  static func increment(_ path: DocumentPath, _ field: String) -> Write {
    Write(
      document: path,
      operation: .update(
        fields: Fields(), mask: [],
        transforms: [FieldTransform(path: FieldPath([field]), kind: .increment(.integer(1)))]))
  }

  private func like(_ generator: inout SeededGenerator) async throws {
    let number = Int.random(in: 0..<2, using: &generator)
    try await recorder.commit(
      "like", [World.increment(World.path(World.restaurants, "r", number), "likes")])
  }

  /// A batch of blind writes on members, some of them to the same document.
  private func shuffleMembers(_ generator: inout SeededGenerator) async throws {
    var writes: [Write] = []
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let path = World.path(World.members, "b", Int.random(in: 0..<30, using: &generator))
      if generator.oneIn(3) {
        writes.append(Write(document: path, operation: .delete))
      } else {
        writes.append(
          World.set(
            path,
            [
              "group": .integer(Int64.random(in: 0..<2, using: &generator)),
              "active": .boolean(generator.oneIn(2)),
              "rank": .integer(Int64.random(in: 0..<5, using: &generator)),
            ]))
      }
    }
    if generator.oneIn(6) {
      // Many leave at once: limited views run out of spare members.
      writes = (0..<30).map {
        Write(document: World.path(World.members, "b", $0), operation: .delete)
      }
    } else if generator.oneIn(6) {
      writes = (0..<30).map {
        World.set(
          World.path(World.members, "b", $0),
          [
            "group": .integer(Int64($0 % 2)), "active": .boolean(true),
            "rank": .integer(Int64($0 % 5)),
          ])
      }
    }
    try await recorder.commit("members", writes)
  }

  private func read(_ generator: inout SeededGenerator) throws {
    if generator.oneIn(2) {
      try recorder.get(
        World.path(World.restaurants, "r", Int.random(in: 0..<2, using: &generator)))
    } else {
      try recorder.run(query(&generator))
    }
  }

  private func query(_ generator: inout SeededGenerator) -> StructuredQuery {
    let group = Int64.random(in: 0..<2, using: &generator)
    var query = StructuredQuery(World.members)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      query = World.members(of: group, isActive: true)
      query.limit = 1
    case 1:
      query.orderBy = [OrderBy(FieldPath(["rank"]), .descending)]
      query.limit = 3
    case 2:
      query.orderBy = [OrderBy(FieldPath(["rank"]), .ascending)]
      query.limit = 2
      query.limitIsToLast = true
    default:
      query.filter = .field(FieldFilter(FieldPath(["rank"]), .greaterThan, .integer(2)))
    }
    return query
  }

  // MARK: Listeners and indexes

  func listen(_ generator: inout SeededGenerator) -> RecordedListener {
    let delay = generator.oneIn(2) ? 0 : UInt64.random(in: 0...30_000_000, using: &generator)
    let target: ListenTarget =
      generator.oneIn(3)
      ? .document(World.path(World.restaurants, "r", Int.random(in: 0..<2, using: &generator)))
      : .query(query(&generator))
    return recorder.listen(target, delay: delay)
  }

  private func listenForAWhile(_ generator: inout SeededGenerator) async throws {
    let listener = listen(&generator)
    if generator.oneIn(3) { return }
    for _ in 0..<Int.random(in: 0...20, using: &generator) { await Task.yield() }
    listener.remove()
  }

  static let groupByRank = IndexDefinition(
    collectionID: "members",
    fields: [
      IndexField(FieldPath(["group"]), .ascending), IndexField(FieldPath(["rank"]), .ascending),
    ])

  /// Indexes come and go while others write, and while transactions read through them.
  private func changeIndexes(_ generator: inout SeededGenerator) async throws {
    if generator.oneIn(2) {
      do {
        try await recorder.engine.createIndex(World.groupByRank)
      } catch  where error.reason == "INDEX_DROPPED" {}
    } else {
      do {
        try await recorder.engine.dropIndex(World.groupByRank)
      } catch  where error.reason == "INDEX_NOT_FOUND" {}
    }
  }
}
