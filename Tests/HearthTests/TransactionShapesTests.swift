import Hearth
import Testing

/// Shapes of transaction blocks that people write: that they compile is half of the test.
@Suite struct TransactionShapesTests {
  /// A block inside an actor that mentions the actor's own state did not compile.
  private actor Repository {
    let database: Firestore
    private(set) var saved = 0

    init(_ database: Firestore) { self.database = database }

    func save() async throws {
      try await database.runTransaction { [database] transaction in
        let reference = database.document("a/b")
        let count = try transaction.getDocument(reference).data()?["n"] as? Int ?? 0
        transaction.setData(["n": count + 1], forDocument: reference)
      }
      saved += 1
    }
  }

  @Test func `a block inside an actor may use the actor's database`() async throws {
    try await withDatabase { database in
      let repository = Repository(database)
      try await repository.save()
      try await repository.save()
      #expect(await repository.saved == 2)
      #expect(try await database.document("a/b").getDocument().data()?["n"] as? Int == 2)
    }
  }

  /// The write returns the transaction, which was taken for the block's result.
  @Test func `a block may be a single write`() async throws {
    try await withDatabase { database in
      let reference = database.document("a/b")
      try await database.runTransaction { $0.setData(["n": 1], forDocument: reference) }
      try await database.runTransaction { transaction in
        transaction.updateData(["n": 2], forDocument: reference)
      }
      let count = try await database.runTransaction { transaction in
        try transaction.getDocument(reference).data()?["n"] as? Int
      }
      #expect(count == 2)
    }
  }

  @Test func `a web address is no place for a database`() async throws {
    let error = await #expect(throws: HearthError.self) {
      _ = try await Firestore.open(at: #require(URL(string: "https://example.com/z")))
    }
    #expect(error?.reason == "NOT_A_FILE_URL")
  }

  @Test func `creating an exempted index gives it back to its field`() async throws {
    try await withDatabase { database in
      try await database.setIndexConfiguration(
        #"{"fieldOverrides":[{"collectionGroup":"r","fieldPath":"y","indexes":[]}]}"#)
      try await database.document("r/1").setData(["y": 1])
      let query = database.collection("r").whereField("y", isEqualTo: 1)
      let missing = await #expect(throws: HearthError.self) { _ = try await query.getDocuments() }
      #expect(missing?.reason == "INDEX_SINGLE_FIELD_MISSING")
      guard case .missingIndex(let details)? = missing?.details else { return }
      try await database.createIndex(details.definition)
      let found = try await query.getDocuments()
      #expect(found.count == 1)
    }
  }
}
