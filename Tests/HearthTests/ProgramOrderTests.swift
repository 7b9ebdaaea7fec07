import Hearth
import HearthTestSupport
import Testing

@Suite struct ProgramOrderTests {
  /// Issues writes without awaiting them, as code for the SDK does outside of `async` functions.
  private func submit(_ db: Firestore, _ name: String, _ count: Int) {
    for n in 0..<count {
      db.document("c/\(name)").setData(["n": n, "log": FieldValue.delete()], merge: true)
      let added = db.collection("added").addDocument(data: ["by": name])
      let batch = db.batch()
      batch.updateData(["n": n], forDocument: added)
      batch.commit()
    }
  }

  @Test func `un-awaited writes commit in program order from every thread`() async throws {
    try await withDatabase { db in
      let failures = Collected<String>()
      Firestore.unhandledWriteErrorHandler = { failures.append("\($0)") }
      defer { Firestore.unhandledWriteErrorHandler = nil }
      await withTaskGroup(of: Void.self) { group in
        for thread in 0..<8 {
          let priorities: [TaskPriority] = [.low, .medium, .high]
          group.addTask(priority: priorities[thread % 3]) { submit(db, "t\(thread)", 100) }
        }
      }
      try await db.waitForPendingWrites()
      for thread in 0..<8 {
        #expect(try await db.document("c/t\(thread)").getDocument()["n"] as? Int == 99)
      }
      #expect(failures.all == [])
      #expect(try await db.collection("added").getDocuments().count == 800)
    }
  }

  private func set(_ document: DocumentReference, _ n: Int) { document.setData(["n": n]) }

  @Test func `a read sees the writes submitted before it`() async throws {
    try await withDatabase { db in
      let document = db.document("c/d")
      for n in 0..<300 {
        set(document, n)
        #expect(try await document.getDocument()["n"] as? Int == n)
      }
      set(document, 1000)
      for try await snapshot in document.snapshots {
        #expect(snapshot["n"] as? Int == 1000)
        break
      }
      set(document, 2000)
      let read = try await db.runTransaction { try $0.getDocument(document)["n"] as? Int }
      #expect(read == 2000)
    }
  }
}
