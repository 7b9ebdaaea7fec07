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
    var before: [DocumentPath: CommitVersion] = [:]
    for entry in old { before[entry.document.path] = entry.document.updateVersion }
    var after: Set<DocumentPath> = []
    var added: [ViewEntry] = []
    var modified: [ViewEntry] = []
    for entry in new {
      after.insert(entry.document.path)
      switch before[entry.document.path] {
      case nil: added.append(entry)
      case entry.document.updateVersion?: break
      case _?: modified.append(entry)
      }
    }
    let removed = old.filter { !after.contains($0.document.path) }

    var working = old
    var keys: [DocumentPath: SortKey] = [:]
    if !modified.isEmpty { for entry in old { keys[entry.document.path] = entry.key } }
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
      guard let key = keys[entry.document.path] else { continue }
      let from = position(of: key)
      working.remove(at: from)
      let to = position(of: entry.key)
      working.insert(entry, at: to)
      if hasSameFields(from: old, before[entry.document.path], entry) { continue }
      changes.append(
        ListenerChange(kind: .modified, document: entry.document, oldIndex: from, newIndex: to))
    }
    return changes
  }

  /// A document that was deleted and created again with equal content raises nothing (5.2).
  private static func hasSameFields(
    from old: [ViewEntry], _ version: CommitVersion?, _ entry: ViewEntry
  ) -> Bool {
    guard entry.document.createVersion == entry.document.updateVersion,
      let before = old.first(where: { $0.document.path == entry.document.path })
    else { return false }
    return (try? before.document.fields()) == (try? entry.document.fields())
  }
}
