import Hearth
import HearthTestSupport
import Synchronization
import Testing

/// Reports about transactions, contention and counters (section A).
@Suite(.timeLimit(.minutes(30))) struct TransactionReports {
  private func number(_ document: DocumentReference, _ field: String = "n") async throws -> Int? {
    try await document.getDocument()[field] as? Int
  }

  /// Adds one to a counter, which may not exist yet; gives the value written.
  private func count(_ counter: DocumentReference, in database: Firestore) async throws -> Int {
    try await database.runTransaction { transaction in
      let next = (try transaction.getDocument(counter)["n"] as? Int ?? 0) + 1
      transaction.setData(["n": next], forDocument: counter)
      return next
    }
  }

  @Test func `BR-001: of ten who create and count, each is told a number of its own`() async throws
  {
    try await withDatabase { database in
      let counter = database.document("counters/c")
      let told = try await withThrowingTaskGroup(of: Int.self) { tasks in
        for _ in 0..<10 { tasks.addTask { try await count(counter, in: database) } }
        return try await tasks.reduce(into: []) { $0.append($1) }
      }
      #expect(told.sorted() == Array(1...10))
      let found1 = try await number(counter)
      #expect(found1 == 10)
      #expect(database.metrics.transactionRuns >= 10)
    }
  }

  @Test func `BR-002: five increments that nobody awaits all count`() async throws {
    try await withDatabase { database in
      let counter = database.document("counters/c")
      let results = Collected<String>()
      for _ in 0..<5 {
        database.runTransaction(
          { transaction, _ -> Any? in
            let now = try? transaction.getDocument(counter)["n"] as? Int
            transaction.setData(["n": (now ?? 0) + 1], forDocument: counter)
            return nil
          },
          completion: { _, error in results.append(error.map { "\($0)" } ?? "done") })
      }
      let found2 = try await results.wait(for: 5)
      #expect(found2 == Array(repeating: "done", count: 5))
      try await database.waitForPendingWrites()
      let found3 = try await number(counter)
      #expect(found3 == 5)
    }
  }

  @Test func `BR-004: 64 tasks on one document all commit, in two runs at most`() async throws {
    try await withDatabase { database in
      let counter = database.document("counters/c")
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for _ in 0..<64 { tasks.addTask { _ = try await count(counter, in: database) } }
        try await tasks.waitForAll()
      }
      let found5 = try await number(counter)
      #expect(found5 == 64)
      let metrics = database.metrics
      #expect(metrics.transactionsFailed == 0)
      // Whoever lost waits for a turn; a lease that ends on a busy machine costs another run.
      #expect(metrics.mostRuns <= 2 || metrics.leasesExpired > 0)
    }
  }

  @Test func `BR-005, BR-006: reading without writing commits, and what was read is protected`()
    async throws
  {
    try await withDatabase { database in
      let (a, b) = (database.document("names/ann"), database.document("names/bob"))
      try await a.setData(["n": 1])
      try await b.setData(["n": 1])
      let runs = try await database.runTransaction { transaction in
        _ = try transaction.getDocument(a)
        return transaction.attempt
      }
      #expect(runs == 1)
      let seen = Collected<Int>()
      try await database.runTransaction { transaction in
        _ = try transaction.getDocument(a)
        seen.append(try transaction.getDocument(b)["n"] as? Int ?? 0)
        if transaction.attempt == 1 { try await b.setData(["n": 2]) }
        transaction.setData(["n": 3], forDocument: a)
      }
      #expect(seen.all == [1, 2])
    }
  }

  @Test func `BR-007: the guard of a read holds for the first write of a document only`()
    async throws
  {
    try await withDatabase { database in
      let x = database.document("c/x")
      try await database.runTransaction { transaction in
        let found6 = try transaction.getDocument(x).exists
        #expect(!found6)
        transaction.setData(["a": 1], forDocument: x)
        transaction.updateData(["b": 2], forDocument: x)
        transaction.updateData(["a": FieldValue.increment(4)], forDocument: x)
      }
      let found7 = try await x.getDocument().fields
      #expect(found7 == ["a": .integer(5), "b": .integer(2)])
    }
  }

  @Test func `BR-008: a deleted document reads as missing and can be made again`() async throws {
    try await withDatabase { database in
      let document = database.document("c/d")
      try await document.setData(["v": 1])
      let before = try await document.getDocument().createTime
      try await document.delete()
      try await database.runTransaction { transaction in
        let found8 = try transaction.getDocument(document).exists
        #expect(!found8)
        transaction.setData(["v": 2], forDocument: document)
      }
      let after = try await document.getDocument()
      #expect(after["v"] as? Int == 2)
      #expect(try #require(after.createTime) > (try #require(before)))
    }
  }

  private struct Silent: Error, Equatable, CustomStringConvertible {
    var number: Int
    var description: String { "" }
  }

  @Test func `BR-010: an error without words comes at once, unchanged, after one run`()
    async throws
  {
    try await withDatabase { database in
      let thrown = await #expect(throws: Silent.self) {
        try await database.runTransaction { _ in throw Silent(number: 7) }
      }
      #expect(thrown == Silent(number: 7))
      #expect(database.metrics.transactionRuns == 1)
    }
  }

  @Test func `BR-011: a block may return nothing, nil, or something`() async throws {
    try await withDatabase { database in
      try await database.runTransaction { _ in }
      let none = try await database.runTransaction { _ -> Int? in nil }
      let some = try await database.runTransaction { _ -> Int? in 1 }
      #expect(none == nil && some == 1)
      let pointer = try await database.runTransaction { (_, _: NSErrorPointer) -> Any? in nil }
      #expect(pointer == nil)
    }
  }

  private struct Result: Sendable, Equatable { var n: Int }

  private actor Somebody {
    func transact(_ database: Firestore) async throws -> Result {
      try await database.runTransaction { _ in Result(n: 1) }
    }
  }

  @MainActor private func transactOnMain(_ database: Firestore) async throws -> Result {
    try await database.runTransaction { _ in Result(n: 2) }
  }

  @Test func `BR-012: results cross from a block to the main actor, an actor and nobody's`()
    async throws
  {
    try await withDatabase { database in
      let found10 = try await Somebody().transact(database)
      #expect(found10 == Result(n: 1))
      let found11 = try await transactOnMain(database)
      #expect(found11 == Result(n: 2))
      let free: @Sendable () async throws -> Result = {
        try await database.runTransaction { _ in Result(n: 3) }
      }
      let found12 = try await free()
      #expect(found12 == Result(n: 3))
    }
  }

  @Test func `BR-014: the error that is told is that of the last run`() async throws {
    try await withDatabase { database in
      let document = database.document("c/d")
      try await document.setData(["n": 1])
      let thrown = await #expect(throws: HearthError.self) {
        try await database.runTransaction { transaction in
          _ = try transaction.getDocument(document)
          if transaction.attempt == 1 { try await document.setData(["n": 2]) }
          if transaction.attempt == 2 {
            throw HearthError(.permissionDenied, "DENIED", "Not with me.")
          }
          transaction.updateData(["n": 3], forDocument: document)
        }
      }
      #expect(thrown?.reason == "DENIED")
      #expect(database.metrics.transactionRuns == 2)
    }
  }

  @Test func `BR-015: blind increments and transactions on one field all count`() async throws {
    try await withDatabase { database in
      let counter = database.document("counters/c")
      try await counter.setData(["n": 0])
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for _ in 0..<100 {
          tasks.addTask { try await counter.updateData(["n": FieldValue.increment(1)]) }
          tasks.addTask { _ = try await count(counter, in: database) }
        }
        try await tasks.waitForAll()
      }
      let found13 = try await number(counter)
      #expect(found13 == 200)
    }
  }

  @Test func `BR-017: a member list and its count agree in every version that anybody sees`()
    async throws
  {
    try await withDatabase { database in
      let event = database.document("events/e")
      try await event.setData(["members": [String](), "count": 0])
      let wrong = Collected<String>()
      let seen = Collected<Int>()
      let registration = event.addSnapshotListener { snapshot, _ in
        let count = snapshot?["count"] as? Int ?? -1
        let members = snapshot?["members"] as? [Any] ?? []
        if count != members.count || count < 0 { wrong.append("\(count) of \(members)") }
        seen.append(count)
      }
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for _ in 0..<20 {
          tasks.addTask {
            try await database.runTransaction { transaction in
              let members = try transaction.getDocument(event)["members"] as? [String] ?? []
              let isIn = members.contains("ann")
              transaction.updateData(
                [
                  "members": isIn
                    ? FieldValue.arrayRemove(["ann"]) : FieldValue.arrayUnion(["ann"]),
                  "count": FieldValue.increment(isIn ? -1 : 1),
                ], forDocument: event)
            }
          }
        }
        try await tasks.waitForAll()
      }
      let found14 = try await number(event, "count")
      #expect(found14 == 0)
      _ = try await seen.wait(for: 1)
      registration.remove()
      #expect(wrong.all == [])
    }
  }

  @Test(arguments: [2, 16])
  func `BR-018: of those who create one document one succeeds and nobody hangs`(
    _ tasks: Int
  ) async throws {
    try await withDatabase { database in
      let document = database.document("c/d")
      let gate = Collected<Int>()
      let reasons = await withTaskGroup(of: String?.self) { group in
        for task in 0..<tasks {
          group.addTask {
            await reason {
              try await database.runTransaction(maxAttempts: tasks == 2 ? 5 : 1) { transaction in
                _ = try transaction.getDocument(document)
                if transaction.attempt == 1 {
                  gate.append(task)
                  _ = try await gate.wait(for: tasks)
                }
                transaction.create(["by": task], forDocument: document)
              }
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(reasons.count { $0 == nil } == 1)
      let loser = tasks == 2 ? "DOCUMENT_EXISTS" : "CONTENTION"
      #expect(reasons.compactMap { $0 }.allSatisfy { $0 == loser }, "\(reasons)")
    }
  }

  @Test
  func `BR-019: a change from outside makes the block run again, without a trace of the first`()
    async throws
  {
    try await withDatabase { database in
      let counter = database.document("counters/c")
      try await counter.setData(["n": 0])
      let runs = Collected<Int>()
      try await database.runTransaction { transaction in
        let now = try transaction.getDocument(counter)["n"] as? Int ?? 0
        runs.append(now)
        if transaction.attempt == 1 {
          try await counter.setData(["n": 10])
          transaction.setData(["first": true], forDocument: database.document("c/trace"))
        }
        transaction.updateData(["n": now + 1], forDocument: counter)
      }
      #expect(runs.all == [0, 10])
      let found15 = try await number(counter)
      #expect(found15 == 11)
      let found16 = try await database.document("c/trace").getDocument().exists
      #expect(!found16)
    }
  }

  @Test func `BR-020: references in documents are of use, however these were read`() async throws {
    try await withDatabase { database in
      let (a, b) = (database.document("c/a"), database.document("c/b"))
      try await b.setData(["n": 1])
      try await a.setData(["ref": b])
      let found = try await database.runTransaction { transaction -> Int? in
        let reference = try transaction.getDocument(a)["ref"] as? DocumentReference
        let inQuery =
          try transaction.getDocuments(database.collection("c").order(by: "ref"))
          .documents.first?["ref"] as? DocumentReference
        #expect(reference == b && inQuery == b)
        return try reference.map { try transaction.getDocument($0)["n"] as? Int } ?? nil
      }
      #expect(found == 1)
      for try await snapshot in database.collection("c").order(by: "ref").snapshots {
        let reference = snapshot.documents.first?["ref"] as? DocumentReference
        let found17 = try await reference?.getDocument()["n"] as? Int
        #expect(found17 == 1)
        break
      }
    }
  }

  @Test func `BR-022: a query that lacks an index does not spoil its transaction`() async throws {
    try await withDatabase { database in
      let a = database.document("c/a")
      try await database.runTransaction { transaction in
        let query = database.collection("c").whereField("x", isEqualTo: 1).order(by: "y")
        let thrown = #expect(throws: HearthError.self) { try transaction.getDocuments(query) }
        #expect(thrown?.status == .failedPrecondition)
        transaction.setData(["n": 1], forDocument: a)
      }
      let found18 = try await number(a)
      #expect(found18 == 1)
    }
  }
}
