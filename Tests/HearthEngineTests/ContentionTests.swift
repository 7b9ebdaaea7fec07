import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// How a transaction runs: optimistically, in turns, or with the gate.
enum Mode: Sendable, CaseIterable {
  case optimistic, turns, gate

  var request: TransactionRequest {
    var request = TransactionRequest()
    if self == .turns { request.concurrency = .turns([doc("x"), doc("y")]) }
    return request
  }

  /// The first run in which a script plays: earlier ones are made to lose.
  var firstRun: Int { self == .gate ? 3 : 1 }
}

extension Engine {
  /// Runs a transaction whose script plays in the mode's own run.
  func play(
    _ mode: Mode, _ body: @Sendable (TransactionContext, _ run: Int) async throws -> Void
  ) async throws -> Int {
    try await runs(mode.request) { context in
      if context.attempt < mode.firstRun {
        // A plain write to what was read makes the run lose, whatever it holds.
        _ = try context.get(doc("lost"))
        _ = try await self.set("lost", ["n": .integer(Int64(context.attempt))])
        return try context.write(.set("r/never", [:]))
      }
      try await body(context, context.attempt - mode.firstRun + 1)
    } - mode.firstRun + 1
  }
}

/// Turns, the gate, and what keeps blocks that wait for other writes from waiting for ever.
@Suite(.timeLimit(.minutes(30))) struct ContentionTests {
  @Test(arguments: Mode.allCases)
  func `a write awaited inside the block to what it has read causes another run, not a deadlock`(
    _ mode: Mode
  ) async throws {
    try await withEngine { engine in
      try await engine.set("x", ["n": 0])
      let runs = try await engine.play(mode) { context, run in
        _ = try context.get(doc("x"))
        if run == 1 { try await engine.set("x", ["n": 1]) }
        try context.write(.update("r/x", ["m": 1]))
      }
      #expect(runs == 2)
      #expect(try engine.get(doc("x")).document?.fields() == ["m": 1, "n": 1])
      #expect(try engine.get(doc("never")).document == nil)
    }
  }

  @Test(arguments: Mode.allCases)
  func `a transaction nested in a block is bounded by the lease`(_ mode: Mode) async throws {
    try await withEngine { engine in
      try await engine.set("x", ["n": 0])
      _ = try await engine.play(mode) { context, run in
        _ = try context.get(doc("x"))
        if run == 1 {
          _ = try await engine.runs { inner in
            _ = try inner.get(doc("x"))
            try inner.write(.update("r/x", ["inner": 1]))
          }
        }
        try context.write(.update("r/x", ["outer": 1]))
      }
      #expect(try engine.get(doc("x")).document?.fields() == ["inner": 1, "n": 0, "outer": 1])
    }
  }

  @Test func `optimistic transactions take neither turn nor gate`() async throws {
    try await withEngine { engine in
      try await engine.set("x", ["n": 0])
      var request = TransactionRequest()
      request.concurrency = .optimistic
      let runs = try await engine.runs(request) { context in
        _ = try context.get(doc("x"))
        if context.attempt < 4 {
          try await engine.set("x", ["n": .integer(Int64(context.attempt))])
        }
        try context.write(.set("r/y", [:]))
      }
      #expect(runs == 4)
      #expect(engine.metrics.turnWaits == 0)
      #expect(engine.metrics.gateWaits == 0)
      #expect(engine.metrics.pointConflicts == 3)
    }
  }

  @Test func `named turns let every rating run once`() async throws {
    // The lease is no part of this rule; a slow machine must not end one.
    try await withEngine({ $0.limits.turnLeaseNanoseconds = 60_000_000_000 }) { engine in
      try await engine.set("x", ["n": 0])
      var request = TransactionRequest()
      request.concurrency = .turns([doc("x")])
      let settings = request
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<50 {
          group.addTask {
            try await engine.runs(settings) { context in
              guard case .integer(let n)? = try context.get(doc("x"))?.value(at: field("n"))
              else { return }
              try context.write(.set("r/x", ["n": .integer(n + 1)]))
            }
          }
        }
        for try await runs in group { #expect(runs == 1) }
      }
      #expect(try engine.get(doc("x")).document?.fields() == ["n": 50])
    }
  }

  @Test func `a range conflict goes to the gate, and a plain writer cannot make it lose there`()
    async throws
  {
    try await withEngine({ $0.limits.gateLeaseNanoseconds = 60_000_000_000 }) { engine in
      let runs = try await engine.runs { context in
        let count = try context.run(query(filter("n", .equal, 1))).documents.count
        if context.attempt == 1 {
          try await engine.set("p", ["n": 1])
        } else {
          // Not awaited and not from inside: it must wait until the gate is given back.
          TransactionContext.$current.withValue(nil) {
            engine.submit([Write(document: doc("p"), operation: .delete)], completion: nil)
          }
        }
        try context.write(.set("s/sum", ["n": .integer(Int64(count))]))
      }
      #expect(runs == 2)
      #expect(engine.metrics.rangeConflicts == 1)
      #expect(engine.metrics.gateWaits == 1)
      #expect(try engine.get(DocumentPath("s/sum")).document?.fields() == ["n": 1])
      await engine.waitForSubmittedWrites()
      #expect(try engine.get(doc("p")).document == nil)
    }
  }

  @Test func `transactions on two documents in opposite order all commit within two runs`()
    async throws
  {
    try await withEngine({ $0.limits.turnLeaseNanoseconds = 60_000_000_000 }) { engine in
      try await engine.set("x", ["n": 0])
      try await engine.set("y", ["n": 0])
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<60 {
          group.addTask {
            try await engine.runs { context in
              for id in number % 2 == 0 ? ["x", "y"] : ["y", "x"] {
                _ = try context.get(doc(id))
              }
              for id in ["x", "y"] {
                let n = try Write(
                  document: doc(id),
                  operation: .update(
                    fields: [:], mask: [],
                    transforms: [FieldTransform(path: field("n"), kind: .increment(1))]))
                try context.write(n)
              }
            }
          }
        }
        for try await runs in group { #expect((1...2).contains(runs)) }
      }
      #expect(try engine.get(doc("x")).document?.fields() == ["n": 60])
      #expect(try engine.get(doc("y")).document?.fields() == ["n": 60])
      #expect(engine.metrics.transactionsFailed == 0)
    }
  }

  @Test func `the lease of an earlier run does not end the gate of a later one`() async throws {
    // Leases end when the test says so; what else sleeps here sleeps for ever.
    let (leases, sink) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
    try await withEngine({ options in
      options.limits.gateLeaseNanoseconds = 77
      let sleep = options.runtime.sleep
      options.runtime.sleep = { nanoseconds in
        guard nanoseconds == 77 else { return try await sleep(nanoseconds) }
        await withCheckedContinuation { _ = sink.yield($0) }
      }
    }) { engine in
      try await engine.set("x", ["n": 0])
      var ending = leases.makeAsyncIterator()
      let held = Lock<[CheckedContinuation<Void, Never>]>([])
      async let collected: Void = {
        for _ in 0..<2 { if let next = await ending.next() { held.withLock { $0.append(next) } } }
      }()
      let runs = try await engine.play(.gate) { context, run in
        _ = try context.get(doc("x"))
        if run == 1 { return try await lose(engine, context) }
        // The first gate's lease ends during the second gate.
        while held.withLock({ $0.count < 2 }) { await Task.yield() }
        held.withLock { $0[0] }.resume()
        for _ in 0..<100 { await Task.yield() }
        TransactionContext.$current.withValue(nil) {
          engine.submit([Write(document: doc("x"), operation: .delete)], completion: nil)
        }
        try context.write(.set("r/y", [:]))
      }
      await collected
      held.withLock { $0[1] }.resume()
      #expect(runs == 2)
    }
  }

  private func lose(_ engine: Engine, _ context: TransactionContext) async throws {
    try await engine.set("x", ["n": 1])
    try context.write(.set("r/y", [:]))
  }

  @Test func `against plain writers, changing sets and phantoms three runs are enough`()
    async throws
  {
    try await withEngine({
      $0.limits.turnLeaseNanoseconds = 60_000_000_000
      $0.limits.gateLeaseNanoseconds = 60_000_000_000
    }) { engine in
      for id in ["x", "y", "z"] { try await engine.set(id, ["n": 0]) }
      let runs = try await engine.runs { context in
        // A new document each time, and each is changed by somebody else before the commit.
        let id = ["x", "y", "z"][min(context.attempt, 3) - 1]
        _ = try context.get(doc(id))
        if context.attempt < 3 {
          try await TransactionContext.$current.withValue(nil) {
            _ = try await engine.set(id, ["n": .integer(Int64(context.attempt))])
          }
        }
        try context.write(.set("s/done", [:]))
      }
      #expect(runs == 3)
      #expect(engine.metrics.turnWaits == 1)
      #expect(engine.metrics.gateWaits == 1)
    }
  }
}
