import Hearth
import HearthTestSupport
import Testing

@Suite struct ListeningTests {
  @Test func `a listener gets the result now and after each change, with positions`() async throws {
    try await withDatabase { db in
      let all = db.collection("c")
      for (id, n) in [("x", 10), ("y", 20), ("z", 30)] {
        try await all.document(id).setData(["n": n])
      }
      let events = Collected<[String]>()
      let none = UInt(NSNotFound)
      let registration = all.order(by: "n").addSnapshotListener { snapshot, error in
        let changes = snapshot?.documentChanges ?? []
        events.append(
          changes.map { change in
            let old = change.oldIndex == none ? "-" : "\(change.oldIndex)"
            let new = change.newIndex == none ? "-" : "\(change.newIndex)"
            return "\(change.type) \(change.document.documentID) \(old) \(new)"
          })
      }
      #expect(
        try await events.wait(for: 1).first == ["added x - 0", "added y - 1", "added z - 2"])

      let batch = db.batch()
      batch.updateData(["n": 5], forDocument: all.document("y"))
      batch.deleteDocument(all.document("x"))
      batch.setData(["n": 25], forDocument: all.document("w"))
      try await batch.commit()
      #expect(
        try await events.wait(for: 2).last == ["removed x 0 -", "added w - 1", "modified y 0 0"])

      registration.remove()
      try await all.document("v").setData(["n": 1])
      try await db.waitForListeners()
      try await Task.sleep(for: .milliseconds(50))
      #expect(events.all.count == 2)
    }
  }

  @Test func `a document listener sees creation, change and deletion`() async throws {
    try await withDatabase { db in
      let document = db.document("a/b")
      let events = Collected<Int?>()
      let registration = document.addSnapshotListener { snapshot, _ in
        events.append(snapshot?.exists == true ? snapshot?["n"] as? Int : nil)
      }
      _ = try await events.wait(for: 1)
      try await document.setData(["n": 1])
      _ = try await events.wait(for: 2)
      try await document.setData(["n": 2])
      _ = try await events.wait(for: 3)
      try await document.delete()
      #expect(try await events.wait(for: 4) == [nil, 1, 2, nil])
      registration.remove()
    }
  }

  @Test func `change lists of a sequence reproduce its documents`() async throws {
    try await withDatabase { db in
      let all = db.collection("c")
      let writer = Task {
        for n in 0..<200 {
          let document = all.document("d\(n % 17)")
          if n % 5 == 4 {
            try await document.delete()
          } else {
            try await document.setData(["n": n * 7 % 31])
          }
        }
        try await all.document("end").setData(["n": 1000])
      }
      var list: [String] = []
      for try await snapshot in all.order(by: "n").snapshots {
        for change in snapshot.documentChanges {
          if let old = change.oldPosition { list.remove(at: old) }
          if let new = change.newPosition { list.insert(change.document.documentID, at: new) }
        }
        #expect(list == snapshot.documents.map(\.documentID))
        if list.last == "end" { break }
      }
      try await writer.value
    }
  }

  @Test func `cancelling the task ends a sequence without an error`() async throws {
    try await withDatabase { db in
      let seen = Collected<Int>()
      let task = Task {
        for try await snapshot in db.collection("c").snapshots { seen.append(snapshot.count) }
        return "ended"
      }
      _ = try await seen.wait(for: 1)
      task.cancel()
      #expect(try await task.value == "ended")
    }
  }

  @Test func `terminating ends sequences and silences listeners`() async throws {
    try await withDatabase { db in
      let seen = Collected<Int>()
      let errors = Collected<String>()
      let task = Task {
        for try await snapshot in db.collection("c").snapshots { seen.append(snapshot.count) }
        return "ended"
      }
      db.collection("c").addSnapshotListener { snapshot, error in
        if let error { errors.append("\(error)") } else { seen.append(snapshot?.count ?? -1) }
      }
      _ = try await seen.wait(for: 2)
      try await db.terminate()
      #expect(try await task.value == "ended")
      #expect(errors.all == [])
    }
  }

  @Test func `a listener's error comes once and ends it`() async throws {
    try await withDatabase { db in
      let errors = Collected<String>()
      let query = db.collection("c").whereField("a", isEqualTo: 1).order(by: "b")
      query.addSnapshotListener { snapshot, error in
        errors.append((error as? HearthError)?.reason ?? "snapshot")
      }
      let seen = try await errors.wait(for: 1)
      #expect(seen == ["INDEX_MISSING"])
      #expect(
        await reason { for try await _ in query.snapshots {} } == "INDEX_MISSING")
    }
  }

  @Test func `a commit's events come before its completion`() async throws {
    try await withDatabase { db in
      let document = db.document("a/b")
      let log = Collected<String>()
      let registration = document.addSnapshotListener { snapshot, _ in
        log.append("event \(snapshot?["n"] as? Int ?? 0)")
      }
      _ = try await log.wait(for: 1)
      for n in 1...50 {
        document.setData(["n": n], completion: { _ in log.append("completion \(n)") })
        let entries = try await log.wait(for: 1 + 2 * n)
        #expect(Array(entries.suffix(2)) == ["event \(n)", "completion \(n)"])
      }
      registration.remove()
    }
  }

  @Test func `the in-sync listener is called at once and after rounds`() async throws {
    try await withDatabase { db in
      let rounds = Collected<Int>()
      let sync = db.addSnapshotsInSyncListener { rounds.append(1) }
      _ = try await rounds.wait(for: 1)
      let registration = db.collection("c").addSnapshotListener { _, _ in }
      try await db.document("c/x").setData(["n": 1])
      #expect(try await rounds.wait(for: 2).count >= 2)
      sync.remove()
      registration.remove()
    }
  }
}
