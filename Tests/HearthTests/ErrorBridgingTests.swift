import Hearth
import HearthTestSupport
import Testing

/// Everything that fails must match `catch let error as NSError`: on Linux an error that does not
/// match runs off the end of a closure and kills the process.
@Suite struct ErrorBridgingTests {
  /// The error of `body` as code written for the SDK catches it; this function throws nothing.
  private func caught(_ body: () async throws -> Void) async -> NSError? {
    do {
      try await body()
      return nil
    } catch let error as NSError {
      return error
    }
  }

  @Test func `errors of reads, writes, queries and transactions are NSErrors`() async throws {
    try await withDatabase { db in
      let missing = db.document("a/b")
      let update = await caught { try await missing.updateData(["x": 1]) }
      #expect(update?.domain == FirestoreErrorDomain)
      #expect(update?.code == FirestoreErrorCode.notFound.rawValue)

      let path = await caught { _ = try await db.document("a//b").getDocument() }
      #expect(path?.code == FirestoreErrorCode.invalidArgument.rawValue)

      let query = await caught {
        _ = try await db.collection("a").limit(to: 0).getDocuments()
      }
      #expect(query?.code == FirestoreErrorCode.invalidArgument.rawValue)

      let sequence = await caught {
        for try await _ in db.collection("a").limit(to: -1).snapshots {}
      }
      #expect(sequence?.code == FirestoreErrorCode.invalidArgument.rawValue)

      let batch = await caught {
        let batch = db.batch()
        batch.updateData(["x": 1], forDocument: missing)
        try await batch.commit()
      }
      #expect(batch?.code == FirestoreErrorCode.notFound.rawValue)

      let transaction = await caught {
        try await db.runTransaction { $0.updateData(["x": 1], forDocument: missing) }
      }
      #expect(transaction?.code == FirestoreErrorCode.notFound.rawValue)
    }
  }

  @Test func `an error of the user's comes out of a transaction unchanged`() async throws {
    try await withDatabase { db in
      let own = NSError(domain: "Own", code: 7, userInfo: ["x": "y"])
      let thrown = await caught { try await db.runTransaction { _ in throw own } }
      #expect(thrown === own)

      let domain = await caught {
        _ = try await db.runTransaction { (_: Transaction, pointer: NSErrorPointer) -> Any? in
          pointer?.pointee = NSError(domain: "Own", code: 8)
          return "ignored, since the error wins"
        }
      }
      #expect(domain?.domain == "Own")
      #expect(domain?.code == 8)
    }
  }

  @Test func `a database that is not configured fails every call and traps in none`() async throws {
    let db = Firestore.firestore()
    let error = await caught { _ = try await db.document("a/b").getDocument() }
    #expect((error as? HearthError)?.reason == "NOT_CONFIGURED")
    #expect(error?.localizedDescription.contains("Hearth.configure(storage:") == true)
  }

  @Test func `codes match in catch clauses`() async throws {
    try await withDatabase { db in
      do {
        try await db.document("a/b").updateData(["x": 1])
        Issue.record("the update of a missing document succeeded")
      } catch FirestoreErrorCode.notFound {
      }
    }
  }

  @Test func `after terminating every call fails, and terminating again does not`() async throws {
    try await withDatabase { db in
      let document = db.document("a/b")
      try await db.terminate()
      try await db.terminate()
      #expect(await reason { _ = try await document.getDocument() } == "TERMINATED")
      #expect(await reason { try await document.setData(["x": 1]) } == "TERMINATED")
      #expect(await reason { try await db.batch().commit() } == "TERMINATED")
    }
  }
}
