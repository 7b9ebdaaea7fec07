import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// The rules of transactions, one by one (transactions-and-listeners, 2 and 3).
@Suite struct TransactionTests {
  private struct Own: Error, Equatable {}

  @Test func `reads come before writes, even if the block swallows the error`() async throws {
    try await withEngine { engine in
      let why = await reason {
        _ = try await engine.runs { context in
          try context.write(.set("r/a", ["n": 1]))
          let inner = await reason { _ = try context.get(doc("a")) }
          #expect(inner == "READ_AFTER_WRITE")
        }
      }
      #expect(why == "READ_AFTER_WRITE")
      let found = try engine.get(doc("a")).document
      #expect(found?.path == nil)
      #expect(engine.metrics.transactionRuns == 1)
      #expect(
        await reason {
          _ = try await engine.runs { context in
            try context.write(.set("r/a", ["n": 1]))
            _ = try context.run(query())
          }
        } == "READ_AFTER_WRITE")
    }
  }

  @Test func `updating what was read as missing fails without another run`() async throws {
    try await withEngine { engine in
      let why = await reason {
        _ = try await engine.runs { context in
          #expect(try context.get(doc("a")) == nil)
          // Even if somebody has created it meanwhile.
          _ = try await engine.set("a", ["n": 1])
          try context.write(.update("r/a", ["n": 2]))
        }
      }
      #expect(why == "UPDATE_OF_MISSING_READ")
      #expect(engine.metrics.transactionRuns == 1)
      // Only the first write is guarded: later ones see the earlier.
      _ = try await engine.runs { context in
        _ = try context.get(doc("b"))
        try context.write(.set("r/b", ["n": 1]))
        try context.write(.update("r/b", ["m": 2]))
      }
      #expect(try engine.get(doc("b")).document?.fields() == ["m": 2, "n": 1])
    }
  }

  @Test func `updating an unread missing document is NOT_FOUND without another run`() async throws {
    try await withEngine { engine in
      let why = await reason {
        _ = try await engine.runs { try $0.write(.update("r/a", ["n": 1])) }
      }
      #expect(why == "DOCUMENT_MISSING")
      #expect(engine.metrics.transactionRuns == 1)
    }
  }

  @Test func `reading twice gives the same, and the change is a conflict at commit`() async throws {
    try await withEngine { engine in
      try await engine.set("a", ["n": 1])
      let runs = try await engine.runs { context in
        let first = try context.get(doc("a"))?.fields()
        if context.attempt == 1 { try await engine.set("a", ["n": 2]) }
        #expect(try context.get(doc("a"))?.fields() == first)
        try context.write(.set("r/b", first ?? [:]))
      }
      #expect(runs == 2)
      #expect(try engine.get(doc("b")).document?.fields() == ["n": 2])
    }
  }

  @Test func `a query and a read of the same document agree within a run`() async throws {
    try await withEngine { engine in
      try await engine.set("a", ["n": 1])
      let runs = try await engine.runs { context in
        let found = try context.run(query()).documents.first?.updateVersion
        #expect(try context.get(doc("a"))?.updateVersion == found)
        try context.write(.set("r/b", [:]))
      }
      #expect(runs == 1)
    }
  }

  @Test func `documents read but not written are protected like written ones`() async throws {
    try await withEngine { engine in
      try await engine.set("a", ["n": 1])
      let runs = try await engine.runs { context in
        _ = try context.get(doc("a"))
        if context.attempt == 1 { try await engine.set("a", ["n": 2]) }
        try context.write(.set("r/b", ["n": 1]))
      }
      #expect(runs == 2)
    }
  }

  @Test func `a missing document is protected as missing`() async throws {
    try await withEngine { engine in
      let runs = try await engine.runs { context in
        let known = try context.get(doc("a"))
        if context.attempt == 1 { try await engine.set("a", ["n": 2]) }
        try context.write(.set("r/b", ["seen": .boolean(known != nil)]))
      }
      #expect(runs == 2)
      #expect(try engine.get(doc("b")).document?.fields() == ["seen": .boolean(true)])
    }
  }

  @Test func `a write that changes nothing does not invalidate a reader`() async throws {
    try await withEngine { engine in
      try await engine.set("a", ["n": 1])
      let runs = try await engine.runs { context in
        _ = try context.get(doc("a"))
        _ = try context.run(query(filter("n", .equal, 1)))
        try await engine.set("a", ["n": 1])
        try context.write(.set("s/b", ["n": 1]))
      }
      #expect(runs == 1)
      let (document, _) = try engine.get(doc("a"))
      #expect(document?.updateVersion == document?.createVersion)
    }
  }

  @Test func `states are compared, not histories`() async throws {
    try await withEngine { engine in
      let runs = try await engine.runs { context in
        _ = try context.get(doc("a"))
        try await engine.set("a", ["n": 1])
        _ = try await engine.commit([.delete("r/a")])
        try context.write(.set("r/b", ["n": 1]))
      }
      #expect(runs == 1)
    }
  }

  @Test func `a transaction without writes never conflicts`() async throws {
    try await withEngine { engine in
      try await engine.set("a", ["n": 1])
      let runs = try await engine.runs { context in
        _ = try context.get(doc("a"))
        try await engine.set("a", ["n": .integer(Int64(context.attempt) + 1)])
      }
      #expect(runs == 1)
      #expect(engine.metrics.conflicts == 0)
    }
  }

  @Test func `a read-only transaction refuses writes`() async throws {
    try await withEngine { engine in
      var request = TransactionRequest()
      request.readOnly = true
      let settings = request
      let why = await reason {
        _ = try await engine.runs(settings) { try? $0.write(.set("r/a", [:])) }
      }
      #expect(why == "READ_ONLY")
      let found = try engine.get(doc("a")).document
      #expect(found?.path == nil)
    }
  }

  @Test func `errors of the block arrive unchanged and nothing is written`() async throws {
    try await withEngine { engine in
      await #expect(throws: Own()) {
        _ = try await engine.runs { context in
          try context.write(.set("r/a", [:]))
          throw Own()
        }
      }
      #expect(engine.metrics.transactionRuns == 1)
      let found = try engine.get(doc("a")).document
      #expect(found?.path == nil)
    }
  }

  @Test(arguments: [FirestoreErrorCode.Code.unavailable, .failedPrecondition, .aborted, .unknown])
  func `Firestore errors that SDKs retry run the block again`(
    _ code: FirestoreErrorCode.Code
  ) async throws {
    try await withEngine { engine in
      let why = await reason {
        _ = try await engine.runs { _ in throw HearthError(code, "MINE", "Mine.") }
      }
      #expect(why == "MINE")
      #expect(engine.metrics.transactionRuns == 5)
      var request = TransactionRequest()
      request.maxAttempts = 7
      let runs = try await engine.runs(request) { context in
        if context.attempt < 7 { throw HearthError(code, "MINE", "Mine.") }
      }
      #expect(runs == 7)
    }
  }

  @Test(arguments: [FirestoreErrorCode.Code.invalidArgument, .notFound, .permissionDenied])
  func `other Firestore errors end the transaction`(
    _ code: FirestoreErrorCode.Code
  ) async throws {
    try await withEngine { engine in
      let why = await reason {
        _ = try await engine.runs { _ in throw HearthError(code, "MINE", "Mine.") }
      }
      #expect(why == "MINE")
      #expect(engine.metrics.transactionRuns == 1)
    }
  }

  @Test func `a missing index is not retried, and a block may live without the query`() async throws
  {
    try await withEngine { engine in
      let lacking = query(filter("a", .equal, 1), order: [by("b")])
      let why = await reason { _ = try await engine.runs { _ = try $0.run(lacking) } }
      #expect(why == "INDEX_MISSING")
      #expect(engine.metrics.transactionRuns == 1)
      let runs = try await engine.runs { context in
        _ = try? context.run(lacking)
        try context.write(.set("r/a", ["n": 1]))
      }
      #expect(runs == 1)
      #expect(try engine.get(doc("a")).document != nil)
    }
  }

  @Test func `a failed precondition of a write is not retried`() async throws {
    try await withEngine { engine in
      try await engine.set("a", [:])
      let why = await reason {
        _ = try await engine.runs { context in
          var write = try Write.set("r/a", [:])
          write.precondition = .exists(false)
          try context.write(write)
        }
      }
      #expect(why == "DOCUMENT_EXISTS")
      #expect(engine.metrics.transactionRuns == 1)
    }
  }

  @Test func `an update after a delete in one transaction is invalid`() async throws {
    try await withEngine { engine in
      try await engine.set("a", ["n": 1])
      let why = await reason {
        _ = try await engine.runs { context in
          try context.write(.delete("r/a"))
          try context.write(.update("r/a", ["n": 2]))
        }
      }
      #expect(why == "UPDATE_AFTER_DELETE")
      #expect(try engine.get(doc("a")).document != nil)
    }
  }

  @Test func `with one attempt a conflict is final and says what was lost`() async throws {
    try await withEngine { engine in
      try await engine.set("a", ["n": 1])
      var request = TransactionRequest()
      request.maxAttempts = 1
      do {
        _ = try await engine.runs(request) { context in
          _ = try context.get(doc("a"))
          try await engine.set("a", ["n": 2])
          try context.write(.set("r/b", [:]))
        }
        Issue.record("no error")
      } catch let error as HearthError {
        #expect(error.status == .aborted)
        #expect(error.reason == "CONTENTION")
        #expect(
          error.message.hasPrefix("Too much contention on these documents. Please try again."))
        #expect(error.details == .contention(attempts: 1, lost: ["r/a"]))
      }
      #expect(engine.metrics.transactionsFailed == 1)
    }
  }

  @Test func `after its block a transaction object is of no use`() async throws {
    try await withEngine { engine in
      let escaped = try await engine.runTransaction { $0 }
      #expect(await reason { _ = try escaped.get(doc("a")) } == "TRANSACTION_FINISHED")
      #expect(await reason { _ = try escaped.run(query()) } == "TRANSACTION_FINISHED")
      #expect(await reason { try escaped.write(.set("r/a", [:])) } == "TRANSACTION_FINISHED")
    }
  }

  @Test func `cancellation between attempts ends the transaction`() async throws {
    try await withEngine { engine in
      try await engine.set("a", ["n": 1])
      let (runs, sink) = AsyncStream.makeStream(of: Int.self)
      let task = Task {
        await reason {
          _ = try await engine.runs { context in
            sink.yield(context.attempt)
            _ = try context.get(doc("a"))
            try await engine.set("a", ["n": .integer(Int64(context.attempt) + 1)])
            withUnsafeCurrentTask { $0?.cancel() }
            try context.write(.set("r/b", [:]))
          }
        }
      }
      #expect(await task.value == "CANCELLED")
      sink.finish()
      #expect(await runs.reduce(into: []) { $0.append($1) } == [1])
      #expect(try engine.get(doc("b")).document == nil)
      // No turn and no gate is left behind.
      #expect(try await engine.runs { try $0.write(.set("r/a", [:])) } == 1)
    }
  }

  @Test func `a transaction larger than a commit may be is refused`() async throws {
    try await withEngine({ $0.limits.commitBytes = 1000 }) { engine in
      let why = await reason {
        _ = try await engine.runs { context in
          for number in 0..<20 {
            try context.write(
              .set("r/\(number)", ["s": .string(String(repeating: "x", count: 80))]))
          }
        }
      }
      #expect(why == "REQUEST_TOO_LARGE")
    }
  }

  @Test func `attempts of zero are refused`() async throws {
    try await withEngine { engine in
      var request = TransactionRequest()
      request.maxAttempts = 0
      let settings = request
      #expect(await reason { _ = try await engine.runs(settings) { _ in } } == "MAX_ATTEMPTS")
    }
  }

  @Test func `reads see every write submitted before, awaited or not`() async throws {
    try await withEngine { engine in
      for number in 0..<50 {
        engine.submit([try .set("r/a", ["n": .integer(Int64(number))])], completion: nil)
        let seen = try await engine.runTransaction { try $0.get(doc("a"))?.fields() }
        #expect(seen == ["n": .integer(Int64(number))])
      }
    }
  }
}
