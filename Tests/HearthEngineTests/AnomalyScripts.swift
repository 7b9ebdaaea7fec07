import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// The scripted anomalies (transactions-and-listeners, 8.3; testing, 5.5).
///
/// The other transactions run inside of the first one's block, so that nothing hangs on timing.
enum AnomalyScript: String, Sendable, CaseIterable {
  case dirtyWrite = "G0"
  case abortedRead = "G1a"
  case intermediateRead = "G1b"
  case circularFlow = "G1c"
  case vanishing = "OTV"
  case predicateTwice = "PMP"
  case lostUpdate = "P4"
  case readSkew = "G-single"
  case writeSkew = "G2"
  case readOnlyAnomaly = "Fekete's read-only anomaly"
  case phantomInRange = "phantom by index range"
  case onCall = "write skew through a query"
  case earlierAttempt = "an earlier attempt's writes"
  case listenerInWindow = "listener inside of the window"

  func play(_ stage: AnomalyStage) async throws {
    switch self {
    case .dirtyWrite: try await stage.playDirtyWrite()
    case .abortedRead: try await stage.playAbortedRead()
    case .intermediateRead: try await stage.playIntermediateRead()
    case .circularFlow: try await stage.playCircularFlow()
    case .vanishing: try await stage.playVanishing()
    case .predicateTwice: try await stage.playPredicateTwice()
    case .lostUpdate: try await stage.playLostUpdate()
    case .readSkew: try await stage.playReadSkew()
    case .writeSkew: try await stage.playWriteSkew()
    case .readOnlyAnomaly: try await stage.playReadOnlyAnomaly()
    case .phantomInRange: try await stage.playPhantomInRange()
    case .onCall: try await stage.playOnCall()
    case .earlierAttempt: try await stage.playEarlierAttempt()
    case .listenerInWindow: try await stage.playListenerInWindow()
    }
  }
}

extension AnomalyStage {
  fileprivate func playDirtyWrite() async throws {
    @Sendable func tagged(_ tag: Int64) -> StructuredQuery {
      query(filter("tag", .equal, .integer(tag)))
    }
    @Sendable func tags(_ tag: Int64) throws -> Int {
      switch kind {
      case .documents:
        try ["x", "y"].count {
          try engine.get(doc($0)).document?.value(at: field("tag")) == .integer(tag)
        }
      case .query: try engine.run(tagged(tag)).documents.count
      case .count:
        try AnomalyStage.count(engine.aggregate(tagged(tag), [Aggregation(.count(upTo: nil))]))
      }
    }
    try await play { context, _ in
      try context.write(.set("r/x", ["tag": 1]))
      try await meanwhile { other in
        try other.write(.set("r/y", ["tag": 2]))
        try other.write(.set("r/x", ["tag": 2]))
      }
      let seen = try (tags(1), tags(2))
      #expect(seen == (0, 2))
      try context.write(.set("r/y", ["tag": 1]))
    }
    let seen = try (tags(1), tags(2))
    #expect(seen == (2, 0))
  }

  private struct Abort: Error {}

