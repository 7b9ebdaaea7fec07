import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@Suite struct ChangeListTests {
  private let matcher: QueryMatcher

  init() throws { matcher = QueryMatcher(try NormalizedQuery(query(order: [by("n")]))) }

  private func entry(
    _ id: String, _ n: Int, at updated: Int, created: Int = 1
  ) throws -> ViewEntry {
    let document = Document(
      path: doc(id), createVersion: version(created), updateVersion: version(updated),
      fields: ["n": .integer(Int64(n))])
    return ViewEntry(
      key: try #require(matcher.sortKey(document.path, document.fields)),
      document: StoredDocument(document))
  }

  private func changes(_ old: [ViewEntry], _ new: [ViewEntry]) -> [ListenerChange] {
    ChangeList.changes(from: old, to: new) { matcher.compare($0, $1) }
  }

  private func text(_ changes: [ListenerChange]) -> [String] {
    changes.map { change in
      "\(change.kind) \(change.document.path.id) "
        + "\(change.oldIndex.map(String.init) ?? "-") \(change.newIndex.map(String.init) ?? "-")"
    }
  }

  @Test func `the example of the specification`() throws {
    let old = try [entry("x", 10, at: 1), entry("y", 20, at: 1), entry("z", 30, at: 1)]
    let new = try [entry("y", 5, at: 2), entry("w", 25, at: 2, created: 2), entry("z", 30, at: 1)]
    #expect(
      text(changes(old, new)) == ["removed x 0 -", "added w - 1", "modified y 0 0"])
  }

  @Test func `an empty list grows from its front`() throws {
    let new = try [entry("a", 1, at: 1), entry("b", 2, at: 1), entry("c", 3, at: 1)]
    #expect(text(changes([], new)) == ["added a - 0", "added b - 1", "added c - 2"])
  }

  @Test func `equal lists have no changes`() throws {
    let list = try [entry("a", 1, at: 1), entry("b", 2, at: 1)]
    #expect(changes(list, list).isEmpty)
    #expect(changes([], []).isEmpty)
  }

  @Test func `a document that does not move is modified in its place`() throws {
    let old = try [entry("a", 1, at: 1), entry("b", 2, at: 1)]
    let new = try [entry("a", 1, at: 1), entry("b", 3, at: 2)]
    #expect(text(changes(old, new)) == ["modified b 1 1"])
  }

  @Test func `removed documents carry their old content`() throws {
    let change = try #require(try changes([entry("a", 7, at: 1)], []).first)
    #expect(try change.document.fields() == ["n": 7])
  }

  @Test func `deleted and created again with an equal value is no change`() throws {
    let old = try [entry("a", 1, at: 1), entry("b", 2, at: 1)]
    let equal = try [entry("a", 1, at: 3, created: 3), entry("b", 2, at: 1)]
    #expect(changes(old, equal).isEmpty)
    let other = try [entry("b", 2, at: 1), entry("a", 9, at: 3, created: 3)]
    #expect(text(changes(old, other)) == ["modified a 0 1"])
  }

  @Test func `a value that changed and changed back is no change`() throws {
    let old = try [entry("a", 1, at: 1), entry("b", 2, at: 1)]
    let new = try [entry("a", 1, at: 5), entry("b", 2, at: 1)]
    #expect(changes(old, new).isEmpty)
  }

  @Test func `a reader that uses only the indexes arrives at the new list`() throws {
    var generator = SeededGenerator(seed: testSeed("changeList"))
    let ids = (0..<9).map { "d\($0)" }
    func list(_ version: Int, from old: [ViewEntry]) throws -> [ViewEntry] {
      var entries: [ViewEntry] = []
      for id in ids where !generator.oneIn(3) {
        let known = old.first { $0.document.path.id == id }
        if let known, generator.oneIn(2) {
          entries.append(known)
        } else {
          let n = Int.random(in: 0..<5, using: &generator)
          let created = generator.oneIn(3) ? version : 1
          entries.append(try entry(id, n, at: version, created: created))
        }
      }
      return entries.sorted { matcher.compare($0.key, $1.key) < 0 }
    }
    for _ in 0..<(3000 * soakFactor) {
      let old = try list(1, from: [])
      let new = try list(2, from: old)
      let changes = changes(old, new)
      try check(changes, old, new)
    }
  }

  private func check(
    _ changes: [ListenerChange], _ old: [ViewEntry], _ new: [ViewEntry]
  ) throws {
    let ranks = changes.map { $0.kind == .removed ? 0 : $0.kind == .added ? 1 : 2 }
    #expect(ranks == ranks.sorted(), "removed, then added, then modified")
    for kind in [ListenerChange.Kind.removed, .added, .modified] {
      let keys = try changes.filter { $0.kind == kind }.map { change in
        try #require(matcher.sortKey(change.document.path, change.document.fields()))
      }
      for (a, b) in zip(keys, keys.dropFirst()) { #expect(matcher.compare(a, b) < 0) }
    }
    var working = old.map(\.document)
    for change in changes {
      switch change.kind {
      case .removed:
        let taken = working.remove(at: try #require(change.oldIndex))
        #expect(taken.path == change.document.path)
        #expect(change.newIndex == nil)
      case .added:
        #expect(change.oldIndex == nil)
        working.insert(change.document, at: try #require(change.newIndex))
      case .modified:
        let taken = working.remove(at: try #require(change.oldIndex))
        #expect(taken.path == change.document.path)
        #expect(try taken.fields() != change.document.fields())
        working.insert(change.document, at: try #require(change.newIndex))
      }
    }
    #expect(working.map(\.path) == new.map(\.document.path))
    for (mine, theirs) in zip(working, new) {
      #expect(try mine.fields() == theirs.document.fields())
    }
  }
}
