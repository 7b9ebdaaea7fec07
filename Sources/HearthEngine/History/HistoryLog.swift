package import HearthModel

/// Documents as they were before recent commit units, so that an earlier version can be read
/// (transactions-and-listeners, 7.9).
///
/// Units are added before their group is on disk, and taken back if it does not get there.
package struct HistoryLog: Sendable {
  private struct Entry {
    var version: CommitVersion
    var path: DocumentPath
    var byteCount: Int
  }

  private struct State {
    var version: CommitVersion
    /// The document until that version, nil if there was none.
    var before: Document?
  }

  /// In the order of versions; those in front of `first` are gone.
  private var entries: [Entry] = []
  private var first = 0
  /// In the order of versions.
  private var states: [DocumentPath: [State]] = [:]
  /// Everything that changed after this version is here.
  package private(set) var start: CommitVersion
  /// What is held, in bytes, about.
  package private(set) var byteCount = 0

  package init(start: CommitVersion) { self.start = start }

  /// How many states are held.
  package var count: Int { entries.count - first }

  /// Takes what a commit unit has changed.
  ///
  /// Sizes cost a walk over every field, so they are taken only where the log is to be kept.
  package mutating func add(
    _ changes: [CommitUnit.Change], at version: CommitVersion, measured: Bool
  ) {
    for change in changes where change.isChange {
      var size = 256
      if measured, let before = change.before {
        size += before.fields.documentSize(path: change.path)
      }
      entries.append(Entry(version: version, path: change.path, byteCount: size))
      states[change.path, default: []].append(State(version: version, before: change.before))
      byteCount += size
    }
  }

  /// Forgets the newest units, whose group was not written.
  package mutating func takeBack(after head: CommitVersion) {
    while count > 0, let last = entries.last, last.version > head {
      entries.removeLast()
      byteCount -= last.byteCount
      states[last.path]?.removeLast()
      if states[last.path]?.isEmpty == true { states[last.path] = nil }
    }
  }

  /// Forgets what nobody needs who reads at `floor` or later.
  package mutating func trim(to floor: CommitVersion) {
    while first < entries.count, entries[first].version <= floor { dropFirst() }
    start = max(start, floor)
    compact()
  }

  /// Forgets the oldest units until the rest fits; all states of a unit go together.
  package mutating func trim(toBytes limit: Int) {
    while byteCount > limit, first < entries.count {
      let version = entries[first].version
      while first < entries.count, entries[first].version == version { dropFirst() }
      start = max(start, version)
    }
    compact()
  }

  private mutating func dropFirst() {
    let entry = entries[first]
    first += 1
    byteCount -= entry.byteCount
    states[entry.path]?.removeFirst()
    if states[entry.path]?.isEmpty == true { states[entry.path] = nil }
  }

  private mutating func compact() {
    if first == entries.count {
      entries.removeAll(keepingCapacity: entries.count < 1024)
    } else if first > 64, first * 2 > entries.count {
      entries.removeFirst(first)
    } else {
      return
    }
    first = 0
  }

  // MARK: Reading

  /// The document as it was at `version`, for one who sees everything up to `head`; nil if it has
  /// not changed in between.
  package func state(
    of path: DocumentPath, at version: CommitVersion, seenFrom head: CommitVersion
  ) -> Document?? {
    guard let change = states[path]?.first(where: { $0.version > version }), change.version <= head
    else { return nil }
    return .some(change.before)
  }

  /// All documents that changed after `version` and not after `head`, as they were at `version`.
  package func states(
    at version: CommitVersion, seenFrom head: CommitVersion,
    where isWanted: (DocumentPath) -> Bool
  ) -> [DocumentPath: Document?] {
    var found: [DocumentPath: Document?] = [:]
    for entry in entries[first...].reversed() {
      if entry.version <= version { break }
      if found[entry.path] != nil || !isWanted(entry.path) { continue }
      if let state = state(of: entry.path, at: version, seenFrom: head) {
        found[entry.path] = .some(state)
      }
    }
    return found
  }
}
