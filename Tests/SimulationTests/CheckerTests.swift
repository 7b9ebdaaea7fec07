import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// The checker is only worth something if it rejects what is wrong: histories made by hand, each
/// with one anomaly.
@Suite struct CheckerTests {
  private let x = DocumentPath(collection: CollectionPath(unchecked: ["r"]), id: "x")
  private let y = DocumentPath(collection: CollectionPath(unchecked: ["r"]), id: "y")
  private let all = StructuredQuery(CollectionPath(unchecked: ["r"]))

  private func version(_ number: Int64) -> CommitVersion { CommitVersion(microseconds: number) }

  private func set(_ path: DocumentPath, _ n: Int64) -> Write {
    Write(
      document: path,
      operation: .update(fields: ["n": .integer(n)], mask: nil, transforms: []))
  }

  private func document(_ path: DocumentPath, _ n: Int64, at version: Int64) -> Document {
    Document(
      path: path, createVersion: self.version(1), updateVersion: self.version(version),
      fields: ["n": .integer(n)])
  }

  private func commit(
    _ name: String, _ times: (Int, Int), _ number: Int64, reads: [HistoryRead] = [],
    _ writes: [Write]
  ) -> HistoryOperation {
    HistoryOperation(
      name, invoked: times.0, returned: times.1, effect: .committed(version(number)),
      reads: reads, writes: writes)
  }

  /// x and y are 0.
  private var start: HistoryOperation { commit("start", (1, 2), 1, [set(x, 0), set(y, 0)]) }

  private func check(_ operations: [HistoryOperation]) -> [String] {
    var history = History()
    history.operations = [start] + operations
    return HistoryChecker.check(history)
  }

  @Test func `a serial history is accepted`() {
    let findings = check([
      commit("a", (3, 4), 2, reads: [.document(x, document(x, 0, at: 1))], [set(x, 1)]),
      commit("b", (5, 6), 3, reads: [.document(x, document(x, 1, at: 2))], [set(x, 2)]),
      HistoryOperation(
        "c", invoked: 7, returned: 8, effect: .read(version(3)),
        reads: [.query(all, [document(x, 2, at: 3), document(y, 0, at: 1)])]),
    ])
    #expect(findings == [])
  }

  @Test func `operations at the same time may stand in either order`() {
    let old = HistoryRead.document(x, document(x, 0, at: 1))
    let findings = check([
      commit("a", (3, 6), 2, reads: [old], [set(x, 1)]),
      HistoryOperation("b", invoked: 4, returned: 5, effect: .read(version(1)), reads: [old]),
    ])
    #expect(findings == [])
  }

  @Test func `a lost update is found`() {
    let old = HistoryRead.document(x, document(x, 0, at: 1))
    let findings = check([
      commit("a", (3, 5), 2, reads: [old], [set(x, 1)]),
      commit("b", (4, 6), 3, reads: [old], [set(x, 1)]),
    ])
    #expect(findings.count == 1 && findings[0].hasPrefix("b reading"))
  }

  @Test func `write skew is found`() {
    let both = [
      HistoryRead.document(x, document(x, 0, at: 1)),
      .document(y, document(y, 0, at: 1)),
    ]
    let findings = check([
      commit("a", (3, 5), 2, reads: both, [set(x, 1)]),
      commit("b", (4, 6), 3, reads: both, [set(y, 1)]),
    ])
    #expect(findings.count == 1 && findings[0].hasPrefix("b reading 'r/x'"))
  }

  @Test func `a phantom is found`() {
    let z = x.collection.document("z")
    let w = x.collection.document("w")
    let two = HistoryRead.query(all, [document(x, 0, at: 1), document(y, 0, at: 1)])
    let findings = check([
      commit("a", (3, 5), 2, reads: [two], [set(z, 0)]),
      commit("b", (4, 6), 3, reads: [two], [set(w, 0)]),
    ])
    #expect(findings.count == 1 && findings[0].hasPrefix("b querying"))
  }

