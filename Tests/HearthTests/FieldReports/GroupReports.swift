import Hearth
import HearthTestSupport
import Testing

/// Reports about collection groups and their single-field indexes (sections C and D).
@Suite struct GroupReports {
  private func paths(_ query: Query) async throws -> [String] {
    try await query.getDocuments().documents.map(\.reference.path)
  }

  @Test func `BR-061: a group is every collection with the id, below a document only those there`()
    async throws
  {
    try await withDatabase { database in
      let members = [
        "posts/p", "a/1/posts/x", "a/1/posts/x/posts/y", "a/1/b/2/posts/z", "a/2/posts/q",
      ]
      let others = [
        "aposts/1", "posts2/1", "a/posts", "b/posts/c/1", "Posts/1", "a/1/post/s", "a/10/c/posts",
      ]
      for path in members + others { try await database.document(path).setData(["n": 1]) }
      let group = database.collectionGroup("posts")
      let all = try await paths(group)
      #expect(
        all == ["a/1/b/2/posts/z", "a/1/posts/x", "a/1/posts/x/posts/y", "a/2/posts/q", "posts/p"])
      let below = try await paths(database.document("a/1").collectionGroup("posts"))
      #expect(below == ["a/1/b/2/posts/z", "a/1/posts/x", "a/1/posts/x/posts/y"])
      let deeper = try await paths(database.document("a/1/posts/x").collectionGroup("posts"))
      #expect(deeper == ["a/1/posts/x/posts/y"])
      let none = try await paths(database.document("a/3").collectionGroup("posts"))
      #expect(none == [])
      // A collection of the id is asked alone by a plain query.
      let root = try await paths(database.collection("posts"))
      #expect(root == ["posts/p"])
      let cut = try await paths(
        group.whereField(FieldPath.documentID(), isGreaterThan: "a/1/posts/x").limit(to: 2))
      #expect(cut == ["a/1/posts/x/posts/y", "a/2/posts/q"])
      try await database.document("a/1/posts/x").delete()
      let without = try await paths(group)
      #expect(without == all.filter { $0 != "a/1/posts/x" })
    }
  }

  private let overrides = """
    {"indexes": [], "fieldOverrides": [
      {"collectionGroup": "c", "fieldPath": "payload", "indexes": []},
      {"collectionGroup": "c", "fieldPath": "tag", "indexes": [
        {"order": "ASCENDING", "queryScope": "COLLECTION"},
        {"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"}]}]}
    """

  @Test func `BR-067: exemptions and group indexes apply to documents that are there, and stay`()
    async throws
  {
    func check(_ database: Firestore) async throws {
      let things = database.collection("c")
      let exempt = await reason {
        _ = try await things.whereField("payload", isEqualTo: 1).getDocuments()
      }
      #expect(exempt == "INDEX_SINGLE_FIELD_MISSING")
      let group = try await paths(database.collectionGroup("c").whereField("tag", isEqualTo: "x"))
      #expect(group == ["a/b/c/2", "c/1"])
      let plain = try await paths(things.whereField("tag", isEqualTo: "x"))
      #expect(plain == ["c/1"])
      let falling = await reason {
        _ = try await things.order(by: "tag", descending: true).getDocuments()
      }
      #expect(falling == "INDEX_SINGLE_FIELD_MISSING")
      let report = try await database.verify()
      #expect(report.findings == [])
    }
    try await withReopening(
      { database in
        for path in ["c/1", "a/b/c/2"] {
          try await database.document(path).setData(["payload": 1, "tag": "x", "n": 1])
        }
        let before = try await paths(database.collection("c").whereField("payload", isEqualTo: 1))
        #expect(before == ["c/1"])
        try await database.setIndexConfiguration(overrides)
        try await check(database)
      },
      { database in
        try await check(database)
        // Declaring the same, what is exported, or other composites, changes nothing of it.
        try await database.setIndexConfiguration(overrides)
        try await check(database)
        let exported = try database.indexConfigurationJSON
        try await database.setIndexConfiguration(exported)
        let again = try database.indexConfigurationJSON
        #expect(again == exported && exported.contains("payload"))
        try await check(database)
        try await database.createIndex(
          IndexDefinition(
            collectionID: "c",
            fields: [
              IndexField(FieldPath(["n"]), .ascending), IndexField(FieldPath(["tag"]), .descending),
            ]))
        try await check(database)
      }, check)
  }

  /// The advice of the error must lead out of it.
  @Test func `BR-067: what a missing group index says to declare serves the query`() async throws {
    try await withDatabase { database in
      for path in ["c/1", "a/b/c/2"] {
        try await database.document(path).setData(["tag": "x", "list": [1], "n": 1])
      }
      let group = database.collectionGroup("c")
      let queries = [
        group.whereField("tag", isEqualTo: "x"), group.order(by: "tag", descending: true),
        group.whereField("list", arrayContains: 1),
        group.whereField("tag", isEqualTo: "x").order(by: "n"),
        group.order(by: FieldPath.documentID(), descending: true),
      ]
      for query in queries {
        let missing = try #require(try await missingIndex(query))
        #expect(missing.definition.scope == .collectionGroup)
        let isOverride = missing.json.contains(#""indexes""#)
        try await database.setIndexConfiguration(
          isOverride
            ? #"{"indexes": [], "fieldOverrides": [\#(missing.json)]}"#
            : #"{"indexes": [\#(missing.json)], "fieldOverrides": []}"#)
        let found = try await paths(query)
        #expect(Set(found) == ["c/1", "a/b/c/2"])
        // What served before still does.
        let plain = try await paths(database.collection("c").whereField("tag", isEqualTo: "x"))
        #expect(plain == ["c/1"])
      }
    }
  }
}
