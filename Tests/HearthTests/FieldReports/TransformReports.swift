import Hearth
import HearthTestSupport
import Testing

/// Reports about batches and transforms (section A).
@Suite struct TransformReports {
  @Test(arguments: [500, 5000])
  func `BR-024: a batch has no count of its own, and one commit time`(_ count: Int) async throws {
    try await withDatabase { database in
      let batch = database.batch()
      for number in 0..<count {
        batch.setData(
          ["at": FieldValue.serverTimestamp()], forDocument: database.document("c/\(number)"))
      }
      try await batch.commit()
      let documents = try await database.collection("c").getDocuments().documents
      #expect(documents.count == count)
      #expect(Set(documents.map { $0["at"] as? Timestamp }).count == 1)
      #expect(Set(documents.map(\.updateTime)).count == 1)
    }
  }

  @Test func `BR-024: a commit beyond its size writes nothing; 500 transforms are the most`()
    async throws
  {
    try await withDatabase { database in
      let text = String(repeating: "x", count: 1_000_000)
      let batch = database.batch()
      for number in 0..<11 {
        batch.setData(["text": text], forDocument: database.document("c/\(number)"))
      }
      let tooLarge = await reason { try await batch.commit() }
      #expect(tooLarge == "REQUEST_TOO_LARGE")
      let found1 = try await database.collection("c").getDocuments().count
      #expect(found1 == 0)
      func transforms(_ count: Int) -> [String: Any] {
        Dictionary(
          uniqueKeysWithValues: (0..<count).map { ("f\($0)", FieldValue.increment(1) as Any) })
      }
      let document = database.document("c/t")
      try await document.setData(transforms(500))
      let tooMany = await reason { try await document.setData(transforms(501)) }
      #expect(tooMany == "TOO_MANY_TRANSFORMS")
      let found2 = try await document.getDocument().fields.count
      #expect(found2 == 500)
    }
  }

  @Test func `BR-025: batches that overlap leave what one order of them leaves`() async throws {
    try await withDatabase { database in
      let collection = database.collection("c")
      for _ in 0..<(10 * soakFactor) {
        async let first: Void = {
          let batch = database.batch()
          for number in 0..<500 {
            batch.setData(["by": "A"], forDocument: collection.document("\(number)"))
          }
          try await batch.commit()
        }()
        async let second: Void = {
          let batch = database.batch()
          for number in 0..<500 {
            let document = collection.document("\(number)")
            if number < 250 {
              batch.deleteDocument(document)
            } else {
              batch.setData(["by": "B"], forDocument: document)
            }
          }
          try await batch.commit()
        }()
        _ = try await (first, second)
        let a = try await collection.whereField("by", isEqualTo: "A").getDocuments().count
        let b = try await collection.whereField("by", isEqualTo: "B").getDocuments().count
        #expect((a, b) == (500, 0) || (a, b) == (0, 250))
      }
      let found3 = try await database.verify().findings
      #expect(found3 == [])
    }
  }

  private func after(
    _ before: [String: Any], _ change: [AnyHashable: Any]
  ) async throws -> Fields {
    var fields = Fields()
    try await withDatabase { database in
      let document = database.document("c/d")
      try await document.setData(before)
      try await document.updateData(change)
      fields = try await document.getDocument().fields
    }
    return fields
  }

  @Test func `BR-026, BR-027: all equal elements go, and maps are equal by content`() async throws {
    let numbers = try await after(
      ["a": [1, 2, 1, 3, 1.0] as [Any]], ["a": FieldValue.arrayRemove([1])])
    #expect(numbers == ["a": .array([.integer(2), .integer(3)])])
    let maps: [[String: Int]] = [["a": 1, "b": 2], ["b": 2, "a": 1], ["a": 1]]
    let removed = try await after(
      ["a": maps], ["a": FieldValue.arrayRemove([["b": 2, "a": 1]])])
    #expect(removed == ["a": .array([.map(["a": .integer(1)])])])
    let added = try await after(
      ["a": [["a": 1, "b": 2]]], ["a": FieldValue.arrayUnion([["b": 2, "a": 1]])])
    #expect(added == ["a": .array([.map(["a": .integer(1), "b": .integer(2)])])])
  }

  @Test func `BR-028: transforms of one batch apply one after the other, at one time`()
    async throws
  {
    try await withDatabase { database in
      let (a, b) = (database.document("c/a"), database.document("c/b"))
      for document in [a, b] { try await document.setData(["n": 0]) }
      let batch = database.batch()
      for document in [a, b] {
        batch.updateData(["t": FieldValue.serverTimestamp()], forDocument: document)
        batch.updateData(["n": FieldValue.increment(1)], forDocument: document)
        batch.updateData(["n": FieldValue.increment(1.5)], forDocument: document)
      }
      try await batch.commit()
      let found = try await [a.getDocument(), b.getDocument()]
      #expect(found.map { $0.fields["n"] } == [.double(2.5), .double(2.5)])
      #expect(found[0]["t"] as? Timestamp == found[1]["t"] as? Timestamp)
      #expect(found[0].updateTime == found[1].updateTime)
    }
  }

  /// A map in a map in a map.
  private func nested(_ depth: Int, _ value: Any) -> [String: Any] {
    var map: [String: Any] = ["t": value]
    for _ in 1..<depth { map = ["m": map] }
    return map
  }

  @Test func `BR-029: a server timestamp stands as deep as a value may, and no deeper`()
    async throws
  {
    try await withDatabase { database in
      let document = database.document("c/d")
      try await document.setData(nested(21, FieldValue.serverTimestamp()))
      let tooDeep = await reason {
        try await document.setData(nested(22, FieldValue.serverTimestamp()))
      }
      #expect(tooDeep == "DEPTH")
    }
  }

  /// Without awaiting any.
  private func touch(_ document: DocumentReference, _ count: Int) {
    for _ in 0..<count {
      document.setData(
        ["t": FieldValue.serverTimestamp(), "n": FieldValue.increment(1)], merge: true)
    }
  }

  @Test func `BR-029: thousands of server timestamps on one document leave one document`()
    async throws
  {
    let count = 3_000 * soakFactor
    try await withReopening(
      { database in
        let document = database.document("c/d")
        touch(document, count)
        try await database.waitForPendingWrites()
        let found4 = try await document.getDocument()["n"] as? Int
        #expect(found4 == count)
        for try await snapshot in document.snapshots {
          #expect(snapshot["n"] as? Int == count)
          break
        }
        let touched = try await database.collection("c").executed
        #expect(touched.debugStats.documentsScanned == 1)
      },
      { database in
        let found5 = try await database.document("c/d").getDocument()["n"] as? Int
        #expect(found5 == count)
      })
  }

  @Test func `BR-030: transforms in maps of a merged, missing document are computed`() async throws
  {
    try await withDatabase { database in
      let document = database.document("c/d")
      try await document.setData(
        ["nested": ["count": FieldValue.increment(1), "at": FieldValue.serverTimestamp()]],
        merge: true)
      let found = try await document.getDocument()
      #expect(found.fields.value(at: FieldPath(["nested", "count"])) == .integer(1))
      #expect(found[FieldPath(["nested", "at"])] as? Timestamp != nil)
    }
  }
}
