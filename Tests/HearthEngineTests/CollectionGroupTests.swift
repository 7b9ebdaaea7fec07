import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// Collection groups (documents-and-queries, 1.5, 1.6 and 6.1).
@Suite struct CollectionGroupTests {
  private func group(
    _ id: String = "posts", below ancestor: String? = nil,
    _ more: (inout StructuredQuery) throws -> Void = { _ in }
  ) throws -> StructuredQuery {
    var query = StructuredQuery(scope: .collectionGroup(UTF8String(id)))
    query.ancestor = try ancestor.map { try DocumentPath($0) }
    try more(&query)
    return query
  }

  private func paths(_ query: StructuredQuery, in engine: Engine) throws -> [String] {
    try engine.run(query).documents.map(\.path.description)
  }

  private func groupIndex(_ fields: (String, IndexFieldMode)...) -> IndexDefinition {
    IndexDefinition(
      collectionID: "posts", scope: .collectionGroup,
      fields: fields.map { IndexField(field($0.0), $0.1) })
  }

  private let everywhere = [
    "a/1/b/2/posts/x", "a/1/posts/y", "a/1/posts/z", "a/2/posts/a", "posts/a", "posts/a/posts/b",
    "posts/a/posts/b/posts/c", "posts/a/x/1/posts/d", "posts/b",
  ]

  private func withPosts(_ body: (Engine) async throws -> Void) async throws {
    try await withEngine { engine in
      for (number, path) in everywhere.enumerated() {
        _ = try await engine.commit([
          .set(path, ["n": .integer(Int64(number)), "even": .boolean(number % 2 == 0)])
        ])
      }
      // Not members: the id only contains the group's, or is a document's.
      _ = try await engine.commit([
        .set("myposts/1", ["n": 1]), .set("postsx/1", ["n": 1]), .set("a/posts", ["n": 1]),
      ])
      try await body(engine)
    }
  }

  @Test func `a group holds every collection with its id, ordered by full path`() async throws {
    try await withPosts { engine in
      let result = try engine.run(try group())
      #expect(result.documents.map(\.path.description) == everywhere)
      #expect(result.explanation.statistics?.indexEntriesScanned == everywhere.count)
      #expect(result.explanation.statistics?.documentsScanned == everywhere.count)
      #expect(result.explanation.indexesUsed.map(\.scope) == [.collectionGroup])
      #expect(try paths(group("nothing"), in: engine) == [])
    }
  }