  @Test func `a stale read is found although it is consistent`() {
    let findings = check([
      commit("a", (3, 4), 2, [set(x, 1)]),
      HistoryOperation(
        "b", invoked: 5, returned: 6, effect: .read(version(1)),
        reads: [.document(x, document(x, 0, at: 1))]),
    ])
    #expect(findings.count == 1 && findings[0].hasPrefix("b: version"))
  }

  @Test func `versions against real time are found`() {
    let findings = check([
      commit("a", (3, 4), 3, [set(x, 1)]), commit("b", (5, 6), 2, [set(y, 1)]),
    ])
    #expect(findings.count == 1 && findings[0].hasPrefix("b: version"))
  }

  @Test func `a version given twice is found`() {
    let findings = check([
      commit("a", (3, 5), 2, [set(x, 1)]), commit("b", (4, 6), 2, [set(y, 1)]),
    ])
    #expect(findings.contains { $0.contains("given twice") })
  }

  @Test func `a torn read is found`() {
    let findings = check([
      commit("a", (3, 5), 2, [set(x, 1), set(y, 1)]),
      HistoryOperation(
        "b", invoked: 4, returned: 6, effect: .read(version(2)),
        reads: [.query(all, [document(x, 1, at: 2), document(y, 0, at: 1)])]),
    ])
    #expect(findings.count == 1 && findings[0].hasPrefix("b querying"))
  }

  @Test func `a lost write is found in the final state`() {
    var history = History()
    history.operations = [start, commit("a", (3, 4), 2, [set(x, 1)])]
    history.final = [document(x, 0, at: 1), document(y, 0, at: 1)]
    #expect(HistoryChecker.check(history).count == 1)
    history.final = [document(x, 1, at: 2), document(y, 0, at: 1)]
    #expect(HistoryChecker.check(history) == [])
  }

  // MARK: Listeners

  private func listening(_ snapshots: [ListenerHistory.Snapshot]) -> [String] {
    var history = History()
    history.operations = [
      start, commit("a", (3, 4), 2, [set(x, 1)]), commit("b", (5, 6), 3, [set(x, 2)]),
    ]
    var listener = ListenerHistory(.document(x), registeredAt: version(1))
    listener.snapshots = snapshots
    listener.isComplete = true
    history.listeners = [listener]
    return HistoryChecker.check(history)
  }

  private func first(_ n: Int64, at version: Int64) -> ListenerHistory.Snapshot {
    let document = document(x, n, at: version)
    return ListenerHistory.Snapshot(
      version: self.version(version), documents: [document],
      changes: [ListenerHistory.Change(.added, document, from: nil, to: 0)])
  }

  private func next(_ n: Int64, at version: Int64) -> ListenerHistory.Snapshot {
    let document = document(x, n, at: version)
    return ListenerHistory.Snapshot(
      version: self.version(version), documents: [document],
      changes: [ListenerHistory.Change(.modified, document, from: 0, to: 0)])
  }

  @Test func `a listener may skip states but not the last one`() {
    #expect(listening([first(0, at: 1), next(2, at: 3)]) == [])
    #expect(listening([first(2, at: 3)]) == [])
    #expect(listening([first(0, at: 1), next(1, at: 2)]).count == 1)
    #expect(listening([]).count == 1)
  }

  @Test func `wrong states, indexes and orders of versions are found`() {
    #expect(!listening([first(1, at: 1), next(2, at: 3)]).isEmpty)
    #expect(!listening([first(2, at: 3), next(1, at: 2)]).isEmpty)
    var bad = next(2, at: 3)
    bad.changes[0].newIndex = 1
    #expect(!listening([first(0, at: 1), bad]).isEmpty)
    bad.changes = []
    #expect(!listening([first(0, at: 1), bad]).isEmpty)
  }
}
