import Hearth
import HearthTestSupport
import Testing

/// What the SDK's servers have and its clients have not: write results, preconditions, projections,
/// offsets, groups below a document, index policies.
@Suite struct ServerShapesTests {
  @Test func `a write tells its time and what its transforms made`() async throws {
    try await withDatabase { database in
      let document = database.document("r/1")
      let created = try await document.create(["n": 1, "tags": ["a"]])
      let first = try #require(created.updateTime)
      let changed = try await document.update([
        "n": FieldValue.increment(4), "tags": FieldValue.arrayUnion(["b"]),
        "at": FieldValue.serverTimestamp(),
      ])
      let second = try #require(changed.updateTime)
      #expect(second > first)
      // In the order of the paths: at, n, tags.
      #expect(changed.transformResults.count == 3)
      #expect(changed.transformResults[1] == .integer(5))
      #expect(changed.transformResults[2] == .null)
      let same = try await document.set(["n": 5], merge: true)
      #expect(same.updateTime == second)
      let deleted = try await document.delete(precondition: .updateTime(second))
      #expect(deleted.updateTime == nil)
    }
  }

  @Test func `preconditions give their errors and change nothing`() async throws {
    try await withDatabase { database in
      let document = database.document("r/1")
      func why(_ body: () async throws -> Void) async -> [String] {
        let error = await #expect(throws: HearthError.self) { try await body() }
        return [error?.status.name ?? "", error?.reason ?? ""]
      }
      #expect(
        await why { try await document.update(["n": 1]) } == ["NOT_FOUND", "DOCUMENT_MISSING"])
      try await document.create(["n": 1])
      #expect(
        await why { try await document.create(["n": 2]) }
          == ["ALREADY_EXISTS", "DOCUMENT_EXISTS"])
      let time = Timestamp(seconds: 1, nanoseconds: 0)
      #expect(
        await why { try await document.update(["n": 2], precondition: .updateTime(time)) }
          == ["FAILED_PRECONDITION", "VERSION_MISMATCH"])
      #expect(
        await why { try await document.update(["n": 2], precondition: .exists(false)) }
          == ["INVALID_ARGUMENT", "PRECONDITION_NOT_ALLOWED"])
      let crooked = Timestamp(seconds: 1, nanoseconds: 1)
      #expect(
        await why { try await document.set(["n": 2], precondition: .updateTime(crooked)) }
          == ["INVALID_ARGUMENT", "PRECONDITION_TIME"])
      let batch = database.batch()
      batch.setData(["n": 9], forDocument: database.document("r/2"))
      batch.create(["n": 9], forDocument: document)
      #expect(
        await why { _ = try await batch.commitWithResults() }
          == ["ALREADY_EXISTS", "DOCUMENT_EXISTS"])
      let all = try await database.collection("r").getDocuments()
      #expect(all.documents.map { $0.get("n") as? Int } == [1])
    }
  }

  @Test func `a batch tells one result per write`() async throws {
    try await withDatabase { database in
      let document = database.document("r/1")
      let batch = database.batch()
      batch.create(["n": 1], forDocument: document)
      batch.update(
        ["n": FieldValue.increment(2)], forDocument: document, precondition: .exists(true))
      batch.delete(document, precondition: .exists(true))
      let results = try await batch.commitWithResults()
      #expect(results.map { $0.updateTime == nil } == [false, false, true])
      #expect(results[1].transformResults == [.integer(3)])
    }
  }

  @Test func `a projection shows some fields, in reads and in listeners`() async throws {
    try await withDatabase { database in
      try await database.document("r/1").setData(["a": 1, "m": ["x": 1, "y": 2], "z": 3])
      let some = database.collection("r").select(["m.x", FieldPath(["z"]), "missing"])
      let read = try await some.getDocuments().documents[0]
      #expect(read.fields == ["m": .map(["x": .integer(1)]), "z": .integer(3)])
      #expect(read.get("a") == nil)
      let names = try await database.collection("r").select([]).getDocuments()
      #expect(names.documents[0].fields == [:])
      #expect(names.documents[0].documentID == "1")
      for try await snapshot in some.snapshots {
        #expect(snapshot.documents[0].fields.count == 2)
        #expect(snapshot.documentChanges[0].document.fields.count == 2)
        break
      }
      let ordered = some.order(by: "a")
      let found = try await ordered.getDocuments()
      #expect(found.count == 1)
    }
  }

  @Test func `an offset skips, and what it skips was read`() async throws {
    try await withDatabase { database in
      for number in 0..<5 { try await database.document("r/\(number)").setData(["n": number]) }
      let page = database.collection("r").order(by: "n").offset(2).limit(to: 2)
      let explained = try await page.explain(analyze: true)
      #expect(explained.snapshot?.documents.map(\.documentID) == ["2", "3"])
      #expect(explained.executionStats?.readOperations == 4)
    }
  }

  @Test func `a group query may look below one document only`() async throws {
    try await withDatabase { database in
      for path in ["posts/1", "a/1/posts/2", "a/1/b/2/posts/3", "a/2/posts/4"] {
        try await database.document(path).setData(["n": 1])
      }
      let all = try await database.collectionGroup("posts").getDocuments()
      #expect(all.documents.map(\.documentID) == ["3", "2", "4", "1"])
      let below = try await database.document("a/1").collectionGroup("posts").getDocuments()
      #expect(below.documents.map(\.documentID) == ["3", "2"])
      let count = try await database.collectionGroup("posts").count.getAggregation()
      #expect(count.count == 4)
    }
  }

  @Test func `explain counts the documents that lack an ordered field`() async throws {
    try await withDatabase { database in
      for number in 0..<8 {
        try await database.document("r/\(number)").setData(
          number < 6 ? ["n": number, "submitted": true] : ["n": number])
      }
      let ordered = database.collection("r").order(by: "submitted")
      let explained = try await ordered.explain(analyze: true)
      #expect(explained.snapshot?.count == 6)
      #expect(explained.hints.count == 1)
      #expect(explained.hints.first?.hasPrefix("2 documents match") == true)
      #expect(explained.hints.first?.contains("'submitted'") == true)
      let full = try await database.collection("r").order(by: "n").explain(analyze: true)
      #expect(full.hints.isEmpty)
    }
  }

  @Test func `explain prints the effective order, and speaks Firestore's JSON`() async throws {
    try await withDatabase { database in
      try await database.setIndexConfiguration(
        """
        {"indexes": [{"collectionGroup": "r", "queryScope": "COLLECTION", "fields": [
          {"fieldPath": "added", "order": "DESCENDING"},
          {"fieldPath": "ends", "order": "DESCENDING"}]}]}
        """)
      let query = database.collection("r").whereField("added", isGreaterThanOrEqualTo: 0)
        .whereField("ends", isGreaterThan: 1).order(by: "added", descending: true)
      let planned = try await query.explain()
      #expect(planned.planSummary.order == "(added DESC, ends DESC, __name__ DESC)")
      let analyzed = try await query.explain(analyze: true)
      let json = try JSONSerialization.jsonObject(with: Data(analyzed.json.utf8)) as? [String: Any]
      let stats = try #require(json?["execution_stats"] as? [String: Any])
      #expect(stats["read_operations"] as? Int == 1)
      let debug = try #require(stats["debug_stats"] as? [String: Any])
      #expect(debug["index_entries_scanned"] as? String == "0")
      let billing = try #require(debug["billing_details"] as? [String: String])
      #expect(billing["min_query_cost"] == "1")
    }
  }

  @Test func `a listener's snapshot tells how its result was read`() async throws {
    try await withDatabase { database in
      for number in 0..<5 { try await database.document("r/\(number)").setData(["n": number]) }
      let query = database.collection("r").whereField("n", isGreaterThan: 2)
      for try await snapshot in query.snapshots {
        let explained = try #require(snapshot.explanation)
        #expect(explained.planSummary.indexesUsed.count == 1)
        #expect(explained.executionStats?.debugStats.indexEntriesScanned == 2)
        break
      }
    }
  }

  @Test func `a policy lets queries run and lists what they want`() async throws {
    try await withTemporaryDirectory { directory in
      let settings = FirestoreSettings()
      settings.indexPolicy = .advise
      settings.durability = .none
      settings.mapSizeBytes = 1 << 33
      let database = try await Firestore.open(
        at: URL(filePath: directory + "/db"), settings: settings)
      for number in 0..<4 {
        try await database.document("r/\(number)").setData(["a": number % 2, "b": number])
      }
      let query = database.collection("r").whereField("a", isEqualTo: 1)
        .order(by: "b", descending: true)
      let explained = try await query.explain(analyze: true)
      #expect(explained.snapshot?.documents.map(\.documentID) == ["3", "1"])
      let wanted = try #require(explained.planSummary.assumedIndex)
      let advised = try database.advisedIndexes
      #expect(advised.map(\.definition) == [wanted])
      try await database.createIndex(wanted)
      let served = try await query.explain(analyze: true)
      #expect(served.planSummary.assumedIndex == nil)
      try await database.terminate()
    }
  }

  @Test func `overrides change under documents and stand in the exported file`() async throws {
    try await withDatabase { database in
      try await database.document("r/1").setData(["payload": "x", "tag": "t"])
      try await database.setFieldOverride(
        collectionID: "r", field: FieldPath(["payload"]), indexes: [])
      let query = database.collection("r").whereField("payload", isEqualTo: "x")
      let error = await #expect(throws: HearthError.self) { _ = try await query.getDocuments() }
      #expect(error?.reason == "INDEX_SINGLE_FIELD_MISSING")
      let exported = try database.indexConfigurationJSON
      #expect(exported.contains("payload"))
      try await database.setIndexConfiguration(
        """
        {"indexes": [{"collectionGroup": "r", "queryScope": "COLLECTION", "fields": [
          {"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}]}
        """)
      #expect(try database.fieldOverrides.count == 1)
      try await database.setFieldOverride(
        collectionID: "r", field: FieldPath(["payload"]), indexes: nil)
      let found = try await query.getDocuments()
      #expect(found.count == 1)
      #expect(try database.fieldOverrides.isEmpty)
    }
  }
}
