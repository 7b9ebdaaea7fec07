import Foundation
import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// Turns handed on inside the open group (transactions-and-listeners, 7.7): a hot document advances
/// many times per flush, and nobody is told of what does not get to the disk.
@Suite struct HandOffTests {
  /// Seeded worlds around one counter.
  private func simulateMany(
    _ name: String, worlds: Int = 60, faults: Bool = false,
    _ body: @escaping @Sendable (Engine, StorageFaults, UInt64) async throws -> Void
  ) throws {
    var generator = SeededGenerator(seed: testSeed(name))
    for _ in 0..<worlds * soakFactor {
      let seed = generator.next()
      try simulate(seed: seed) { runtime in
        try await withTemporaryDirectory(inMemory: true) { directory in
          var options = EngineOptions(path: directory + "/db", runtime: runtime)
          options.durability = .none
          options.mapSize = 1 << 28
          options.faults = StorageFaults()
          options.holdLeases()
          let engine = try Engine.open(options)
          try await engine.set("hot", ["n": 0])
          try await body(engine, options.faults ?? StorageFaults(), seed)
          await engine.close()
        }
      }
    }
  }

  /// Adds one to the counter; gives what it wrote and how many runs that took.
  private func increment(_ engine: Engine, _ name: String) async throws -> (Int64, runs: Int) {
    try await engine.runTransaction { context in
      let hot = try context.get(doc("hot"))
      guard case .integer(let n)? = try hot?.value(at: field("n")) else {
        throw HearthError(.internal, "NO_COUNTER", "The counter is gone.")
      }
      let before = try hot?.value(at: field("by")) ?? .null
      try context.write(.set("r/rating-\(name)", ["at": .integer(n), "after": before]))
      try context.write(.set("r/hot", ["n": .integer(n + 1), "by": .string(name)]))
      return (n + 1, context.attempt)
    }
  }

  /// Every rating names the one that it was built on: none rests on one that failed.
  private func expectChain(_ engine: Engine) throws {
    let ratings = try engine.run(query(order: [by("at")])).documents
    var last = Value.null
    for rating in ratings {
      let before = try rating.value(at: field("after"))
      #expect(before == last, "\(rating.path) was built on what failed")
      last = .string(String(rating.path.id.dropFirst("rating-".count)))
    }
  }

  private func counter(_ engine: Engine) throws -> Int64 {
    guard case .integer(let n)? = try engine.get(doc("hot")).document?.value(at: field("n")) else {
      return -1
    }
    return n
  }

  @Test func `ratings of one document share groups, each in at most two runs`() throws {
    let groups = Lock((groups: 0, commits: 0))
    try simulateMany("hand-off") { engine, _, _ in
      let before = engine.metrics
      try await withThrowingTaskGroup(of: (Int64, runs: Int).self) { group in
        for number in 0..<24 {
          group.addTask { try await self.increment(engine, "\(number)") }
        }
        var values: Set<Int64> = []
        for try await (value, runs) in group {
          values.insert(value)
          #expect(runs <= 2)
        }
        #expect(values == Set(1...24))
      }
      let found1 = try self.counter(engine)
      #expect(found1 == 24)
      let found2 = try engine.findings()
      #expect(found2 == [])
      groups.withLock {
        $0.groups += engine.metrics.groups - before.groups
        $0.commits += engine.metrics.commits - before.commits
      }
    }
    let total = groups.withLock { $0 }
    // One by one it would be as many groups as commits.
    #expect(total.groups * 3 < total.commits, "\(total)")
  }

  @Test func `a group that fails takes along who was built on it, and nobody was told`() throws {
    let failures = Lock(0)
    try simulateMany("failing groups") { engine, faults, seed in
      var generator = SeededGenerator(seed: seed)
      faults.fail(.commit, at: 1 + Int(generator.next() % 4), with: ENOSPC)
      let acknowledged = Lock<Set<Int64>>([])
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<16 {
          group.addTask {
            do {
              let (value, _) = try await self.increment(engine, "\(number)")
              // What was acknowledged is there.
              let found3 = try self.counter(engine)
              #expect(found3 >= value)
              acknowledged.withLock { values in
                #expect(values.insert(value).inserted, "two commits wrote \(value)")
              }
              if number % 3 == 0 { faults.fail(.commit, at: 1 + number % 2, with: ENOSPC) }
            } catch {
              // One that was alone in its group when the disk was full.
              failures.withLock { $0 += 1 }
            }
          }
        }
      }
      try self.expectChain(engine)
      let values = acknowledged.withLock { $0 }
      #expect(values == Set((1...16).prefix(values.count).map { Int64($0) }))
      let found4 = try self.counter(engine)
      #expect(found4 == Int64(values.count))
      let found5 = try engine.findings()
      #expect(found5 == [])
    }
    #expect(failures.withLock { $0 } < 60 * soakFactor * 2)
  }

  @Test func `a block that only reads does not answer with what may yet fail`() throws {
    try simulateMany("reads in the open group") { engine, faults, seed in
      var generator = SeededGenerator(seed: seed)
      faults.fail(.commit, at: 1 + Int(generator.next() % 5), with: ENOSPC)
      var request = TransactionRequest()
      request.concurrency = .turns([doc("hot")])
      let reading = request
      struct Sold: Error { var n: Int64 }
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<10 {
          group.addTask { _ = try? await self.increment(engine, "\(number)") }
          group.addTask {
            // Every third says what it saw by an error of its own.
            do {
              let seen = try await engine.runTransaction(reading) { context -> Int64 in
                guard case .integer(let n)? = try context.get(doc("hot"))?.value(at: field("n"))
                else { return -1 }
                if number % 3 == 0 { throw Sold(n: n) }
                return n
              }
              let found6 = try self.counter(engine)
              #expect(found6 >= seen)
            } catch let error as Sold {
              let durable = try? self.counter(engine)
              #expect(durable ?? -1 >= error.n)
            } catch {}
          }
        }
      }
    }
  }

  // Its writes were never answered.
  @Test func `a snapshot that cannot be opened fails the group's writes and no later ones`()
    async throws
  {
    let faults = StorageFaults()
    try await withEngine {
      $0.faults = faults
    } _: { engine in
      var refused = 0
      for count in 1...4 {
        faults.fail(.beginRead, at: count, with: ENOMEM)
        if await reason({ _ = try await engine.set("a", ["n": 1]) }) != "no error" { refused += 1 }
        faults.clear()
        try await engine.set("a", ["n": .integer(Int64(count))])
      }
      #expect(refused > 0)
      #expect(try engine.findings() == [])
    }
  }

  @Test func `a query inside a run waits for the group, and sees what a turn's holder did`() throws
  {
    try simulateMany("queries under turns", worlds: 30) { engine, _, _ in
      let all = query(filter("at", .greaterThanOrEqual, 0))
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<8 {
          group.addTask {
            try await engine.runTransaction { context in
              let rated = try context.run(all).documents.count
              guard case .integer(let n)? = try context.get(doc("hot"))?.value(at: field("n"))
              else { return 9 }
              #expect(rated == Int(n))
              try context.write(.set("r/rating-\(number)", ["at": .integer(n)]))
              try context.write(.set("r/hot", ["n": .integer(n + 1)]))
              return context.attempt
            }
          }
        }
        for try await runs in group { #expect(runs <= 3) }
      }
      let found7 = try self.counter(engine)
      #expect(found7 == 8)
    }
  }
}
