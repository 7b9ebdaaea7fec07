import Hearth
import HearthTestSupport
import Testing

/// Aggregations as code written for Firestore asks them.
@Suite struct AggregateTests {
  private func withNumbers(_ body: (Firestore) async throws -> Void) async throws {
    try await withDatabase { database in
      let batch = database.batch()
      for number in 1...4 {
        batch.setData(
          ["n": number, "half": Double(number) / 2, "word": "w"],
          forDocument: database.document("r/\(number)"))
      }
      try await batch.commit()
      try await body(database)
    }
  }

  @Test func `counts, sums and averages come as numbers`() async throws {
    try await withNumbers { database in
      let all = database.collection("r")
      let counted = try await all.count.getAggregation(source: .server)
      #expect(counted.count == 4)
      let several = all.aggregate([.count(), .sum("n"), .average(FieldPath(["n"]))])
      let found = try await several.getAggregation()
      #expect(found.get(AggregateField.count()) as? Int == 4)
      #expect(found.get(AggregateField.sum("n")) as? Int == 10)
      #expect(found.get(AggregateField.average("n")) as? Double == 2.5)
      #expect(try found.value(.sum("n")) == .integer(10))
      let nothing = all.whereField("n", isGreaterThan: 100).aggregate([.sum("n"), .average("n")])
      let none = try await nothing.getAggregation()
      #expect(none.get(AggregateField.sum("n")) as? Int == 0)
      #expect(none.get(AggregateField.average("n")) is NSNull)
      let capped = try await all.aggregate([.count(upTo: 3)]).getAggregation()
      #expect(capped.count == 3)
      #expect(several == all.aggregate([.count(), .sum("n"), .average("n")]))
    }
  }

  @Test func `a result that was not asked is null and misuse`() async throws {
    try await withNumbers { database in
      let found = try await database.collection("r").count.getAggregation()
      #expect(found.get(AggregateField.sum("n")) is NSNull)
      let error = #expect(throws: HearthError.self) { try found.value(.sum("n")) }
      #expect(error?.reason == "AGGREGATION_NOT_ASKED")
    }
  }

  @Test func `what is wrong with a field fails the call`() async throws {
    try await withNumbers { database in
      for (field, reason) in [
        (AggregateField.sum("a..b"), "FIELD_PATH_SYNTAX"),
        (.average(FieldPath.documentID()), "AGGREGATION_FIELD"),
        (.count(upTo: -1), "AGGREGATION_UP_TO"),
      ] {
        let error = await #expect(throws: HearthError.self) {
          _ = try await database.collection("r").aggregate([field]).getAggregation()
        }
        #expect(error?.reason == reason)
      }
    }
  }

  @Test func `a completion closure comes with the result`() async throws {
    try await withNumbers { database in
      let count: Int = try await withCheckedThrowingContinuation { continuation in
        database.collection("r").count.getAggregation(source: .server) { snapshot, error in
          if let error { continuation.resume(throwing: error) }
          if let snapshot { continuation.resume(returning: snapshot.count.intValue) }
        }
      }
      #expect(count == 4)
    }
  }

  @Test func `a transaction aggregates what it protects`() async throws {
    try await withNumbers { database in
      let total = try await database.runTransaction { transaction in
        let found = try transaction.getAggregation(
          database.collection("r").aggregate([.sum("half")]))
        transaction.setData(
          ["sum": found.get(AggregateField.sum("half"))], forDocument: database.document("t/1"))
        return try found.value(.sum("half"))
      }
      #expect(total == .double(5))
      let stored = try await database.document("t/1").getDocument()
      #expect(stored.get("sum") as? Double == 5)
    }
  }

  @Test func `explain tells of an aggregation that no document was read`() async throws {
    try await withNumbers { database in
      let explained = try await database.collection("r").aggregate([.sum("n")]).explain(
        analyze: true)
      let stats = try #require(explained.executionStats)
      #expect(stats.debugStats.documentsScanned == 0)
      #expect(stats.debugStats.indexEntriesScanned == 4)
      #expect(stats.resultsReturned == 1)
      #expect(stats.debugStats.billingDetails["index_entries_billable"] == "4")
      #expect(explained.planSummary.indexesUsed[0]["properties"] == "(n ASC, __name__ ASC)")
    }
  }
}
