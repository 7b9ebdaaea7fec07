import Hearth
import HearthTestSupport
import Testing

/// Input that once took the process down, or held everybody up.
@Suite struct HostileInputTests {
  private func nested(_ depth: Int) -> [String: Any] {
    (0..<depth).reduce(["leaf": 1]) { inner, _ in ["x": inner] }
  }

  /// Ten thousand levels overflowed the stack; a thousand took seconds.
  @Test func `data nested far too deep is refused`() async throws {
    try await withDatabase { database in
      for depth in [100, 2_000] {
        let error = await #expect(throws: HearthError.self) {
          try await database.document("a/b").setData(nested(depth))
        }
        #expect(error?.reason == "DEPTH")
      }
    }
  }

  @Test func `filters nested far too deep are refused`() async throws {
    try await withDatabase { database in
      var filter = Filter.whereField("a", isEqualTo: 1)
      for level in 0..<5_000 {
        filter =
          level % 2 == 0
          ? Filter.orFilter([filter, .whereField("b", isEqualTo: 1)])
          : Filter.andFilter([filter, .whereField("c", isEqualTo: 1)])
      }
      let query = database.collection("a").whereFilter(filter)
      let error = await #expect(throws: HearthError.self) { _ = try await query.getDocuments() }
      #expect(error?.reason == "TOO_MANY_COMPONENTS")
    }
  }

  /// Operands of transforms did not count, so a commit could be as large as memory.
  @Test func `a commit's size counts the operands of its transforms`() async throws {
    try await withDatabase { database in
      let batch = database.batch()
      let text = String(repeating: "x", count: 1_000_000)
      for number in 0..<11 {
        batch.updateData(
          ["a": FieldValue.arrayUnion([text])], forDocument: database.document("r/\(number)"))
      }
      let error = await #expect(throws: HearthError.self) { try await batch.commit() }
      #expect(error?.reason == "REQUEST_TOO_LARGE")
    }
  }

  /// Ten thousand operands against ten thousand elements took seconds on the writer's thread.
  @Test func `array transforms of many elements keep their meaning`() async throws {
    try await withDatabase { database in
      let reference = database.document("a/b")
      try await reference.setData(["n": (0..<2_000).map { $0 * 2 }])
      try await reference.updateData(["n": FieldValue.arrayUnion((0..<3_000).map { $0 })])
      let joined = try await reference.getDocument().data()?["n"] as? [Int]
      let odd = (0..<2_000).filter { $0 % 2 == 1 }
      let beyond = (2_000..<3_000).filter { $0 % 2 == 1 }
      #expect(joined == (0..<2_000).map { $0 * 2 } + odd + beyond)
      try await reference.updateData(["n": FieldValue.arrayRemove((0..<4_000).map { Double($0) })])
      #expect(try await reference.getDocument().data()?["n"] as? [Int] == [])
    }
  }

  @Test func `a field path of far too many names is refused`() async throws {
    try await withDatabase { database in
      let path = FieldPath(Array(repeating: "a", count: 50_000))
      let error = await #expect(throws: HearthError.self) {
        try await database.document("a/b").updateData([path: 1])
      }
      #expect(error?.reason == "FIELD_NAME_TOO_LONG")
    }
  }

  @Test func `negative nanoseconds are refused, not rounded away`() async throws {
    try await withDatabase { database in
      let error = await #expect(throws: HearthError.self) {
        try await database.document("a/b").setData(
          ["t": Timestamp(seconds: 5, nanoseconds: -1)])
      }
      #expect(error?.reason == "TIMESTAMP_RANGE")
    }
  }

  @Test func `an index file with one bad entry changes nothing`() async throws {
    try await withDatabase { database in
      let fields = #"[{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"b","order":"ASCENDING"}]"#
      let error = await #expect(throws: HearthError.self) {
        try await database.setIndexConfiguration(
          """
          {"indexes": [
            {"collectionGroup": "r", "queryScope": "COLLECTION", "fields": \(fields)},
            {"collectionGroup": "r/s", "queryScope": "COLLECTION", "fields": \(fields)}]}
          """)
      }
      #expect(error?.status == .invalidArgument)
      let declared = try database.indexes
      #expect(declared.isEmpty)
    }
  }

  /// The limit on a transaction was only looked at between runs.
  @Test func `a transaction over its time does not commit`() async throws {
    try await withDatabase { database in
      let reference = database.document("a/b")
      let error = await #expect(throws: HearthError.self) {
        try await database.runTransaction(timeout: .zero) { transaction in
          _ = try transaction.getDocument(reference)
          transaction.setData(["n": 1], forDocument: reference)
        }
      }
      #expect(error?.reason == "TRANSACTION_TIMEOUT")
      let found = try await reference.getDocument()
      #expect(!found.exists)
    }
  }

  @Test func `a listener ends when the only index of its query is dropped`() async throws {
    try await withDatabase { database in
      let index = IndexDefinition(
        collectionID: "r",
        fields: [
          IndexField(FieldPath(["a"]), .ascending), IndexField(FieldPath(["b"]), .ascending),
        ])
      try await database.createIndex(index)
      let query = database.collection("r").whereField("a", isEqualTo: 1).order(by: "b")
      let iterator = query.snapshots.makeAsyncIterator()
      let first = try await iterator.next()
      #expect(first?.isEmpty == true)
      try await database.dropIndex(index)
      let error = await #expect(throws: HearthError.self) { _ = try await iterator.next() }
      #expect(error?.reason == "INDEX_MISSING")
    }
  }

  @Test func `a map size beyond all memory opens what the system gives`() async throws {
    try await withTemporaryDirectory { path in
      let settings = FirestoreSettings()
      settings.durability = .none
      settings.mapSizeBytes = .max
      let database = try await Firestore.open(at: URL(filePath: path + "/db"), settings: settings)
      try await database.document("a/b").setData(["n": 1])
      try await database.terminate()
    }
  }
}
