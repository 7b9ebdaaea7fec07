import HearthEngine
import HearthModel

/// Checks a history in the order that the engine claims (transactions-and-listeners, 8.1, 8.2).
///
/// Commit units are replayed on the naive twin in the order of their versions, and whatever
/// anybody read must be what the twin holds at that point. Linear, finds phantoms, and names the
/// first wrong read.
package struct HistoryChecker {
  private var reference = ReferenceDatabase()
  /// What is wrong, in words; empty if the history is strictly serializable.
  package private(set) var findings: [String] = []

  package static func check(_ history: History) -> [String] {
    var checker = HistoryChecker()
    checker.checkRealTime(history.operations)
    checker.replay(history)
    for (number, listener) in history.listeners.enumerated() {
      checker.checkLists("listener \(number)", listener)
    }
    return checker.findings
  }

  private mutating func find(_ text: String) {
    if findings.count < 20 { findings.append(text) }
  }

  // MARK: Replay

  private enum Event {
    case operation(HistoryOperation)
    case snapshot(listener: Int, ListenerHistory.Snapshot)
    /// The first state must not be older than what was acknowledged before registration.
    case registration(listener: Int, ListenerHistory.Snapshot)
  }

  private mutating func replay(_ history: History) {
    // At one version the commit comes first and those who read at it follow.
    var events: [(version: CommitVersion, rank: Int, event: Event)] = []
    for operation in history.operations {
      guard let version = operation.version else { continue }
      events.append((version, operation.isCommit ? 0 : 1, .operation(operation)))
    }
    for (number, listener) in history.listeners.enumerated() {
      for snapshot in listener.snapshots {
        events.append((snapshot.version, 1, .snapshot(listener: number, snapshot)))
      }
      if let first = listener.snapshots.first, first.version < listener.registeredAt {
        events.append((listener.registeredAt, 1, .registration(listener: number, first)))
      }
    }
    events.sort { ($0.version, $0.rank) < ($1.version, $1.rank) }
    for (version, _, event) in events {
      switch event {
      case .operation(let operation) where operation.isCommit: commit(operation, version)
      case .operation(let operation): checkReads(operation)
      case .snapshot(let number, let snapshot):
        compare(
          "listener \(number) at \(version.microseconds)", snapshot.documents,
          expected(history.listeners[number].target))
      case .registration(let number, let snapshot):
        compare(
          "listener \(number), registered after \(version.microseconds),", snapshot.documents,
          expected(history.listeners[number].target))
      }
    }
    if let final = history.final {
      compare(
        "the final state", final.sorted { $0.path < $1.path },
        reference.documents.values.sorted { $0.path < $1.path })
    }
    for (number, listener) in history.listeners.enumerated() where listener.isComplete {
      guard let last = listener.snapshots.last else {
        find("listener \(number) was never told anything")
        continue
      }
      compareContent("listener \(number) at the end", last.documents, expected(listener.target))
    }
  }

  private func expected(_ target: ListenTarget) -> [Document] {
    switch target {
    case .document(let path): reference.documents[path].map { [$0] } ?? []
    case .query(let query): reference.run(query)
    }
  }

  private mutating func commit(_ operation: HistoryOperation, _ version: CommitVersion) {
    if version <= reference.version {
      find("\(operation.name): version \(version.microseconds) was given twice")
    }
    checkReads(operation)
    do {
      let results = try reference.commit(operation.writes, version: version)
      if let told = operation.results, told != results {
        find("\(operation.name): results \(told), expected \(results)")
      }
    } catch {
      find("\(operation.name): committed, but in this order it fails: \(error)")
    }
  }

  private mutating func checkReads(_ operation: HistoryOperation) {
    for read in operation.reads {
      switch read {
      case .document(let path, let document):
        compare(
          "\(operation.name) reading '\(path)'", document.map { [$0] } ?? [],
          reference.documents[path].map { [$0] } ?? [])
      case .query(let query, let documents):
        compare(
          "\(operation.name) querying '\(query.collectionID)'", documents, reference.run(query))
      case .count(let query, let count):
        let expected = reference.run(query).count
        if count != expected {
          find(
            "\(operation.name) counting '\(query.collectionID)': got \(count), "
              + "expected \(expected)")
        }
      }
    }
  }

  private mutating func compare(_ who: String, _ got: [Document], _ expected: [Document]) {
    if got == expected { return }
    func text(_ documents: [Document]) -> String {
      documents.map { "\($0.path)@\($0.updateVersion.microseconds) \($0.fields.shortText)" }
        .joined(separator: ", ")
    }
    find("\(who): got [\(text(got))], expected [\(text(expected))]")
  }

  /// Versions aside: a document that was deleted and made again with equal content raises
  /// nothing, so that its listeners keep the old versions (5.2).
  private mutating func compareContent(_ who: String, _ got: [Document], _ expected: [Document]) {
    let isEqual =
      got.count == expected.count
      && zip(got, expected).allSatisfy { $0.path == $1.path && $0.fields == $1.fields }
    if !isEqual { compare(who, got, expected) }
  }

  // MARK: Real time

  /// What was acknowledged before an operation began comes before it in the order.
  private mutating func checkRealTime(_ operations: [HistoryOperation]) {
    var moments: [(stamp: Int, isReturn: Bool, operation: HistoryOperation)] = []
    for operation in operations where operation.version != nil {
      moments.append((operation.invoked, false, operation))
      // Nobody could rely on what nobody was told.
      if operation.isCertain { moments.append((operation.returned, true, operation)) }
    }
    moments.sort { $0.stamp < $1.stamp }
    var committed = CommitVersion.zero
    var read = CommitVersion.zero
    // What had been acknowledged when an operation began, by the stamp of its beginning.
    var atInvoke: [Int: (committed: CommitVersion, read: CommitVersion)] = [:]
    for moment in moments {
      let operation = moment.operation
      guard let version = operation.version else { continue }
      guard moment.isReturn else {
        atInvoke[operation.invoked] = (committed, read)
        continue
      }
      if let before = atInvoke[operation.invoked] {
        let isLate =
          operation.isCommit
          ? version > before.committed && version > before.read
          : version >= before.committed && version >= before.read
        if !isLate {
          find(
            "\(operation.name): version \(version.microseconds), although "
              + "\(max(before.committed, before.read).microseconds) was known before it began")
        }
      }
      if operation.isCommit {
        committed = max(committed, version)
      } else {
        read = max(read, version)
      }
    }
  }

  // MARK: Listeners

  /// Versions grow, and each change list leads from one result to the next.
  private mutating func checkLists(_ who: String, _ listener: ListenerHistory) {
    var list: [Document] = []
    var version: CommitVersion?
    for snapshot in listener.snapshots {
      if let version, snapshot.version <= version {
        find("\(who): version \(snapshot.version.microseconds) after \(version.microseconds)")
      }
      if version != nil, snapshot.changes.isEmpty { find("\(who): an event without a change") }
      version = snapshot.version
      for change in snapshot.changes {
        if !apply(change, to: &list) {
          find("\(who): \(change.kind) of '\(change.document.path)' has wrong indexes")
          return
        }
      }
      let ordered = snapshot.changes.map { HistoryChecker.rank($0.kind) }
      if ordered != ordered.sorted() {
        find("\(who): changes are not in the order removed, added, modified")
      }
      compareContent("\(who), its change lists applied,", list, snapshot.documents)
    }
  }

  private static func rank(_ kind: ListenerChange.Kind) -> Int {
    switch kind {
    case .removed: 0
    case .added: 1
    case .modified: 2
    }
  }

  /// Uses the indexes only; false if they make no sense.
  private func apply(_ change: ListenerHistory.Change, to list: inout [Document]) -> Bool {
    if let old = change.oldIndex {
      guard list.indices.contains(old), list[old].path == change.document.path else {
        return false
      }
      list.remove(at: old)
    }
    if let new = change.newIndex {
      guard new >= 0, new <= list.count else { return false }
      list.insert(change.document, at: new)
    }
    return switch change.kind {
    case .added: change.oldIndex == nil && change.newIndex != nil
    case .modified: change.oldIndex != nil && change.newIndex != nil
    case .removed: change.oldIndex != nil && change.newIndex == nil
    }
  }
}

extension Fields {
  /// For messages of failing tests.
  var shortText: String {
    "{" + map { "\($0.name): \($0.value)" }.joined(separator: ", ") + "}"
  }
}
