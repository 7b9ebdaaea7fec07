package import HearthModel

/// One member of a view: its place in the order, and the document.
package struct ViewEntry: Sendable {
  package var key: SortKey
  package var document: StoredDocument

  package init(key: SortKey, document: StoredDocument) {
    self.key = key
    self.document = document
  }
}

/// A whole result at one version, shared by all listeners of a view.
package struct ViewSnapshot: Sendable {
  package var version: CommitVersion
  /// In the order in which users see them.
  package var entries: [ViewEntry]
  /// How the result was read, when it last was read from the database.
  package var explanation: Explanation?

  package init(
    version: CommitVersion, entries: [ViewEntry], explanation: Explanation? = nil
  ) {
    self.version = version
    self.entries = entries
    self.explanation = explanation
  }
}

/// The live result of one query (transactions-and-listeners, 6.5): a struct that takes changes.
///
/// A limited view keeps spare members beyond its limit. Invariant: `members` holds exactly the
/// matching documents whose key is not beyond the horizon. The horizon never moves when a member
/// leaves, so only a run of departures longer than the spare makes the view read again.
package struct QueryView {
  package let query: NormalizedQuery
  package let matcher: QueryMatcher
  /// The first documents of the order that the result needs, nil for all.
  private let wanted: Int?
  private let capacity: Int?
  package private(set) var version: CommitVersion
  private var members: [ViewEntry]
  private var keys: [DocumentPath: SortKey]
  /// Beyond this key nothing is known; nil if the view knows everything.
  private var horizon: SortKey?

  /// A view of a query's whole result at one version, as far as its capacity reaches.
  package init(_ query: NormalizedQuery, members: [ViewEntry], version: CommitVersion) {
    self.query = query
    matcher = QueryMatcher(query)
    wanted = query.reach(query.limit)
    capacity = QueryView.capacity(of: query)
    self.version = version
    self.members = members
    keys = [:]
    load(members, version: version)
  }

  /// How many members a view reads: its limit and some spare ones.
  package static func capacity(of query: NormalizedQuery) -> Int? {
    query.limit.flatMap { limit in
      let (count, overflow) = limit.addingReportingOverflow(min(max(limit, 16), 256))
      return query.reach(overflow ? .max : count)
    }
  }

  /// Takes what a fresh run gave.
  package mutating func load(_ fresh: [ViewEntry], version: CommitVersion) {
    members = fresh
    keys = Dictionary(
      fresh.map { ($0.document.path, $0.key) }, uniquingKeysWith: { first, _ in first })
    horizon = capacity.flatMap { fresh.count >= $0 ? fresh.last?.key : nil }
    self.version = version
  }

  /// The result as users see it.
  package var snapshot: ViewSnapshot {
    var entries = Array(members.prefix(wanted ?? members.count).dropFirst(query.offset))
    if query.reversesResult { entries.reverse() }
    return ViewSnapshot(version: version, entries: entries)
  }

  /// Whether too few members are known, although there may be more.
  package var needsRefill: Bool {
    guard let wanted, horizon != nil else { return false }
    return members.count < wanted
  }

  /// Applies a group's changes.
  ///
  /// True if the visible result changed.
  package mutating func apply(_ changes: [ChangedDocument], version: CommitVersion) -> Bool {
    var touched = false
    for change in changes {
      if let old = keys.removeValue(forKey: change.path) {
        let position = self.position(of: old)
        touched = touched || isVisible(position)
        members.remove(at: position)
      }
      guard let after = change.after, matcher.matches(after.path, after.fields),
        let key = matcher.sortKey(after.path, after.fields)
      else { continue }
      if let horizon, matcher.compare(key, horizon) > 0 { continue }
      let position = self.position(of: key)
      members.insert(ViewEntry(key: key, document: StoredDocument(after)), at: position)
      keys[change.path] = key
      touched = touched || isVisible(position)
    }
    if let capacity, members.count > capacity {
      for dropped in members[capacity...] { keys[dropped.document.path] = nil }
      members.removeLast(members.count - capacity)
      horizon = members.last?.key
    }
    self.version = version
    return touched
  }

  /// Whether the member at a position is among those that users see, or moves one that is.
  private func isVisible(_ position: Int) -> Bool { wanted.map { position < $0 } ?? true }

  /// The position of a key, or where it belongs.
  private func position(of key: SortKey) -> Int {
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      if matcher.compare(members[middle].key, key) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