  @Test func `an ancestor leaves what lies below it`() async throws {
    try await withPosts { engine in
      #expect(
        try paths(group(below: "a/1"), in: engine)
          == ["a/1/b/2/posts/x", "a/1/posts/y", "a/1/posts/z"])
      // A document is not below itself, though it belongs to the group.
      #expect(
        try paths(group(below: "posts/a"), in: engine)
          == ["posts/a/posts/b", "posts/a/posts/b/posts/c", "posts/a/x/1/posts/d"])
      #expect(try paths(group(below: "a/9"), in: engine) == [])
      try await engine.createIndex(groupIndex(("n", .ascending)))
      let ordered = try group(below: "a/1") { $0.orderBy = [by("n")] }
      #expect(
        try paths(ordered, in: engine) == ["a/1/b/2/posts/x", "a/1/posts/y", "a/1/posts/z"])
    }
  }

  // A name before the ancestor used to pull in everything after that name.
  @Test func `names ruled out elsewhere leave the bounds of an ancestor`() async throws {
    try await withPosts { engine in
      for outside in ["a/0/posts/z", "posts/a"] {
        let name = Value.reference(try DocumentPath(outside))
        for (op, operand) in [(FilterOperator.notIn, Value.array([name])), (.notEqual, name)] {
          let query = try group(below: "a/1") {
            $0.filter = .field(FieldFilter(.documentName, op, operand))
          }
          #expect(
            try paths(query, in: engine) == ["a/1/b/2/posts/x", "a/1/posts/y", "a/1/posts/z"])
        }
      }
    }
  }

  @Test func `names bound a group query, and pages of it add up`() async throws {
    try await withPosts { engine in
      for (position, path) in everywhere.enumerated() {
        let name = Value.reference(try DocumentPath(path))
        func filtered(_ op: FilterOperator) throws -> [String] {
          try paths(
            group { $0.filter = .field(FieldFilter(.documentName, op, name)) }, in: engine)
        }
        #expect(try filtered(.equal) == [path])
        #expect(try filtered(.greaterThan) == Array(everywhere[(position + 1)...]))
        #expect(try filtered(.lessThanOrEqual) == Array(everywhere[...position]))
        #expect(try filtered(.notEqual) == everywhere.filter { $0 != path })
      }
      for size in 1...4 {
        var seen: [String] = []
        while true {
          let page = try group { query in
            query.orderBy = [OrderBy(.documentName)]
            query.limit = size
            if let last = seen.last {
              query.start = Bound(values: [.reference(try DocumentPath(last))], inclusive: false)
            }
          }
          let result = try engine.run(page)
          // A page looks at its own documents and one more, wherever it begins.
          #expect(try #require(result.explanation.statistics).indexEntriesScanned <= size + 1)
          let found = result.documents.map(\.path.description)
          if found.isEmpty { break }
          seen += found
        }
        #expect(seen == everywhere)
      }
    }
  }

  // The collections between the two bounds used to be left out.
  @Test func `a start below the first name that a filter leaves opens what encloses it`()
    async throws
  {
    try await withPosts { engine in
      for (position, path) in everywhere.enumerated() {
        for first in everywhere[...position] {
          let floor = Value.reference(try DocumentPath(first))
          let start = Value.reference(try DocumentPath(path))
          for (filtered, begun) in [(floor, start), (start, floor)] {
            let query = try group { query in
              query.filter = .field(FieldFilter(.documentName, .greaterThanOrEqual, filtered))
              query.orderBy = [OrderBy(.documentName)]
              query.start = Bound(values: [begun], inclusive: true)
            }
            #expect(try paths(query, in: engine) == Array(everywhere[position...]))
          }
        }
      }
    }
  }

  @Test func `fields of a group need indexes of the group`() async throws {
    try await withPosts { engine in
      let even = try group { $0.filter = filter("even", .equal, .boolean(true)) }
      let odd = everywhere.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      let missing = try #require(throws: HearthError.self) { try engine.run(even) }
      #expect(missing.reason == "INDEX_SINGLE_FIELD_MISSING")
      #expect(missing.message.contains("COLLECTION_GROUP_ASC"))
      guard case .missingIndex(let details)? = missing.details else { return }
      try await engine.createIndex(details.definition)
      #expect(try paths(even, in: engine) == odd)
      // The override said the collection's own indexes again.
      let own = StructuredQuery(CollectionPath(unchecked: ["posts"]))
      var equal = own
      equal.filter = filter("even", .equal, .boolean(true))
      #expect(try paths(equal, in: engine) == ["posts/a", "posts/b"])

      let newest = try group { query in
        query.filter = filter("even", .equal, .boolean(true))
        query.orderBy = [by("n", .descending)]
        query.limit = 2
      }
      let composite = try #require(throws: HearthError.self) { try engine.run(newest) }
      #expect(composite.reason == "INDEX_MISSING")
      guard case .missingIndex(let wanted)? = composite.details else { return }
      try await engine.createIndex(wanted.definition)
      let result = try engine.run(newest)
      #expect(result.documents.map(\.path.description) == ["posts/b", "posts/a/posts/b/posts/c"])
      #expect(result.explanation.statistics?.indexEntriesScanned == 3)
      _ = try await engine.commit([.set("new/1/posts/e", ["n": 99, "even": .boolean(true)])])
      #expect(try paths(newest, in: engine).first == "new/1/posts/e")
      _ = try await engine.commit([.delete("new/1/posts/e"), .delete("posts/b")])
      #expect(try paths(newest, in: engine).first == "posts/a/posts/b/posts/c")
      #expect(try engine.findings() == [])
    }
  }

  @Test func `an index of one scope never serves the other`() async throws {
    try await withPosts { engine in
      let single = index(("even", .ascending), ("n", .ascending), of: "posts")
      try await engine.createIndex(single)
      let asked = try group { query in
        query.filter = filter("even", .equal, .boolean(true))
        query.orderBy = [by("n")]
      }
      #expect(engine.refusal(asked) == "INDEX_MISSING")
    }
  }

  @Test func `descending names need an index of their own`() async throws {
    try await withPosts { engine in
      let reversed = try group { $0.orderBy = [OrderBy(.documentName, .descending)] }
      #expect(engine.refusal(reversed) == "INDEX_MISSING")
      try await engine.createIndex(
        IndexDefinition(
          collectionID: "posts", scope: .collectionGroup,
          fields: [IndexField(.documentName, .descending)]))
      #expect(try paths(reversed, in: engine) == everywhere.reversed())
      #expect(try engine.findings() == [])
    }
  }

  @Test func `groups are counted and summed from entries`() async throws {
    try await withPosts { engine in
      let all = try engine.aggregate(group(), [Aggregation(.count(upTo: nil))])
      #expect(all.values[0].value == 9)
      #expect(all.explanation.statistics?.documentsScanned == 0)
      try await engine.createIndex(groupIndex(("n", .ascending)))
      let sum = try engine.aggregate(group(), [Aggregation(.sum(field("n")))])
      #expect(sum.values[0].value == 36)
    }
  }

  @Test func `a transaction's group query sees every new member, also of new collections`()
    async throws
  {
    try await withPosts { engine in
      for path in ["a/1/posts/n", "new/9/posts/n", "zz/9/posts/n"] {
        let runs = try await engine.runs { context in
          _ = try context.run(group())
          if context.attempt == 1 { _ = try await engine.commit([.set(path, [:])]) }
          try context.write(.set("t/x", [:]))
        }
        #expect(runs == 2, "\(path)")
      }
      let limited = try await engine.runs { context in
        _ = try context.run(group { $0.limit = 2 })
        if context.attempt == 1 { _ = try await engine.commit([.set("zzz/1/posts/n", [:])]) }
        try context.write(.set("t/x", [:]))
      }
      #expect(limited == 1)
    }
  }

  @Test func `a group listener hears of every collection, and only of what it asks`()
    async throws
  {
    try await withPosts { engine in
      let everywhere = Ear(engine, .query(try group()))
      let below = Ear(engine, .query(try group(below: "a/1")))
      let first = try await everywhere.ids().count
      #expect(first == 9)
      let few = try await below.ids()
      #expect(few == ["x", "y", "z"])
      _ = try await engine.commit([.set("a/1/posts/new", [:])])
      let more = try await below.ids()
      #expect(more == ["x", "new", "y", "z"])
      let all = try await everywhere.ids().count
      #expect(all == 10)
      _ = try await engine.commit([.set("brand/new/posts/p", [:])])
      let last = try await everywhere.ids().count
      #expect(last == 11)
      await engine.waitForListeners()
      #expect(below.listener.take() == nil)
    }
  }

  @Test func `many collections of a group are listed page by page`() async throws {
    try await withEngine { engine in
      _ = try await engine.commit(
        (0..<700).map { try .set("u/\(1000 + $0)/posts/p", ["n": .integer(Int64($0))]) })
      let result = try engine.run(group())
      #expect(result.documents.count == 700)
      #expect(result.documents.map(\.path) == result.documents.map(\.path).sorted())
      let tail = try group { query in
        query.orderBy = [OrderBy(.documentName)]
        query.start = Bound(values: ["u/1698/posts/p"], inclusive: true)
      }
      #expect(try engine.run(tail).documents.count == 2)
      #expect(try engine.findings() == [])
    }
  }
}