  fileprivate func playAbortedRead() async throws {
    await #expect(throws: Abort.self) {
      try await play { context, _ in
        let seen = try read("x", context)
        try context.write(add("x", to: seen))
        let outside = try look("x")
        #expect(outside == 0)
        try await meanwhile { other in
          let inside = try read("x", other)
          #expect(inside == 0)
        }
        throw Abort()
      }
    }
    try await meanwhile { other in
      let after = try read("x", other)
      #expect(after == 0)
    }
    try expectLedger("x", 0)
  }

  fileprivate func playIntermediateRead() async throws {
    try await play { context, _ in
      let seen = try read("x", context)
      let first = try add("x", to: seen + 6)
      try context.write(first)
      try await meanwhile { other in
        let inside = try read("x", other)
        #expect(inside == 0)
      }
      try context.write(Write(document: first.document, operation: .delete))
      try context.write(add("x", to: seen))
      let outside = try look("x")
      #expect(outside == 0)
    }
    try expectLedger("x", 1)
  }

  fileprivate func playCircularFlow() async throws {
    let seen = Lock((first: -1, second: -1))
    let runs = try await play { context, run in
      let (x, y) = try (read("x", context), read("y", context))
      seen.withLock { $0.first = y }
      if run == 1 {
        try await meanwhile { other in
          let (x, y) = try (read("x", other), read("y", other))
          seen.withLock { $0.second = x }
          try other.write(add("y", to: y))
        }
      }
      try context.write(add("x", to: x))
    }
    #expect(runs == 2)
    // One of them saw the other, and not both.
    #expect(seen.withLock { $0 } == (1, 0))
    try expectLedger("x", 1)
    try expectLedger("y", 1)
  }

  fileprivate func playVanishing() async throws {
    try await addMeanwhile("x", "y")
    let last = Lock((0, 0))
    try await play { context, run in
      let x = try read("x", context)
      if run == 1 { try await addMeanwhile("x", "y") }
      // What the first writer did to x was seen; it does not vanish from y.
      let y = try read("y", context)
      #expect(x == y)
      let again = try (read("x", context), read("y", context))
      #expect(again == (x, y))
      last.withLock { $0 = again }
      try context.write(.set("r/done", [:]))
    }
    #expect(last.withLock { $0 } == (2, 2))
  }

  fileprivate func playPredicateTwice() async throws {
    let seen = Lock(-1)
    let runs = try await play { context, run in
      let first = try read("x", context)
      if run == 1 { try await addMeanwhile("x") }
      do {
        let second = try read("x", context)
        #expect(second == first)
      } catch let error as HearthError where error.reason == "CONFLICT" {
        throw error
      }
      seen.withLock { $0 = first }
      try context.write(.set("r/done", [:]))
    }
    #expect(runs == 2)
    #expect(seen.withLock { $0 } == 1)
  }

  fileprivate func playLostUpdate() async throws {
    let runs = try await play { context, run in
      let seen = try read("x", context)
      if run == 1 { try await addMeanwhile("x") }
      try context.write(add("x", to: seen))
    }
    #expect(runs == 2)
    try expectLedger("x", 2)
  }

  fileprivate func playReadSkew() async throws {
    let runs = try await play { context, run in
      let x = try read("x", context)
      if run == 1 { try await addMeanwhile("x", "y") }
      // The run sees the old y or learns that it has lost, never a mixture.
      let y = try read("y", context)
      #expect(x == y)
      try context.write(.set("r/done", [:]))
    }
    #expect(runs == 2)
  }

  fileprivate func playWriteSkew() async throws {
    let runs = try await play { context, run in
      let (x, y) = try (read("x", context), read("y", context))
      if run == 1 {
        try await meanwhile { other in
          let (x, y) = try (read("x", other), read("y", other))
          if x + y == 0 { try other.write(add("y", to: y)) }
        }
      }
      if x + y == 0 {
        try context.write(add("x", to: x))
      } else {
        try context.write(.set("r/done", [:]))
      }
    }
    #expect(runs == 2)
    let total = try look("x") + look("y")
    #expect(total == 1)
  }

  fileprivate func playReadOnlyAnomaly() async throws {
    // A withdrawal that saw no deposit, although a report has seen that and no withdrawal.
    let seen = Lock(-1)
    let runs = try await play { context, run in
      let (x, y) = try (read("x", context), read("y", context))
      if run == 1 {
        try await addMeanwhile("y")
        var request = TransactionRequest()
        request.readOnly = true
        let report = try await engine.runTransaction(request) { other in
          try (read("x", other), read("y", other))
        }
        #expect(report == (0, 1))
      }
      seen.withLock { $0 = y }
      try context.write(add("x", to: x))
    }
    #expect(runs == 2)
    #expect(seen.withLock { $0 } == 1)
  }

  /// Without predicates: a document that was read as missing.
  fileprivate func playPhantomInRange() async throws {
    for number in [2, 4, 6, 8] {
      try await engine.set("d\(number)", ["n": .integer(Int64(number))])
    }
    let high = query(filter("n", .greaterThan, 5), order: [by("n")], limit: 3)
    @Sendable func count(_ context: TransactionContext) throws -> Int {
      switch kind {
      case .documents: try ["d6", "d7", "d8"].count { try context.get(doc($0)) != nil }
      case .query: try context.run(high).documents.count
      case .count:
        try AnomalyStage.count(context.aggregate(high, [Aggregation(.count(upTo: nil))]))
      }
    }
    for (added, runs, expected) in [("d3", 1, 2), ("d7", 2, 3)] {
      let seen = Lock(-1)
      let number = Int64(added.dropFirst()) ?? 0
      let done = try await play { context, run in
        let found = try count(context)
        if run == 1 {
          try await meanwhile { try $0.write(.set("r/\(added)", ["n": .integer(number)])) }
        }
        seen.withLock { $0 = found }
        try context.write(.set("r/done", [:]))
      }
      #expect(done == runs, "\(added)")
      #expect(seen.withLock { $0 } == expected, "\(added)")
    }
  }

  fileprivate func playOnCall() async throws {
    for id in ["x", "y"] { try await engine.set(id, ["on": .boolean(true)]) }
    let on = query(filter("on", .equal, .boolean(true)))
    @Sendable func leave(_ id: String, _ context: TransactionContext, _ count: Int) throws {
      if count < 2 { return try context.write(.set("r/refused", [:])) }
      try context.write(.set("r/\(id)", ["on": .boolean(false)]))
    }
    @Sendable func count(_ context: TransactionContext) throws -> Int {
      switch kind {
      case .documents:
        try ["x", "y"].count {
          try context.get(doc($0))?.value(at: field("on")) == .boolean(true)
        }
      case .query: try context.run(on).documents.count
      case .count: try AnomalyStage.count(context.aggregate(on, [Aggregation(.count(upTo: nil))]))
      }
    }
    let runs = try await play { context, run in
      let seen = try count(context)
      if run == 1 { try await meanwhile { try leave("y", $0, count($0)) } }
      try leave("x", context, seen)
    }
    #expect(runs == 2)
    let left = try engine.ids(on)
    #expect(left == ["x"])
  }

  fileprivate func playEarlierAttempt() async throws {
    let runs = try await play { context, run in
      let seen = try read("x", context)
      // What the earlier run added is not there; what made it lose is.
      #expect(seen == run - 1)
      let y = try read("y", context)
      #expect(y == 0)
      if run < 3 { try await addMeanwhile("x") }
      try context.write(add("x", to: seen))
      try context.write(add("y", to: y))
    }
    #expect(runs == 3)
    try expectLedger("x", 3)
    try expectLedger("y", 1)
  }

  fileprivate func playListenerInWindow() async throws {
    let target: ListenTarget =
      kind == .documents
      ? .document(doc("x")) : .query(query(filter("cell", .equal, "x")))
    let ear = Lock<Ear?>(nil)
    try await play { context, run in
      let seen = try read("x", context)
      try context.write(add("x", to: seen))
      if run == 1 {
        ear.withLock { $0 = Ear(engine, target) }
        try await addMeanwhile("x")
        await engine.waitForListeners()
      }
    }
    try expectLedger("x", 2)
    await engine.waitForListeners()
    guard let ear = ear.withLock({ $0 }) else { return }
    var states: [Int] = []
    while states.last != 2, let event = await ear.next() {
      let documents = try ear.snapshot(event).documents
      states.append(
        kind == .documents ? try numbers(documents.first).count : documents.count)
    }
    // Never what was only buffered, never back, and all of it in the end.
    #expect(states == states.sorted())
    #expect(states.last == 2)
    ear.listener.remove()
  }
}
