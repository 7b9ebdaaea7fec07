import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// What the counters say of scripted contention (transactions-and-listeners, 8.6).
@Suite(.timeLimit(.minutes(30))) struct MetricsTests {
  @Test func `transactions are counted by their runs, and groups by their units`() async throws {
    try await withEngine { engine in
      try await engine.set("x", ["n": 0])
      for wanted in 1...3 {
        _ = try await engine.runs { context in
          _ = try context.get(doc("x"))
          if context.attempt < wanted {
            try await engine.set("x", ["n": .integer(Int64(context.attempt * 10 + wanted))])
          }
          try context.write(.set("r/y", ["n": .integer(Int64(wanted))]))
        }
      }
      let metrics = engine.metrics
      #expect(Array(metrics.attempts.counts.prefix(4)) == [1, 1, 1, 0])
      #expect(metrics.attempts.most == 3)
      #expect(metrics.transactionRuns == 6)
      #expect(metrics.transactionsCommitted == 3)
      #expect(metrics.commits == 7)
      #expect(metrics.groups >= 1 && metrics.groups <= 7)
      #expect(metrics.largestGroup >= 1)
      #expect(metrics.groupBytes > 0)
      #expect(metrics.flushTime.totalNanoseconds >= metrics.flushTime.longestNanoseconds)
      #expect(metrics.flushTime.longestNanoseconds > 0)
      #expect(metrics.intakeDepth == 0)
      #expect(metrics.intakeDepthMax >= 1)
    }
  }

  @Test func `a run that its own block's write made lose is doomed, another's is not`()
    async throws
  {
    try await withEngine { engine in
      try await engine.set("x", ["n": 0])
      _ = try await engine.runs { context in
        _ = try context.get(doc("x"))
        if context.attempt == 1 { try await engine.set("x", ["n": 1]) }
        try context.write(.set("r/y", [:]))
      }
      #expect(engine.metrics.doomedRuns == 1)
      #expect(engine.metrics.pointConflicts == 1)
      #expect(engine.metrics.turnWaits == 1)
      _ = try await engine.runs { context in
        _ = try context.get(doc("x"))
        if context.attempt == 1 {
          try await TransactionContext.$current.withValue(nil) {
            try await engine.set("x", ["n": 2])
          }
        }
        try context.write(.set("r/y", ["again": .boolean(true)]))
      }
      #expect(engine.metrics.doomedRuns == 1)
      #expect(engine.metrics.pointConflicts == 2)
    }
  }

  @Test func `a run that loses after its lease has ended is counted as such`() async throws {
    // The lease ends at once, so every turn is withdrawn while its block dawdles.
    try await withEngine({ $0.limits.turnLeaseNanoseconds = 1 }) { engine in
      try await engine.set("x", ["n": 0])
      var request = TransactionRequest()
      request.concurrency = .turns([doc("x")])
      _ = try await engine.runs(request) { context in
        _ = try context.get(doc("x"))
        if context.attempt == 1 {
          while engine.metrics.leasesExpired == 0 { await Task.yield() }
          try await TransactionContext.$current.withValue(nil) {
            try await engine.set("x", ["n": 1])
          }
        }
        try context.write(.set("r/y", [:]))
      }
      #expect(engine.metrics.leasesExpired == 1)
      #expect(engine.metrics.expiredRuns == 1)
      #expect(engine.metrics.doomedRuns == 0)
    }
  }

  @Test func `waiting for a turn takes time, and is summed`() async throws {
    try await withEngine { engine in
      try await engine.set("x", ["n": 0])
      var request = TransactionRequest()
      request.concurrency = .turns([doc("x")])
      let settings = request
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask {
            _ = try await engine.runs(settings) { context in
              _ = try context.get(doc("x"))
              try context.write(.update("r/x", ["n": .integer(1)]))
            }
          }
        }
        try await group.waitForAll()
      }
      let metrics = engine.metrics
      #expect(metrics.turnWaits >= 20)
      #expect(metrics.turnWaitTime.totalNanoseconds >= metrics.turnWaitTime.longestNanoseconds)
      #expect(metrics.gateWaitTime == WaitTime() || metrics.gateWaits > 0)
    }
  }
}
