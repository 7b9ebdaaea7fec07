import Hearth
import HearthTestSupport
import Testing

@Suite struct TransactionTests {
  @Test func `concurrent ratings all count`() async throws {
    try await withDatabase { db in
      let nori = db.document("restaurants/nori")
      try await nori.setData(["count": 0, "sum": 0])
      try await withThrowingTaskGroup(of: Void.self) { group in
        for rating in 1...40 {
          group.addTask {
            try await db.runTransaction { transaction in
              let snapshot = try transaction.getDocument(nori)
              let count = snapshot["count"] as? Int ?? 0
              let sum = snapshot["sum"] as? Int ?? 0
              transaction.updateData(["count": count + 1, "sum": sum + rating], forDocument: nori)
              transaction.setData(
                ["stars": rating], forDocument: nori.collection("ratings").document())
            }
          }
        }
        try await group.waitForAll()
      }
      let result = try await nori.getDocument()
      #expect(result["count"] as? Int == 40)
      #expect(result["sum"] as? Int == 820)
      #expect(try await nori.collection("ratings").getDocuments().count == 40)
    }
  }

  @Test func `the error-pointer form commits and answers on the main queue`() async throws {
    try await withDatabase { db in
      let document = db.document("a/b")
      try await document.setData(["n": 1])
      let results = Collected<Int>()
      db.runTransaction(
        { transaction, errorPointer -> Any? in
          do {
            let n = try transaction.getDocument(document).data()?["n"] as? Int ?? 0
            transaction.updateData(["n": n + 1], forDocument: document)
            return n + 1
          } catch let error as NSError {
            errorPointer?.pointee = error
            return nil
          }
        },
        completion: { value, error in
          MainActor.assertIsolated()
          results.append(error == nil ? value as? Int ?? -1 : -2)
        })
      #expect(try await results.wait(for: 1) == [2])
      let async = try await db.runTransaction { (transaction, _: NSErrorPointer) -> Any? in
        transaction.updateData(["n": 9], forDocument: document)
        return "done"
      }
      #expect(async as? String == "done")
      #expect(try await document.getDocument()["n"] as? Int == 9)
    }
  }

  @Test func `nothing is written when the block throws`() async throws {
    struct Own: Error {}
    try await withDatabase { db in
      let document = db.document("a/b")
      let error = await reason {
        try await db.runTransaction { transaction in
          transaction.setData(["x": 1], forDocument: document)
          throw Own()
        }
      }
      #expect(error == "Own()")
      let after = try await document.getDocument()
      #expect(!after.exists)
    }
  }

  @Test func `a conflicting write makes the block run again`() async throws {
    try await withDatabase { db in
      let document = db.document("a/b")
      try await document.setData(["n": 1])
      let attempts = Collected<Int>()
      try await db.runTransaction { transaction in
        attempts.append(transaction.attempt)
        let n = try transaction.getDocument(document)["n"] as? Int ?? 0
        if transaction.attempt == 1 { try await document.setData(["n": 10]) }
        transaction.updateData(["n": n + 1], forDocument: document)
      }
      #expect(attempts.all == [1, 2])
      #expect(try await document.getDocument()["n"] as? Int == 11)
    }
  }
}
