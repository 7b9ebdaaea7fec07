import Hearth
import HearthTestSupport
import Testing

/// Every misuse for which the SDK kills the process: each gives its error, from the call that
/// executes, and nothing is stored.
@Suite struct MisuseTests {
  @Test func `bad paths fail when they are used`() async throws {
    try await withDatabase { db in
      let table: [(String, DocumentReference)] = [
        ("PATH_EMPTY_SEGMENT", db.document("a//b")),
        ("PATH_WRONG_PARITY", db.document("a")),
        ("PATH_WRONG_PARITY", db.document("a/b/c")),
        ("PATH_EMPTY_SEGMENT", db.document("")),
        ("ID_RESERVED", db.document("a/__x__")),
        ("ID_RESERVED", db.document("a/..")),
        ("ID_EMPTY", db.collection("a").document("")),
        ("PATH_WRONG_PARITY", db.collection("a/b").document("c")),
        ("PATH_WRONG_PARITY", db.collection("a").document("b/c")),
        ("ID_EMPTY", db.document("a/b").collection("").document("c")),
      ]
      for (expected, document) in table {
        let text = "'\(document.path)'"
        #expect(await reason { _ = try await document.getDocument() } == expected, "\(text)")
        #expect(await reason { try await document.setData([:]) } == expected, "\(text)")
        #expect(await reason { for try await _ in document.snapshots {} } == expected, "\(text)")
        #expect(document.parent.collectionID != "never read, but no trap")
      }
      #expect(await reason { _ = try await db.collectionGroup("").getDocuments() } == "ID_EMPTY")
      #expect(await reason { _ = try await db.collectionGroup("a/b").getDocuments() } == "ID_SLASH")
      #expect(
        await reason { _ = try await db.collection("a/b").getDocuments() } == "PATH_WRONG_PARITY")
    }
  }

  @Test func `bad queries fail when they run, with the first error`() async throws {
    try await withDatabase { db in
      let all = db.collection("c")
      try await all.document("x").setData(["a": 1])
      let x = try await all.document("x").getDocument()
      let missing = try await all.document("y").getDocument()
      let table: [(String, Query)] = [
        ("LIMIT", all.limit(to: 0)), ("LIMIT", all.order(by: "a").limit(toLast: -1)),
        ("LIMIT_TO_LAST_ORDER", all.limit(toLast: 1)),
        ("ORDER_AFTER_CURSOR", all.order(by: "a").start(at: [1]).order(by: "b")),
        ("CURSOR_TOO_MANY_VALUES", all.order(by: "a").start(at: [1, 2])),
        ("CURSOR_EMPTY", all.order(by: "a").end(before: [])),
        ("CURSOR_DOCUMENT_MISSING", all.start(atDocument: missing)),
        ("CURSOR_FIELD_MISSING", all.order(by: "b").start(atDocument: x)),
        ("FIELD_PATH_SYNTAX", all.whereField("", isEqualTo: 1)),
        ("FIELD_PATH_SYNTAX", all.whereField("a..b", isEqualTo: 1)),
        ("FIELD_PATH_SYNTAX", all.order(by: ".a")),
        ("FIELD_PATH_SYNTAX", all.order(by: "a[0]")),
        ("FIELD_PATH_SYNTAX", all.whereField(FieldPath([]), isEqualTo: 1)),
        ("SENTINEL_IN_QUERY", all.whereField("a", isEqualTo: FieldValue.delete())),
        ("UNSUPPORTED_TYPE", all.whereField("a", isEqualTo: UUID())),
        (
          "FOREIGN_REFERENCE", all.whereField("a", isEqualTo: Firestore.firestore().document("a/b"))
        ),
        ("LIMIT", all.limit(to: 0).whereField("", isEqualTo: 1)),
      ]
      for (expected, query) in table {
        #expect(await reason { _ = try await query.getDocuments() } == expected)
        #expect(await reason { _ = try await query.explain() } == expected)
        #expect(await reason { for try await _ in query.snapshots {} } == expected)
      }
      for values in [[] as [Any]] {
        #expect(
          await reason { _ = try await all.whereField("a", in: values).getDocuments() } != nil)
      }
      let negations = all.whereField("a", isNotEqualTo: 1).whereField("b", isNotEqualTo: 1)
      #expect(await reason { _ = try await negations.getDocuments() } != nil)
      #expect(try await all.getDocuments().count == 1)
    }
  }

  @Test func `bad data fails and stores nothing`() async throws {
    try await withDatabase { db in
      let document = db.document("c/d")
      let table: [(String, [String: Any])] = [
        ("FIELD_NAME_EMPTY", ["": 1]), ("FIELD_NAME_RESERVED", ["__x__": 1]),
        ("FIELD_NAME_RESERVED", ["a": ["__x__": 1]]),
        ("NESTED_ARRAY", ["a": [[1]]]), ("UNSUPPORTED_TYPE", ["a": UUID()]),
        ("INTEGER_RANGE", ["a": UInt64.max]), ("DELETE_SENTINEL", ["a": FieldValue.delete()]),
        ("SENTINEL_IN_ARRAY", ["a": [FieldValue.serverTimestamp()]]),
        ("GEOPOINT_RANGE", ["a": GeoPoint(latitude: 91, longitude: 0)]),
        ("TIMESTAMP_RANGE", ["a": Timestamp(seconds: .max, nanoseconds: 0)]),
        ("FOREIGN_REFERENCE", ["a": Firestore.firestore().document("a/b")]),
      ]
      for (expected, data) in table {
        #expect(await reason { try await document.setData(data) } == expected)
        #expect(
          await reason { try await db.batch().setData(data, forDocument: document).commit() }
            == expected)
        let inTransaction = await reason {
          try await db.runTransaction { transaction in
            // Made here, since untyped data cannot cross into the block.
            switch expected {
            case "UNSUPPORTED_TYPE": transaction.setData(["a": UUID()], forDocument: document)
            default: transaction.setData(["": 1], forDocument: document)
            }
          }
        }
        #expect(inTransaction == "UNSUPPORTED_TYPE" || inTransaction == "FIELD_NAME_EMPTY")
      }
      let after = try await document.getDocument()
      #expect(!after.exists)
    }
  }

  @Test func `a committed batch, a foreign reference and bad attempts are refused`() async throws {
    try await withDatabase { db in
      let batch = db.batch()
      try await batch.commit()
      #expect(await reason { try await batch.commit() } == "BATCH_REUSED")
      batch.deleteDocument(db.document("a/b"))
      #expect(await reason { try await batch.commit() } == "BATCH_REUSED")

      let foreign = Firestore.firestore().document("a/b")
      #expect(
        await reason { try await db.batch().setData([:], forDocument: foreign).commit() }
          == "FOREIGN_REFERENCE")
      #expect(
        await reason { try await db.runTransaction { _ = try $0.getDocument(foreign) } }
          == "FOREIGN_REFERENCE")
      #expect(
        await reason { try await db.runTransaction(maxAttempts: 0) { _ in } } == "MAX_ATTEMPTS")
      #expect(
        await reason {
          try await db.runTransaction { transaction in
            transaction.setData(["a": 1], forDocument: db.document("a/b"))
            _ = try transaction.getDocument(db.document("a/b"))
          }
        } == "READ_AFTER_WRITE")
    }
  }

  @Test func `settings cannot change after first use`() async throws {
    try await withDatabase { db in
      let same = db.settings
      db.settings = same
      #expect(await reason { _ = try await db.document("a/b").getDocument() } == nil)
      let other = db.settings
      other.durability = .relaxed
      db.settings = other
      #expect(
        await reason { _ = try await db.document("a/b").getDocument() } == "SETTINGS_AFTER_USE")
    }
  }

  @Test func `an un-awaited failure goes to the completion closure`() async throws {
    try await withDatabase { db in
      let errors = Collected<String>()
      let completion: @MainActor ((any Error)?) -> Void = { error in
        errors.append((error as? HearthError)?.reason ?? "none")
      }
      db.document("a/b").updateData(["x": 1], completion: completion)
      db.document("a").setData(["x": 1], completion: completion)
      let seen = try await errors.wait(for: 2)
      #expect(seen.sorted() == ["DOCUMENT_MISSING", "PATH_WRONG_PARITY"])
    }
  }
}
