import Hearth
import HearthTestSupport
import Testing

/// Reports about trees of documents (section I).
@Suite struct TreeReports {
  private func paths(_ references: [DocumentReference]) -> [String] { references.map(\.path) }

  @Test func `BR-138: what lies below a deleted document can be listed and deleted`() async throws {
    try await withDatabase { database in
      let parent = database.document("a/1")
      try await parent.setData(["n": 0])
      for start in stride(from: 0, to: 1000, by: 500) {
        let batch = database.batch()
        for number in start..<start + 500 {
          batch.setData(["n": number], forDocument: parent.collection("x").document("\(number)"))
        }
        try await batch.commit()
      }
      try await database.document("a/1/x/7/y/deep").setData(["n": 1])
      try await database.document("a/2").setData([:])
      try await database.document("b/3/z/4").setData([:])
      try await parent.delete()

      let children = try await parent.collection("x").getDocuments()
      #expect(children.count == 1000)
      let all = try await database.collection("a").listDocuments()
      #expect(paths(all) == ["a/1", "a/2"])
      let present = try await database.collection("a").listDocuments(showMissing: false)
      #expect(paths(present) == ["a/2"])
      let missing = try await database.collection("b").listDocuments()
      #expect(paths(missing) == ["b/3"])
      let roots = try await database.listCollections()
      #expect(roots.map(\.path) == ["a", "b"])
      let below = try await parent.listCollections()
      #expect(below.map(\.path) == ["a/1/x"])

      let deleted = try await database.recursiveDelete(parent)
      #expect(deleted == 1001)
      let rest = try await database.collection("a").listDocuments()
      #expect(paths(rest) == ["a/2"])
      let none = try await parent.listCollections()
      #expect(none.isEmpty)
      let again = try await database.recursiveDelete(parent)
      #expect(again == 0)
      let collection = try await database.recursiveDelete(database.collection("b"))
      #expect(collection == 1)
      let report = try await database.verify()
      #expect(report.documents == 1 && report.indexEntries == 0 && report.findings == [])
    }
  }

  @Test func `listing agrees with what exists, whatever the ids are`() async throws {
    var random = RandomValues(seed: testSeed("trees"))
    let ids = ["1", "-", "a", "a-", "a0", "é", "e\u{301}", "__id7__", "\u{1}", "!"]
    try await withDatabase { database in
      var documents: Set<String> = []
      for _ in 0..<150 {
        var path = ""
        for level in 0..<Int.random(in: 1...3, using: &random.generator) {
          let collection = ids.filter { !$0.hasPrefix("__") }
          path += (level == 0 ? "" : "/") + random.pick(collection) + "/" + random.pick(ids)
        }
        if random.generator.oneIn(3), let victim = documents.first {
          documents.remove(victim)
          try await database.document(victim).delete()
        }
        documents.insert(path)
        try await database.document(path).setData([:])
      }
      // Paths that are canonically equivalent are one member of a set of strings only.
      let stored = try await collect(database)
      for (collection, ids) in stored.tree {
        let listed = try await database.collection(collection.text).listDocuments()
        #expect(listed.map { Bytes($0.documentID) }.sorted() == ids.sorted())
      }
      for (document, collections) in stored.below {
        let listed = try await database.document(document.text).listCollections()
        #expect(listed.map { Bytes($0.collectionID) } == collections.sorted())
      }
    }
  }

  /// Text that is compared by its bytes.
  private struct Bytes: Hashable, Comparable {
    var bytes: [UInt8]
    init(_ text: String) { bytes = Array(text.utf8) }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    static func < (a: Bytes, b: Bytes) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
  }

  /// What lies in each collection and below each document, from the paths of an export.
  private func collect(
    _ database: Firestore
  ) async throws -> (tree: [Bytes: Set<Bytes>], below: [Bytes: Set<Bytes>]) {
    var tree: [Bytes: Set<Bytes>] = [:]
    var below: [Bytes: Set<Bytes>] = [:]
    try await withTemporaryDirectory { directory in
      let file = URL(filePath: directory + "/export")
      try await database.export(to: file)
      for line in try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")) {
        let object = try JSONSerialization.jsonObject(with: line) as? [String: Any]
        guard let path = object?["document"] as? String else { continue }
        let segments = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        for level in stride(from: 0, to: segments.count, by: 2) {
          let collection = segments[...level].joined(separator: "/")
          tree[Bytes(collection), default: []].insert(Bytes(segments[level + 1]))
          if level > 0 {
            below[Bytes(segments[..<level].joined(separator: "/")), default: []]
              .insert(Bytes(segments[level]))
          }
        }
      }
    }
    return (tree, below)
  }
}
