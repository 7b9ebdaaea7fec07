import Hearth
import HearthTestSupport
import Testing

@Suite struct ReadingAndWritingTests {
  @Test func `documents are set, read, merged, updated and deleted`() async throws {
    try await withDatabase { db in
      let nori = db.collection("restaurants").document("nori")
      #expect(try await nori.getDocument().exists == false)
      #expect(try await nori.getDocument().data() == nil)

      try await nori.setData(["name": "Nori", "stars": ["count": 2, "sum": 9.0], "tags": ["a"]])
      let first = try await nori.getDocument()
      #expect(first.exists)
      #expect(first["name"] as? String == "Nori")
      #expect(first.get("stars.count") as? Int == 2)
      #expect(first.get(FieldPath(["stars", "sum"])) as? Double == 9)
      #expect(first.get("absent") == nil)
      #expect(first.createTime == first.updateTime)

      try await nori.setData(["stars": ["count": 3]], merge: true)
      #expect(try await nori.getDocument().get("stars.sum") as? Double == 9)
      #expect(try await nori.getDocument().get("stars.count") as? Int == 3)

      try await nori.updateData([
        "stars.count": FieldValue.increment(2), "tags": FieldValue.arrayUnion(["b"]),
        "name": FieldValue.delete(), FieldPath(["a.b"]): NSNull(),
      ])
      let updated = try await nori.getDocument()
      #expect(updated.get("stars.count") as? Int == 5)
      #expect(updated["tags"] as? [String] == ["a", "b"])
      #expect(updated["name"] == nil)
      #expect(updated.get(FieldPath(["a.b"])) is NSNull)
      #expect(updated.updateTime.map { $0 > first.updateTime ?? Timestamp() } == true)

      try await nori.setData(["name": "x", "stars": 1], mergeFields: ["name"])
      #expect(try await nori.getDocument().get("stars.count") as? Int == 5)

      try await nori.delete()
      #expect(try await nori.getDocument().exists == false)
    }
  }

  @Test func `subcollections hang below documents`() async throws {
    try await withDatabase { db in
      let restaurants = db.collection("restaurants")
      for name in ["a", "b"] {
        let ratings = restaurants.document(name).collection("ratings")
        try await ratings.addDocument(data: ["stars": 4, "of": name])
        #expect(ratings.parent?.documentID == name)
        #expect(ratings.path == "restaurants/\(name)/ratings")
      }
      #expect(try await db.collection("restaurants/a/ratings").getDocuments().count == 1)
      #expect(try await restaurants.getDocuments().isEmpty)
      #expect(restaurants.document().documentID.count == 20)
      #expect(restaurants.document("a/ratings/r").path == "restaurants/a/ratings/r")
    }
  }

  @Test func `a collection group spans all collections with its id`() async throws {
    try await withDatabase { db in
      try await db.document("a/x/ratings/1").setData(["stars": 4])
      try await db.document("b/y/ratings/2").setData(["stars": 5])
      try await db.document("b/y/others/3").setData(["stars": 5])
      let found = try await db.collectionGroup("ratings").getDocuments()
      #expect(found.documents.map(\.reference.path) == ["a/x/ratings/1", "b/y/ratings/2"])
    }
  }

