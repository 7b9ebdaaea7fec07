package import HearthModel

/// How one result differs from the one delivered before (transactions-and-listeners, 5.3).
package enum ChangeList {
  /// The changes that lead from `old` to `new`: removed, then added, then modified.
  ///
  /// Indexes refer to a working list that starts as `old` and takes the changes one after another.
  package static func changes(
    from old: [ViewEntry], to new: [ViewEntry], compare: (SortKey, SortKey) -> Int
  ) -> [ListenerChange] {
    if old.isEmpty {
      return new.enumerated().map { position, entry in
        ListenerChange(
          kind: .added, document: entry.document, oldIndex: nil, newIndex: position)
      }
    }
    var before: [DocumentPath: ViewEntry] = [:]
    for entry in old { before[entry.document.path] = entry }
    var after: Set<DocumentPath> = []
    var added: [ViewEntry] = []
    var modified: [ViewEntry] = []
    for entry in new {
      after.insert(entry.document.path)
      guard let known = before[entry.document.path] else {
        added.append(entry)
        continue
      }
      if !hasSameContent(known.document, entry.document) { modified.append(entry) }
    }
    let removed = old.filter { !after.contains($0.document.path) }

    var working = old
    func position(of key: SortKey) -> Int {
      var low = 0
      var high = working.count
      while low < high {
        let middle = (low + high) / 2
        if compare(working[middle].key, key) < 0 { low = middle + 1 } else { high = middle }
      }
      return low
    }
    var changes: [ListenerChange] = []
    for entry in removed {
      let position = position(of: entry.key)
      working.remove(at: position)
      changes.append(
        ListenerChange(
          kind: .removed, document: entry.document, oldIndex: position, newIndex: nil))
    }
    for entry in added {
      let position = position(of: entry.key)
      working.insert(entry, at: position)
      changes.append(
        ListenerChange(kind: .added, document: entry.document, oldIndex: nil, newIndex: position))
    }
    for entry in modified {
      guard let key = before[entry.document.path]?.key else { continue }
      let from = position(of: key)
      working.remove(at: from)
      let to = position(of: entry.key)
      working.insert(entry, at: to)
      changes.append(
        ListenerChange(kind: .modified, document: entry.document, oldIndex: from, newIndex: to))
    }
    return changes
  }

  /// What was deleted and created again with equal content, or changed and changed back between
  /// two deliveries, raises nothing (5.2).
  private static func hasSameContent(_ old: StoredDocument, _ new: StoredDocument) -> Bool {
    if old.updateVersion == new.updateVersion { return true }
    // Damage that cannot be compared counts as a change, so that its reader finds out.
    guard let fields = try? old.fields() else { return false }
    return fields == (try? new.fields())
  }
}
