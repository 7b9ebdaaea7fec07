import Hearth
import HearthTestSupport
import Testing

/// Reports about declaring, building and merging indexes (section D).
@Suite struct IndexReports {
  private func index(_ fields: (String, IndexFieldMode)..., name: IndexFieldMode? = nil)
    -> IndexDefinition
  {
    IndexDefinition(
      collectionID: "c",
      fields: fields.map { IndexField(FieldPath([$0.0]), $0.1) }
        + (name.map { [IndexField(FieldPath.documentID(), $0)] } ?? []))
  }

  private func json(_ definitions: [String]) -> String {
    let entries = definitions.map { fields in
      let list = fields.split(separator: ",").map { field in
        let parts = field.split(separator: " ")
        let mode =
          parts[1] == "CONTAINS" ? #""arrayConfig": "CONTAINS""# : #""order": "\#(parts[1])""#
        return #"{"fieldPath": "\#(parts[0])", \#(mode)}"#
      }
      let start = #"{"collectionGroup": "c", "queryScope": "COLLECTION", "fields": ["#
      return start + list.joined(separator: ", ") + "]}"
    }
    return #"{"indexes": [\#(entries.joined(separator: ", "))], "fieldOverrides": []}"#
  }

  @Test(arguments: [(7, 11, 13), (2, 3, 1500), (1, 1, 1), (1, 2, 3000)])
  func `BR-063: equalities are served by merging automatic indexes, at the rarest one's cost`(
    _ periods: (Int, Int, Int)
  ) async throws {
    let count = 3_000
    try await withDatabase { database in
      let things = database.collection("c")
      try await fill(things, 0..<count) {
        ["a": $0 % periods.0, "b": $0 % periods.1, "c": $0 % periods.2]
      }
      let query = things.whereField("a", isEqualTo: 0).whereField("b", isEqualTo: 0)
        .whereField("c", isEqualTo: 0)
      let used = try await query.indexesUsed
      #expect(
        used == ["(a ASC, __name__ ASC)", "(b ASC, __name__ ASC)", "(c ASC, __name__ ASC)"])
      let found = try await query.ids
      let expected = (0..<count).filter {
        $0 % periods.0 == 0 && $0 % periods.1 == 0 && $0 % periods.2 == 0
      }
      #expect(found == expected.map { "d\($0)" }.sorted())
      let lists = [periods.0, periods.1, periods.2].map { (count + $0 - 1) / $0 }
      let statistics = try await query.executed
      let smallest = try #require(lists.min())
      // Each entry of the rarest is sought in three lists; a match steps all three.
      #expect(
        statistics.debugStats.indexEntriesScanned <= 3 * (smallest + expected.count))
      #expect(statistics.debugStats.documentsScanned == expected.count)
      // An order by the name alone, either way, changes nothing but the direction.
      let reversed = try await query.order(by: FieldPath.documentID(), descending: true).ids
      #expect(reversed == found.reversed())
    }
  }

  @Test func `BR-064: filters on two arrays are independent, maps correlate`() async throws {
    try await withDatabase { database in
      let things = database.collection("c")
      try await things.document("d").setData([
        "pkgs": ["A", "B"], "vers": [1, 2],
        "pv": [["p": "A", "v": 1] as [String: Any], ["p": "B", "v": 2] as [String: Any]],
      ])
      // One array-contains per disjunction; the other array is compared whole, or in a branch.
      let both = things.whereField("pkgs", arrayContains: "A").whereField(
        "vers", isEqualTo: [1, 2])
      let independent = try await both.ids
      #expect(independent == ["d"])
      let two = await reason {
        _ = try await things.whereField("pkgs", arrayContains: "A")
          .whereField("vers", arrayContains: 2).getDocuments()
      }
      #expect(two == "ARRAY_CONTAINS_PER_DISJUNCTION")
      for (package, version, expected) in [("A", 1, 1), ("B", 2, 1), ("A", 2, 0), ("B", 1, 0)] {
        let element: [String: Any] = ["v": version, "p": package]
        let found = try await things.whereField("pv", arrayContains: element).ids
        #expect(found.count == expected, "\(package) \(version)")
      }
      // Part of a map is not the map.
      let part = try await things.whereField("pv", arrayContains: ["p": "A"]).ids
      #expect(part == [])
    }
  }

  @Test func `BR-065: the implied name may be spelled out, and declaring again does nothing`()
    async throws
  {
    try await withDatabase { database in
      try await database.document("c/d").setData(["a": 1, "b": 2])
      let file = json([
        "a ASCENDING,b ASCENDING", "a ASCENDING,b ASCENDING,__name__ ASCENDING",
        "a ASCENDING,b ASCENDING,__name__ DESCENDING", "a ASCENDING,b DESCENDING",
        "a ASCENDING,b DESCENDING,__name__ DESCENDING", "a ASCENDING",
        "a ASCENDING,__name__ ASCENDING", "a ASCENDING,__name__ DESCENDING",
        "__name__ DESCENDING", "t CONTAINS,a ASCENDING",
        "t CONTAINS,a ASCENDING,__name__ ASCENDING",
      ])
      try await database.setIndexConfiguration(file)
      let first = try database.indexes
      #expect(
        first.map(\.definition.description) == [
          "(a ASC, b ASC, __name__ ASC)", "(a ASC, b ASC, __name__ DESC)",
          "(a ASC, b DESC, __name__ DESC)", "(a ASC, __name__ DESC)", "(__name__ DESC)",
          "(t ARRAY_CONTAINS, a ASC, __name__ ASC)",
        ])
      let before = try await database.verify()
      let commits = database.metrics.commits
      for _ in 0..<2 { try await database.setIndexConfiguration(file) }
      try await database.createIndex(index(("a", .ascending), ("b", .ascending)))
      try await database.createIndex(
        index(("a", .ascending), ("b", .ascending), name: .ascending))
      let second = try database.indexes
      #expect(second == first)
      let after = try await database.verify()
      #expect(after == before)
      #expect(database.metrics.commits == commits)
    }
  }

  @Test func `BR-066: many indexes at once are all built, once each, even if interrupted`()
    async throws
  {
    let letters = "abcdefg".map { String($0) }
    let files = letters.indices.flatMap { first in
      letters.indices.filter { $0 > first }.map {
        "\(letters[first]) ASCENDING,\(letters[$0]) DESCENDING"
      }
    }
    #expect(files.count == 21)
    let file = json(files)
    func load(_ database: Firestore) async throws {
      try await fill(database.collection("c"), 0..<300) { number in
        Dictionary(uniqueKeysWithValues: letters.map { ($0, number % 10) })
      }
    }
    func check(_ database: Firestore) async throws {
      let indexes = try database.indexes
      #expect(indexes.count == 21 && Set(indexes.map(\.definition)).count == 21)
      #expect(indexes.allSatisfy { $0.state == .ready })
      let report = try await database.verify()
      #expect(report.findings == [])
      let found = try await database.collection("c").whereField("f", isEqualTo: 3)
        .order(by: "g", descending: true).entriesScanned
      #expect(found == 30)
    }
    try await withReopening({ database in
      try await load(database)
      try await database.setIndexConfiguration(file)
      try await check(database)
    })
    try await withReopening(
      { database in
        try await load(database)
        let building = Task { try await database.setIndexConfiguration(file) }
        // Closed as soon as some are there.
        while try database.indexes.count < 4 { await Task.yield() }
        try await database.terminate()
        _ = await building.result
      },
      { database in
        let known = try database.indexes
        #expect(known.count >= 4 && Set(known.map(\.definition)).count == known.count)
        try await database.setIndexConfiguration(file)
        try await check(database)
      })
  }

  @Test func `BR-067: exemptions stay through reopening and through other declarations`()
    async throws
  {
    func check(_ database: Firestore) async throws {
      let things = database.collection("c")
      let error = await #expect(throws: HearthError.self) {
        _ = try await things.whereField("payload", isEqualTo: "x").getDocuments()
      }
      #expect(error?.reason == "INDEX_SINGLE_FIELD_MISSING")
      #expect(error?.message.contains("payload") == true)
      // Below an exempted map as well; beside it not.
      let below = await reason {
        _ = try await things.order(by: "payload.deep").getDocuments()
      }
      #expect(below == "INDEX_SINGLE_FIELD_MISSING")
      let falling = await reason {
        _ = try await things.order(by: "tag", descending: true).getDocuments()
      }
      #expect(falling == "INDEX_SINGLE_FIELD_MISSING")
      let tags = try await things.order(by: "tag").ids
      #expect(tags == ["a", "b"])
      let others = try await things.whereField("other", isEqualTo: 1).ids
      #expect(others == ["a", "b"])
    }
    try await withReopening(
      { database in
        try await database.setIndexConfiguration(
          """
          {"indexes": [], "fieldOverrides": [
            {"collectionGroup": "c", "fieldPath": "payload", "indexes": []},
            {"collectionGroup": "c", "fieldPath": "tag", "indexes": [{"order": "ASCENDING"}]}]}
          """)
        for id in ["b", "a"] {
          try await database.document("c/\(id)")
            .setData(["payload": ["deep": 1], "tag": id, "other": 1])
        }
        try await check(database)
      },
      { database in
        try await check(database)
        try await database.setIndexConfiguration(json(["other ASCENDING,tag DESCENDING"]))
        try await check(database)
        // A composite covers an exempted field.
        try await database.createIndex(index(("other", .ascending), ("payload", .ascending)))
        let found = try await database.collection("c").whereField("other", isEqualTo: 1)
          .order(by: "payload").ids
        #expect(found == ["a", "b"])
      },
      { database in
        try await check(database)
        let report = try await database.verify()
        #expect(report.findings == [])
      })
  }

  @Test func `BR-069: while an index comes and goes a query is whole or says what it needs`()
    async throws
  {
    let count = 40
    try await withDatabase { database in
      let things = database.collection("c")
      try await fill(things, 0..<count) { ["a": 1, "b": $0] }
      let query = things.whereField("a", isEqualTo: 1).order(by: "b")
      let definition = index(("a", .ascending), ("b", .ascending))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<4 {
          group.addTask {
            for _ in 0..<50 {
              if task == 0 { try await database.createIndex(definition) }
              do {
                let found = try await query.ids
                #expect(found == (0..<count).map { "d\($0)" })
              } catch let error as HearthError {
                #expect(["INDEX_MISSING", "INDEX_BUILDING"].contains(error.reason), "\(error)")
              }
              if task == 0 { try await database.dropIndex(definition) }
            }
          }
        }
        try await group.waitForAll()
      }
      let report = try await database.verify()
      #expect(report.findings == [])
    }
  }

  @Test func `BR-070: a backfill fails no writer, and ends with what recomputing gives`()
    async throws
  {
    let count = 3_000
    try await withDatabase { database in
      let things = database.collection("c")
      try await fill(things, 0..<count) { ["a": $0 % 5, "b": $0] }
      let definition = index(("a", .ascending), ("b", .descending))
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await database.createIndex(definition) }
        for task in 0..<4 {
          group.addTask {
            for round in 0..<50 {
              let document = things.document("d\((round * 4 + task) * 13 % count)")
              switch round % 4 {
              case 0: try await document.setData(["a": round % 5, "b": -round])
              case 1: try await document.updateData(["b": FieldValue.increment(Int64(1))])
              case 2: try await document.delete()
              default:
                _ = try await database.runTransaction { transaction in
                  _ = try transaction.getDocument(document)
                  transaction.setData(["a": 0, "b": round], forDocument: document)
                }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let metrics = database.metrics
      #expect(metrics.transactionsFailed == 0)
      let report = try await database.verify()
      #expect(report.findings == [])
      var served: [String] = []
      for value in 0..<5 {
        served += try await things.whereField("a", isEqualTo: value)
          .order(by: "b", descending: true).ids
      }
      let all = try await things.ids
      #expect(Set(served) == Set(all) && served.count == all.count)
    }
  }
}