  @Test func `queries filter, order, limit and start at cursors`() async throws {
    try await withDatabase { db in
      let cities = db.collection("cities")
      let batch = db.batch()
      for (index, name) in ["amy", "bel", "cyn", "dor", "eve"].enumerated() {
        batch.setData(
          ["name": name, "n": index, "even": index % 2 == 0, "tags": ["t\(index % 3)"]],
          forDocument: cities.document(name))
      }
      try await batch.commit()
      func ids(_ query: Query) async throws -> [String] {
        try await query.getDocuments().documents.map(\.documentID)
      }
      #expect(try await ids(cities.whereField("even", isEqualTo: true)) == ["amy", "cyn", "eve"])
      #expect(try await ids(cities.whereField("n", isGreaterThanOrEqualTo: 3)) == ["dor", "eve"])
      #expect(try await ids(cities.whereField("n", in: [0, 4])) == ["amy", "eve"])
      #expect(try await ids(cities.whereField("tags", arrayContains: "t1")) == ["bel", "eve"])
      #expect(
        try await ids(cities.order(by: "n", descending: true).limit(to: 2)) == ["eve", "dor"])
      #expect(try await ids(cities.order(by: "n").limit(toLast: 2)) == ["dor", "eve"])
      #expect(
        try await ids(cities.order(by: "n").start(after: [1]).end(before: [4])) == ["cyn", "dor"])
      let cyn = try await cities.document("cyn").getDocument()
      #expect(try await ids(cities.order(by: "n").start(atDocument: cyn)) == ["cyn", "dor", "eve"])
      #expect(try await ids(cities.end(beforeDocument: cyn)) == ["amy", "bel"])
      let either = Filter.orFilter([
        Filter.whereField("n", isEqualTo: 1), Filter.whereField("name", isEqualTo: "eve"),
      ])
      #expect(try await ids(cities.whereFilter(either)) == ["bel", "eve"])
      #expect(
        try await ids(cities.whereField(FieldPath.documentID(), isGreaterThan: "cyn"))
          == ["dor", "eve"])
      #expect(cities.whereField("n", isEqualTo: 1) == cities.whereField("n", isEqualTo: 1))
      #expect(cities.whereField("n", isEqualTo: 1) != cities.whereField("n", isEqualTo: 1.0))
    }
  }

  @Test func `a batch is whole or nothing`() async throws {
    try await withDatabase { db in
      let batch = db.batch()
      batch.setData(["x": 1], forDocument: db.document("a/b"))
        .updateData(["x": 1], forDocument: db.document("a/missing"))
      #expect(await reason { try await batch.commit() } == "DOCUMENT_MISSING")
      #expect(try await db.document("a/b").getDocument().exists == false)
      try await db.batch().commit()
    }
  }

  @Test func `explaining names the index and counts what was touched`() async throws {
    try await withDatabase { db in
      let all = db.collection("c")
      for n in 0..<10 { try await all.addDocument(data: ["n": n]) }
      let query = all.whereField("n", isLessThan: 3)
      let planned = try await query.explain()
      #expect(planned.executionStats == nil)
      #expect(
        planned.planSummary.indexesUsed == [
          ["query_scope": "Collection", "properties": "(n ASC, __name__ ASC)"]
        ])
      let run = try await query.explain(analyze: true)
      #expect(run.executionStats?.resultsReturned == 3)
      #expect(run.executionStats?.debugStats.documentsScanned == 3)
      #expect(run.snapshot?.count == 3)
    }
  }

  @Test func `a missing index says what to create, and creating it helps`() async throws {
    try await withDatabase { db in
      let all = db.collection("c")
      try await all.addDocument(data: ["city": "Oslo", "stars": 4])
      let query = all.whereField("city", isEqualTo: "Oslo").order(by: "stars", descending: true)
      do {
        _ = try await query.getDocuments()
        Issue.record("the query needs an index")
      } catch let error as HearthError {
        #expect(error.status == .failedPrecondition)
        guard case .missingIndex(let missing)? = error.details else {
          Issue.record("no details: \(error)")
          return
        }
        try await db.createIndex(missing.definition)
      }
      #expect(try await query.getDocuments().count == 1)
      #expect(try db.indexes.map(\.state) == [.ready])
      if let index = try db.indexes.first { try await db.dropIndex(index.definition) }
      #expect(await reason { _ = try await query.getDocuments() } == "INDEX_MISSING")
    }
  }

  @Test func `models go in and come out`() async throws {
    struct City: Codable, Equatable {
      @DocumentID var id: String?
      @ServerTimestamp var changed: Timestamp?
      var name: String
    }
    try await withDatabase { db in
      let oslo = db.collection("cities").document("oslo")
      try await oslo.setData(from: City(name: "Oslo"))
      let city = try await oslo.getDocument(as: City.self)
      #expect(city.id == "oslo" && city.name == "Oslo")
      #expect(city.changed == (try await oslo.getDocument().updateTime) || city.changed != nil)
      #expect(try await db.document("cities/none").getDocument(as: City?.self) == nil)
      let missing = await reason {
        _ = try await db.document("cities/none").getDocument(as: City.self)
      }
      #expect(missing?.contains("valueNotFound") == true)
      try await db.document("cities/bad").setData(["nam": 1])
      let (values, failures) = try await db.collection("cities").getDocuments()
        .decodedLossy(as: City.self)
      #expect(values.map(\.name) == ["Oslo"])
      #expect(failures.map(\.0.documentID) == ["bad"])
    }
  }

  @Test func `two spellings of a path are one database`() async throws {
    try await withTemporaryDirectory { path in
      let settings = FirestoreSettings()
      settings.durability = .none
      settings.mapSizeBytes = 64 << 20
      let first = try await Firestore.open(at: URL(filePath: path), settings: settings)
      let second = try await Firestore.open(
        at: URL(filePath: path + "/../" + URL(filePath: path).lastPathComponent))
      #expect(first === second)
      try await first.document("a/b").setData(["x": 1])
      try await first.close()
      let third = try await Firestore.open(at: URL(filePath: path), settings: settings)
      #expect(third !== first)
      #expect(try await third.document("a/b").getDocument()["x"] as? Int == 1)
      try await third.close()
    }
  }
}
