import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

@Suite struct ErrorTests {
  @Test(arguments: [
    (StorageError.Kind.notADatabase, FirestoreErrorCode.Code.failedPrecondition, "NOT_A_DATABASE"),
    (.formatVersion, .failedPrecondition, "FORMAT_VERSION"),
    (.alreadyOpen, .failedPrecondition, "ALREADY_OPEN"),
    (.databaseInUse, .failedPrecondition, "DATABASE_IN_USE"),
    (.badHeader, .dataLoss, "BAD_HEADER"),
    (.networkFileSystem, .failedPrecondition, "NETWORK_FILE_SYSTEM"),
    (.notFound, .notFound, "DATABASE_NOT_FOUND"),
    (.permissions, .failedPrecondition, "PERMISSIONS"),
    (.diskFull, .resourceExhausted, "DISK_FULL"),
    (.storageFailed, .unavailable, "STORAGE_FAILED"),
    (.mapFull, .resourceExhausted, "MAP_FULL"),
    (.memory, .resourceExhausted, "MEMORY"),
    (.tooManyFiles, .resourceExhausted, "TOO_MANY_FILES"),
    (.corrupted, .dataLoss, "CORRUPTED"),
    (.transactionFull, .internal, "TRANSACTION_FULL"),
    (.badKey, .internal, "BAD_KEY"),
    (.closed, .failedPrecondition, "DATABASE_CLOSED"),
    (.outcomeUnknown, .unknown, "COMMIT_OUTCOME_UNKNOWN"),
    (.fileRemoved, .dataLoss, "FILE_REMOVED"),
    (.libraryVersion, .failedPrecondition, "LIBRARY_VERSION"),
    (.invalidArgument, .invalidArgument, "STORAGE_ARGUMENT"),
    (.internalError, .internal, "STORAGE"),
  ])
  func `a storage error becomes a code and a reason`(
    _ kind: StorageError.Kind, _ code: FirestoreErrorCode.Code, _ reason: String
  ) {
    let error = HearthError(StorageError(kind, "What happened."))
    #expect(error.status == code)
    #expect(error.reason == reason)
    #expect(error.message == "What happened.")
  }

  @Test func `a database that is not there is not found unless it may be made`() async throws {
    try await withReopening { database in
      var options = EngineOptions.test(path: database.path)
      options.createIfMissing = false
      let settings = options
      #expect(await reason { _ = try Engine.open(settings) } == "DATABASE_NOT_FOUND")
    }
  }

  @Test func `a database is opened once`() async throws {
    try await withReopening { database in
      try await database.withEngine { _ in
        let options = EngineOptions.test(path: database.path)
        #expect(await reason { _ = try Engine.open(options) } == "ALREADY_OPEN")
      }
    }
  }

  @Test func `after closing every call is refused`() async throws {
    try await withEngine { engine in
      try await engine.set("a", [:])
      await engine.close()
      await engine.close()
      #expect(engine.isClosed)
      let closed = "DATABASE_CLOSED"
      #expect(await reason { _ = try engine.get(doc("a")) } == closed)
      #expect(await reason { _ = try engine.run(query()) } == closed)
      #expect(await reason { _ = try engine.explain(query()) } == closed)
      #expect(await reason { _ = try engine.headVersion() } == closed)
      #expect(await reason { try await engine.set("a", [:]) } == closed)
      #expect(await reason { _ = try await engine.runs { _ in } } == closed)
      #expect(await reason { _ = try engine.checkConsistency() } == closed)
      let composite = index(("a", .ascending), ("b", .ascending))
      #expect(await reason { try await engine.createIndex(composite) } == closed)
      let outcome = await withCheckedContinuation { continuation in
        engine.submit([]) { continuation.resume(returning: $0) }
      }
      #expect(throws: HearthError.self) { try outcome.get() }
      await engine.waitForListeners()
      await engine.waitForSubmittedWrites()
    }
  }

  @Test func `a commit that is too large is refused whole`() async throws {
    try await withEngine({ $0.limits.commitBytes = 2000 }) { engine in
      let half = Value.string(String(repeating: "x", count: 1000))
      let why = await reason {
        _ = try await engine.commit([.set("r/a", ["s": half]), .set("r/b", ["s": half])])
      }
      #expect(why == "REQUEST_TOO_LARGE")
      #expect(try engine.ids(query()) == [])
      try await engine.set("a", ["s": half])
    }
  }

  @Test func `paths and values that are not allowed are refused in writes`() async throws {
    try await withEngine { (engine: Engine) async throws in
      func why(_ path: DocumentPath, _ fields: Fields = [:]) async -> String {
        await reason {
          _ = try await engine.commit([
            Write(
              document: path, operation: .update(fields: fields, mask: nil, transforms: []))
          ])
        }
      }
      #expect(await reason { _ = try Write.set("r", [:]) } == "PATH_WRONG_PARITY")
      #expect(await reason { _ = try Write.set("r//a/b", [:]) } == "PATH_EMPTY_SEGMENT")
      #expect(await reason { _ = try Write.set("r/__a__", [:]) } == "ID_RESERVED")
      #expect(await why(doc("a"), ["a": .array([.array([])])]) == "NESTED_ARRAY")
      let long = Value.string(String(repeating: "x", count: 1_050_000))
      #expect(await why(doc("a"), ["s": long]) != "no error")
      #expect(try engine.ids(query()) == [])
      #expect(try engine.headVersion() == .zero)
    }
  }

  @Test func `a batch fails whole with the error of its first failing write`() async throws {
    try await withEngine { (engine: Engine) async throws in
      let why = await reason {
        _ = try await engine.commit([
          .set("r/a", ["n": 1]), .update("r/b", ["n": 1]),
          Write(
            document: doc("a"), operation: .update(fields: [:], mask: nil, transforms: []),
            precondition: .exists(false)),
        ])
      }
      #expect(why == "DOCUMENT_MISSING")
      #expect(try engine.ids(query()) == [])
    }
  }

  @Test func `a failing commit does not harm its neighbours in the group`() async throws {
    try await withEngine { (engine: Engine) async throws in
      let outcomes = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<60 {
          group.addTask {
            await reason {
              if number % 3 == 0 {
                _ = try await engine.commit([.update("r/missing", ["n": 1])])
              } else {
                try await engine.set("d\(number)", ["n": .integer(Int64(number))])
              }
            } == "no error"
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(outcomes == 40)
      #expect(try engine.ids(query()).count == 40)
      #expect(try engine.findings() == [])
    }
  }
}
