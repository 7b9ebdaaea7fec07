import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// Read-only transactions and read times (transactions-and-listeners, 2.6, 2.7 and 7.9).
@Suite(.timeLimit(.minutes(30))) struct ReadOnlyTests {
  private func readOnly(at time: CommitVersion? = nil) -> TransactionRequest {
    var request = TransactionRequest()
    request.readOnly = true
    request.readTime = time?.microseconds
    return request
  }

  @Test func `everything is read at the version of the first read, in one run`() async throws {
    try await withEngine { engine in
      for number in 1...5 { try await engine.set("d\(number)", ["n": .integer(Int64(number))]) }
      let smallest = query(order: [by("n")], limit: 2)
      let largest = query(order: [by("n")], limit: 2) { $0.limitIsToLast = true }
      let runs = try await engine.runs(readOnly()) { context in
        _ = try context.get(doc("d1"))
        try await engine.set("d1", ["n": 100])
        try await engine.set("d0", ["n": 0])
        _ = try await engine.commit([Write(document: doc("d5"), operation: .delete)])
        #expect(try context.get(doc("d5"))?.fields() == ["n": 5])
        #expect(try context.get(doc("d0")) == nil)
        #expect(try context.run(smallest).documents.map(\.path.id) == ["d1", "d2"])
        #expect(try context.run(largest).documents.map(\.path.id) == ["d4", "d5"])
        let later = query(filter("n", .greaterThan, 1), order: [by("n")]) { $0.offset = 1 }
        #expect(try context.run(later).documents.map(\.path.id) == ["d3", "d4", "d5"])
        let sums = try context.aggregate(query(), [Aggregation(.count(upTo: nil))])
        #expect(sums.values.map(\.value) == [5])
        let known = try context.aggregate(query(), [Aggregation(.sum(field("n")))])
        #expect(known.values.map(\.value) == [15])
      }
      #expect(runs == 1)
      #expect(engine.metrics.conflicts == 0)
      // Nothing is kept for nobody.
      #expect(engine.metrics.historyStates == 0)
    }
  }

  /// The state of a twin when a reader began, against what the reader finds later.
  @Test(arguments: 0..<3)
  func `at its version a query gives what it gave then, whatever came after`(
    _ part: Int
  ) async throws {
    let seed = testSeed("readOnly \(part)")
    var asked = 0
    for number in 0..<UInt64(2 * soakFactor) {
      var schema = RandomSchema(seed: seed &+ number &* 0x1_0001)
      try await withEngine { options in
        options.indexPolicy = .scan
      } _: { engine in
        var twin = ReferenceDatabase()
        let filling = schema.filling()
        try twin.commit(filling, version: try await engine.commit(filling).version)
        for _ in 0..<4 {
          let stored = Array(twin.documents.values)
          let context = "HEARTH_SEED=\(seed), world \(number)"
          let start = schema
          let (after, count, commits) = try await engine.runTransaction(readOnly()) { reader in
            var schema = start
            let then = stored.map { ReferenceDocument($0) }
            var commits: [([Write], CommitVersion)] = []
            _ = try reader.get(doc("anything"))
            var count = 0
            for _ in 0..<30 {
              let writes = schema.changes()
              if let done = try? await engine.commit(writes) {
                commits.append((writes, done.version))
              }
              let shape = schema.shape()
              let query = schema.query(shape, stored)
              if let aggregations = shape.aggregations {
                let found = try reader.aggregate(query, aggregations).values.map(\.value)
                let expected = ReferenceQuery.aggregate(query, aggregations, then)
                #expect(found == expected.map(\.value), "\(context): \(query.text)")
              } else {
                let found = try reader.run(query).documents.map { try $0.document() }
                let expected = ReferenceQuery(query).run(then)
                #expect(found == expected, "\(context): \(query.text)")
              }
              count += 1
            }
            return (schema, count, commits)
          }
          schema = after
          asked += count
          for (writes, version) in commits { try twin.commit(writes, version: version) }
        }
      }
    }
    #expect(asked == 240 * soakFactor)
  }

  /// Found by simulated worlds with storage faults: the older states were forgotten with a commit
  /// that failed, although it was on disk.
  @Test func `a commit of unknown outcome does not show through in an earlier version`()
    async throws
  {
    let faults = StorageFaults()
    // LMDB's code for an environment that is lost.
    let panic: Int32 = -30795
    try await withEngine { options in
      options.faults = faults
    } _: { engine in
      try await engine.set("a", ["n": 1])
      try await engine.runTransaction(readOnly()) { context in
        let first = try context.get(doc("a"))?.fields()
        #expect(first == ["n": 1])
        faults.fail(.acknowledge, with: panic)
        let why = await reason { try await engine.set("a", ["n": 2]) }
        #expect(why == "COMMIT_OUTCOME_UNKNOWN")
        #expect(try engine.get(doc("a")).document?.fields() == ["n": 2])
        let second = try context.get(doc("a"))?.fields()
        #expect(second == ["n": 1])
        #expect(try context.run(query(filter("n", .equal, 1))).documents.count == 1)
      }
    }
  }

  @Test func `a read time gives the state of that moment, also between units of one group`()
    async throws
  {
    try await withEngine { options in
      options.historyNanoseconds = 3_600_000_000_000
    } _: { engine in
      let before = try await engine.set("other", [:]).version
      // Submitted together, so that some share a group.
      let versions = try await withThrowingTaskGroup(of: CommitVersion.self) { tasks in
        for number in 0..<50 {
          tasks.addTask {
            try await engine.commit([
              Write(
                document: doc("c"),
                operation: .update(
                  fields: ["last": .integer(Int64(number))], mask: [field("last")],
                  transforms: [FieldTransform(path: field("n"), kind: .increment(1))]))
            ]).version
          }
        }
        return try await tasks.reduce(into: []) { $0.append($1) }.sorted()
      }
      for (position, version) in versions.enumerated() {
        try await engine.runTransaction(readOnly(at: version)) { context in
          let found = try context.get(doc("c"))?.fields()["n"]
          #expect(found == .integer(Int64(position + 1)))
          let counted = query(filter("n", .equal, .integer(Int64(position + 1))))
          let one = try context.run(counted).documents.count
          #expect(one == 1)
        }
      }
      try await engine.runTransaction(readOnly(at: before)) { context in
        let none = try context.get(doc("c"))?.path
        #expect(none == nil)
      }
    }
  }

  @Test func `a read time in the future, or longer ago than is known, is refused`() async throws {
    try await withEngine { engine in
      let first = try await engine.set("a", ["n": 1]).version
      let second = try await engine.set("a", ["n": 2]).version
      func reasonAt(_ version: CommitVersion) async -> String {
        await reason {
          try await engine.runTransaction(readOnly(at: version)) { _ = try $0.get(doc("a")) }
        }
      }
      #expect(await reasonAt(first) == "READ_TIME_TOO_OLD")
      #expect(await reasonAt(second) == "no error")
      #expect(await reasonAt(CommitVersion(microseconds: .max)) == "READ_TIME")
      var request = TransactionRequest()
      request.readTime = second.microseconds
      let why = await reason { _ = try await engine.runs(request) { _ in } }
      #expect(why == "READ_TIME")
    }
  }

  @Test func `the window is kept, and forgotten from its end`() async throws {
    let time = Lock<Int64>(1_000_000_000)
    try await withEngine { options in
      options.historyNanoseconds = 10_000_000_000
      options.runtime.nowMicroseconds = { time.withLock { $0 } }
    } _: { engine in
      var versions: [CommitVersion] = []
      for number in 0..<20 {
        time.withLock { $0 += 1_000_000 }
        versions.append(try await engine.set("a", ["n": .integer(Int64(number))]).version)
      }
      for (number, version) in versions.enumerated() {
        let why = await reason {
          try await engine.runTransaction(readOnly(at: version)) { context in
            let found = try context.get(doc("a"))?.fields()
            #expect(found == ["n": .integer(Int64(number))])
          }
        }
        #expect(why == (number < 9 ? "READ_TIME_TOO_OLD" : "no error"))
      }
    }
  }

  @Test func `a reader that stays too long, or that too much is kept for, is told so`() async throws
  {
    let extra = Lock<UInt64>(0)
    try await withEngine { options in
      options.runtime.monotonicNanoseconds = { extra.withLock { $0 } }
      options.limits.snapshotNanoseconds = TransactionLimits().snapshotNanoseconds
      options.historyBytes = 20_000
    } _: { engine in
      try await engine.set("a", ["n": 1])
      let long = Lock(0)
      let slow = await reason {
        _ = try await engine.runs(readOnly()) { context in
          long.withLock { $0 += 1 }
          _ = try context.get(doc("a"))
          extra.withLock { $0 += 59_000_000_000 }
          _ = try context.run(query())
          extra.withLock { $0 += 2_000_000_000 }
          _ = try context.run(query())
        }
      }
      #expect(slow == "SNAPSHOT_EXPIRED")
      #expect(long.withLock { $0 } == 1)
      let big = await reason {
        _ = try await engine.runs(readOnly()) { context in
          _ = try context.get(doc("a"))
          for number in 0..<50 {
            try await engine.set("b", ["n": .integer(Int64(number)), "s": .string(text(1000))])
          }
          _ = try context.get(doc("b"))
        }
      }
      #expect(big == "SNAPSHOT_EXPIRED")
      #expect(engine.metrics.historyStates == 0)
    }
  }

  private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  // MARK: Expiry (2.7)

  @Test func `a block that is idle for too long expires and runs again`() async throws {
    let extra = Lock<UInt64>(0)
    try await withEngine { options in
      options.runtime.monotonicNanoseconds = { extra.withLock { $0 } }
      options.limits = TransactionLimits()
    } _: { engine in
      try await engine.set("a", ["n": 1])
      let runs = try await engine.runs { context in
        _ = try context.get(doc("a"))
        if context.attempt == 1 {
          extra.withLock { $0 += 61_000_000_000 }
          let why = await reason { _ = try context.get(doc("b")) }
          #expect(why == "TRANSACTION_EXPIRED")
        }
        try context.write(.set("r/a", ["n": .integer(Int64(context.attempt))]))
        // Idle before the commit, which is noticed there.
        if context.attempt == 2 { extra.withLock { $0 += 61_000_000_000 } }
      }
      #expect(runs == 3)
      #expect(try engine.get(doc("a")).document?.fields() == ["n": 3])
      let ever = await reason {
        _ = try await engine.runs { context in
          try context.write(.set("r/a", ["n": 0]))
          extra.withLock { $0 += 61_000_000_000 }
        }
      }
      // Four times fit into the time of the whole transaction.
      #expect(ever == "TRANSACTION_TIMEOUT")
      var once = TransactionRequest()
      once.maxAttempts = 1
      let single = await reason {
        _ = try await engine.runs(once) { context in
          try context.write(.set("r/a", ["n": 0]))
          extra.withLock { $0 += 61_000_000_000 }
        }
      }
      #expect(single == "TRANSACTION_EXPIRED")
    }
  }

  @Test func `the time of the whole transaction is checked at each call`() async throws {
    let extra = Lock<UInt64>(0)
    try await withEngine { options in
      options.runtime.monotonicNanoseconds = { extra.withLock { $0 } }
      options.limits = TransactionLimits()
    } _: { engine in
      let calls = Lock(0)
      let why = await reason {
        _ = try await engine.runs { context in
          while true {
            _ = try context.get(doc("a"))
            calls.withLock { $0 += 1 }
            extra.withLock { $0 += 50_000_000_000 }
          }
        }
      }
      #expect(why == "TRANSACTION_TIMEOUT")
      #expect(calls.withLock { $0 } == 6)
      #expect(engine.metrics.transactionRuns == 1)
    }
  }

  @Test func `what a transaction has to remember is bounded`() async throws {
    try await withEngine { options in
      options.limits.reads = 10
    } _: { engine in
      _ = try await engine.commit((0..<20).map { try .set("r/\($0)", ["n": 1]) })
      let many = await reason {
        _ = try await engine.runs { context in
          for number in 0..<20 { _ = try context.get(doc("\(number)")) }
        }
      }
      #expect(many == "TRANSACTION_READS")
      let asked = await reason {
        _ = try await engine.runs { context in
          _ = try? context.run(query())
          try context.write(.set("r/x", ["n": 1]))
        }
      }
      #expect(asked == "TRANSACTION_READS")
      #expect(engine.metrics.transactionRuns == 2)
      // A read-only transaction remembers nothing that must be checked.
      _ = try await engine.runs(readOnly()) { context in
        let all = try context.run(query()).documents.count
        #expect(all == 20)
      }
    }
  }
}
