import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// Expects that there is nothing to take.
private func expectSilence(
  _ event: ListenerEvent?, _ location: SourceLocation = #_sourceLocation
) {
  if let event { Issue.record("\(event)", sourceLocation: location) }
}

/// What listeners see (transactions-and-listeners, 5).
@Suite(.timeLimit(.minutes(30))) struct ListenerTests {
  private let byN = ListenTarget.query(query(order: [by("n")]))

  @Test func `the first snapshot comes once, also when it is empty, also for a second listener`()
    async throws
  {
    try await withEngine { (engine: Engine) async throws in
      for _ in 0..<2 {
        let ear = Ear(engine, byN)
        #expect(try await ear.ids() == [])
        await engine.waitForListeners()
        expectSilence(ear.listener.take())
      }
      #expect(engine.metrics.snapshotsRaised == 2)
    }
  }

  @Test func `the first snapshot adds everything in order and includes writes not awaited`()
    async throws
  {
    try await withEngine { engine in
      for number in 0..<5 {
        engine.submit(
          [try .set("r/d\(number)", ["n": .integer(Int64(-number))])], completion: nil)
      }
      let ear = Ear(engine, byN)
      let snapshot = try ear.snapshot(await ear.next())
      #expect(snapshot.documents.map(\.path.id) == ["d4", "d3", "d2", "d1", "d0"])
      #expect(snapshot.changes.map(\.newIndex) == [0, 1, 2, 3, 4])
      #expect(snapshot.changes.allSatisfy { $0.kind == .added && $0.oldIndex == nil })
    }
  }

  @Test func `a write that changes nothing raises nothing`() async throws {
    try await withEngine { engine in
      try await engine.set("a", ["n": 1])
      let (list, one) = (Ear(engine, byN), Ear(engine, .document(doc("a"))))
      _ = (await list.next(), await one.next())
      try await engine.set("a", ["n": 1])
      _ = try await engine.commit([.delete("r/missing")])
      _ = try await engine.commit([.delete("r/a"), .set("r/a", ["n": 1])])
      _ = try await engine.commit([.set("r/a", ["n": 2]), .set("r/a", ["n": 1])])
      await engine.waitForListeners()
      expectSilence(list.listener.take())
      expectSilence(one.listener.take())
    }
  }

  @Test func `a field that the query does not name is a change, too`() async throws {
    try await withEngine { engine in
      try await engine.set("a", ["n": 1])
      let ear = Ear(engine, byN)
      _ = await ear.next()
      try await engine.set("a", ["n": 1, "other": 1])
      let changes = try ear.snapshot(await ear.next()).changes
      #expect(changes.map(\.kind) == [.modified])
      #expect(changes.first?.oldIndex == changes.first?.newIndex)
    }
  }

  @Test func `a missing index is the only event`() async throws {
    try await withEngine { engine in
      let lacking = query(filter("a", .equal, 1), order: [by("n")])
      let ear = Ear(engine, .query(lacking))
      guard case .failure(let error)? = await ear.next() else {
        Issue.record("no error")
        return
      }
      #expect(error.reason == "INDEX_MISSING")
      #expect(ear.listener.isEnded)
      try await engine.createIndex(index(("a", .ascending), ("n", .ascending)))
      try await engine.set("x", ["a": 1, "n": 1])
      await engine.waitForListeners()
      expectSilence(ear.listener.take())
      ear.listener.remove()
    }
  }

  @Test func `a window is exact: leaving, entering and what stays outside`() async throws {
    try await withEngine { engine in
      for number in 0..<40 { try await engine.set("d\(number)", ["n": .integer(Int64(number))]) }
      for toLast in [false, true] {
        var window = query(order: [by("n")], limit: 2)
        window.limitIsToLast = toLast
        let ear = Ear(engine, .query(window))
        #expect(try await ear.ids() == (toLast ? ["d38", "d39"] : ["d0", "d1"]))
        try await engine.set("d20", ["n": 20, "m": .boolean(toLast)])
        await engine.waitForListeners()
        expectSilence(ear.listener.take())
        try await engine.set("new", ["n": toLast ? 99 : -1])
        let pushed = try ear.snapshot(await ear.next())
        #expect(pushed.documents.map(\.path.id) == (toLast ? ["d39", "new"] : ["new", "d0"]))
        #expect(pushed.changes.map(\.kind) == [.removed, .added])
        #expect(pushed.changes[0].document.path.id == (toLast ? "d38" : "d1"))
        _ = try await engine.commit([.delete("r/new")])
        #expect(try await ear.ids() == (toLast ? ["d38", "d39"] : ["d0", "d1"]))
        ear.listener.remove()
      }
    }
  }

  @Test func `a window that runs dry reads again and shows no state in between`() async throws {
    try await withEngine { engine in
      _ = try await engine.commit(
        (0..<60).map { try .set("r/d\(100 + $0)", ["n": .integer(Int64($0))]) })
      let ear = Ear(engine, .query(query(order: [by("n")], limit: 3)))
      _ = await ear.next()
      _ = try await engine.commit((0..<40).map { try .delete("r/d\(100 + $0)") })
      let snapshot = try ear.snapshot(await ear.next())
      #expect(snapshot.documents.map(\.path.id) == ["d140", "d141", "d142"])
      #expect(
        snapshot.changes.map(\.kind) == Array(repeating: .removed, count: 3)
          + Array(repeating: .added, count: 3))
      #expect(engine.metrics.refills == 1)
    }
  }

  @Test func `a document listener sees missing, created, changed, deleted and created again`()
    async throws
  {
    try await withEngine { engine in
      let ear = Ear(engine, .document(doc("a")))
      #expect(try await ear.ids() == [])
      for n in [1, 2] as [Int64] {
        try await engine.set("a", ["n": .integer(n)])
        let snapshot = try ear.snapshot(await ear.next())
        #expect(try snapshot.documents.first?.fields() == ["n": .integer(n)])
      }
      _ = try await engine.commit([.delete("r/a")])
      #expect(try await ear.ids() == [])
      _ = try await engine.commit([.delete("r/a")])
      await engine.waitForListeners()
      expectSilence(ear.listener.take())
      try await engine.set("a", ["n": 2])
      #expect(try await ear.ids() == ["a"])
    }
  }

  @Test func `equal queries share a view, and others are not asked`() async throws {
    try await withEngine { engine in
      var ears: [Ear] = []
      for number in 0..<10 {
        let target = query(filter("a", .equal, .integer(Int64(number / 5))))
        ears.append(Ear(engine, .query(target)))
        _ = await ears[number].next()
      }
      let before = engine.metrics.matchCandidates
      try await engine.set("x", ["a": 0])
      await engine.waitForListeners()
      #expect(engine.metrics.matchCandidates == before + 1)
      for (number, ear) in ears.enumerated() {
        #expect(ear.listener.take().map { _ in true } ?? false == (number < 5))
      }
    }
  }

  @Test func `after removal nothing comes, and the view goes with its last listener`() async throws
  {
    try await withEngine { engine in
      let (first, second) = (Ear(engine, byN), Ear(engine, byN))
      _ = (await first.next(), await second.next())
      try await engine.set("a", ["n": 1])
      await engine.waitForListeners()
      first.listener.remove()
      first.listener.remove()
      expectSilence(first.listener.take())
      #expect(try await second.ids() == ["a"])
      second.listener.remove()
      await engine.waitForListeners()
      let before = engine.metrics
      try await engine.set("b", ["n": 1])
      await engine.waitForListeners()
      #expect(engine.metrics.matchCandidates == before.matchCandidates)
      #expect(engine.metrics.snapshotsRaised == before.snapshotsRaised)
    }
  }

  @Test func `a slow consumer takes one merged snapshot whose changes reproduce it`() async throws {
    var generator = SeededGenerator(seed: testSeed("slowConsumer"))
    try await withEngine { engine in
      let ear = Ear(engine, byN)
      var known = try ear.snapshot(await ear.next()).documents
      for _ in 0..<(30 * soakFactor) {
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
          let id = "d\(Int.random(in: 0..<8, using: &generator))"
          if generator.oneIn(3) {
            _ = try await engine.commit([.delete("r/\(id)")])
          } else {
            try await engine.set(id, ["n": .integer(Int64.random(in: 0..<4, using: &generator))])
          }
        }
        await engine.waitForListeners()
        guard let event = ear.listener.take() else { continue }
        let snapshot = try ear.snapshot(event)
        expectSilence(ear.listener.take())
        for change in snapshot.changes {
          if let index = change.oldIndex {
            #expect(known.remove(at: index).path == change.document.path)
          }
          if let index = change.newIndex { known.insert(change.document, at: index) }
        }
        #expect(known.map(\.path) == snapshot.documents.map(\.path))
        #expect(try known.map { try $0.fields() } == snapshot.documents.map { try $0.fields() })
        let expected = try engine.run(query(order: [by("n")]))
        #expect(snapshot.documents.map(\.path) == expected.documents.map(\.path))
        #expect(snapshot.version <= expected.version)
      }
    }
  }

  @Test func `all snapshots of an in-sync round carry one version`() async throws {
    try await withEngine { engine in
      let ears = [byN, .query(query()), .document(doc("a")), .document(doc("b"))].map {
        Ear(engine, $0)
      }
      for ear in ears { _ = await ear.next() }
      let rounds = Lock<[[CommitVersion]]>([])
      let hook = engine.onInSync {
        let versions = ears.compactMap { ear -> CommitVersion? in
          guard case .snapshot(let snapshot)? = ear.listener.take() else { return nil }
          return snapshot.version
        }
        rounds.withLock { $0.append(versions) }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<4 {
          group.addTask {
            for number in 0..<20 {
              let n = Value.integer(Int64(task * 100 + number))
              _ = try await engine.commit([.set("r/a", ["n": n]), .set("r/b", ["n": n])])
            }
          }
        }
        try await group.waitForAll()
      }
      await engine.waitForListeners()
      hook.remove()
      let seen = rounds.withLock { $0 }
      #expect(!seen.isEmpty)
      for versions in seen { #expect(versions.count == 4 && Set(versions).count == 1) }
      #expect(seen.map { $0[0] } == seen.map { $0[0] }.sorted())
      #expect(try seen.last?.first == engine.headVersion())
      let count = seen.count
      try await engine.set("a", ["n": -1])
      await engine.waitForListeners()
      #expect(rounds.withLock { $0.count } == count)
    }
  }

  @Test func `a reopened database gives first snapshots without any commit`() async throws {
    try await withReopening { database in
      _ = try await database.withEngine { try await $0.set("a", ["n": 1]) }
      try await database.withEngine { (engine: Engine) async throws in
        #expect(try await Ear(engine, byN).ids() == ["a"])
        #expect(try await Ear(engine, .document(doc("a"))).ids() == ["a"])
      }
    }
  }

  @Test func `a completion comes after the listeners' events of its commit`() async throws {
    try await withEngine { engine in
      let ear = Ear(engine, byN)
      _ = await ear.next()
      for number in 0..<50 {
        let seen = await withCheckedContinuation { continuation in
          let write = Write(
            document: doc("a"),
            operation: .update(
              fields: ["n": .integer(Int64(number))], mask: nil, transforms: []))
          engine.submit([write]) { outcome in
            guard case .success(let result) = outcome,
              case .snapshot(let snapshot)? = ear.listener.take()
            else { return continuation.resume(returning: false) }
            continuation.resume(returning: snapshot.version >= result.version)
          }
        }
        #expect(seen)
      }
    }
  }

  @Test func `every registration under way of writes ends in the newest state`() async throws {
    try await withEngine { engine in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for number in 0..<100 {
            try await engine.set("d\(number % 10)", ["n": .integer(Int64(number))])
          }
        }
        let ears = (0..<20).map { _ in Ear(engine, byN) }
        for ear in ears { _ = await ear.next() }
        try await group.waitForAll()
        await engine.waitForListeners()
        let expected = try engine.ids(query(order: [by("n")]))
        for ear in ears {
          if let event = ear.listener.take() {
            #expect(try ear.snapshot(event).documents.map(\.path.id) == expected)
          }
        }
        let late = Ear(engine, byN)
        #expect(try await late.ids() == expected)
      }
    }
  }

  @Test func `dropping the index of a live query ends it when it has to read again`() async throws {
    try await withEngine { engine in
      let composite = index(("a", .ascending), ("n", .ascending))
      try await engine.createIndex(composite)
      _ = try await engine.commit(
        (0..<40).map { try .set("r/d\(100 + $0)", ["a": 1, "n": .integer(Int64($0))]) })
      let ear = Ear(engine, .query(query(filter("a", .equal, 1), order: [by("n")], limit: 2)))
      _ = await ear.next()
      try await engine.dropIndex(composite)
      _ = try await engine.commit((0..<30).map { try .delete("r/d\(100 + $0)") })
      guard case .failure(let error)? = await ear.next() else {
        Issue.record("no error")
        return
      }
      #expect(error.reason == "INDEX_MISSING")
      await engine.waitForListeners()
      expectSilence(ear.listener.take())
    }
  }

  @Test func `closing ends listeners in silence`() async throws {
    try await withEngine { engine in
      let ear = Ear(engine, byN)
      _ = await ear.next()
      await engine.close()
      expectSilence(ear.listener.take())
      let late = Ear(engine, byN)
      guard case .failure(let error)? = await late.next() else {
        Issue.record("no error")
        return
      }
      #expect(error.reason == "DATABASE_CLOSED")
    }
  }
}
