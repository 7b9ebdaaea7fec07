import Hearth
import HearthTestSupport
import Testing

/// Reports about merging and updating (section B).
@Suite struct WriteReports {
  private func result(
    _ before: [String: Any], _ change: (DocumentReference) async throws -> Void
  ) async throws -> Fields {
    var fields = Fields()
    try await withDatabase { database in
      let document = database.document("c/d")
      try await document.setData(before)
      try await change(document)
      fields = try await document.getDocument().fields
    }
    return fields
  }

  @Test func `BR-031: an empty map that is given is written, and replaces the old one`()
    async throws
  {
    let empty: [String: Any] = [:]
    let beside = try await result(["b": 1]) { try await $0.setData(["a": empty], merge: true) }
    #expect(beside == ["a": .map([:]), "b": .integer(1)])
    let instead = try await result(["a": ["x": 1]]) {
      try await $0.setData(["a": empty], merge: true)
    }
    #expect(instead == ["a": .map([:])])
    let deeper = try await result(["a": ["x": ["y": 1], "z": 2]]) {
      try await $0.setData(["a": ["x": empty]], merge: true)
    }
    #expect(deeper == ["a": .map(["x": .map([:]), "z": .integer(2)])])
    let listed = try await result(["a": ["x": 1], "b": 1]) {
      try await $0.setData(["a": empty, "b": 2], mergeFields: ["a"])
    }
    #expect(listed == ["a": .map([:]), "b": .integer(1)])
    let updated = try await result(["a": ["x": 1, "y": 2]]) {
      try await $0.updateData(["a": empty])
    }
    #expect(updated == ["a": .map([:])])
    let emptied = try await result(["a": ["x": 1]]) {
      try await $0.updateData(["a.x": FieldValue.delete()])
    }
    #expect(emptied == ["a": .map([:])])
    let untouched = try await result(["a": 1]) { try await $0.setData([:], merge: true) }
    #expect(untouched == ["a": .integer(1)])
    let array = try await result(["a": [1, 2]]) {
      try await $0.setData(["a": [Int]()], merge: true)
    }
    #expect(array == ["a": .array([])])
  }

  private struct Pair: Codable {
    var x: Int?
    var y: Int?
  }

  private struct Explicit: Codable {
    @ExplicitNull var x: Int?
    var inner = Pair()
  }

  @Test func `BR-032: an absent optional is untouched, null is stored, only deleting deletes`()
    async throws
  {
    let merged = try await result(["x": 1, "y": 2]) {
      try await $0.setData(from: Pair(x: 9, y: nil), merge: true)
    }
    #expect(merged == ["x": .integer(9), "y": .integer(2)])
    let replaced = try await result(["x": 1, "y": 2]) { try await $0.setData(from: Pair(x: 9)) }
    #expect(replaced == ["x": .integer(9)])
    let null = try await result(["x": 1, "inner": ["x": 5]]) {
      try await $0.setData(from: Explicit(x: nil), merge: true)
    }
    // The nested value encodes to an empty map, which is given.
    #expect(null == ["inner": .map([:]), "x": .null])
    let nested = try await result(["inner": ["x": 5, "y": 6], "x": 1]) {
      try await $0.setData(from: Explicit(x: 2, inner: Pair(y: 7)), merge: true)
    }
    #expect(nested == ["inner": .map(["x": .integer(5), "y": .integer(7)]), "x": .integer(2)])
    let untyped = try await result(["x": 1, "y": 2]) {
      try await $0.setData(["x": Int?.none as Any], merge: true)
    }
    #expect(untyped == ["x": .null, "y": .integer(2)])
    let deleted = try await result(["x": 1, "m": ["a": 1, "b": 2]]) {
      try await $0.setData(
        ["x": FieldValue.delete(), "m": ["a": FieldValue.delete()]], merge: true)
    }
    #expect(deleted == ["m": .map(["b": .integer(2)])])
  }

  @Test func `BR-033: a dotted path changes one field, and the indexes follow`() async throws {
    try await withDatabase { database in
      let people = database.collection("people")
      let ann = people.document("ann")
      try await ann.setData(["profile": ["age": 30, "name": "ann", "deep": ["er": [1, 2]]]])
      try await ann.updateData(["profile.age": 31])
      let fields = try await ann.getDocument().fields
      let deep: Value = .map(["er": .array([.integer(1), .integer(2)])])
      #expect(
        fields == ["profile": .map(["age": .integer(31), "deep": deep, "name": .string("ann")])])
      let found = try await people.whereField("profile.age", isEqualTo: 31).ids
      #expect(found == ["ann"])
      let former = try await people.whereField("profile.age", isEqualTo: 30).ids
      #expect(former == [])
      // The whole map has an entry of its own, which must move too.
      let whole: [String: Any] = ["age": 31, "name": "ann", "deep": ["er": [1, 2]]]
      let byMap = try await people.whereField("profile", isEqualTo: whole).ids
      #expect(byMap == ["ann"])
      try await ann.updateData(["profile.deep.er": FieldValue.arrayUnion([3])])
      let byElement = try await people.whereField("profile.deep.er", arrayContains: 3).ids
      #expect(byElement == ["ann"])
      let byFormer = try await people.whereField("profile", isEqualTo: whole).ids
      #expect(byFormer == [])
      try await ann.updateData(["profile.age": FieldValue.delete()])
      let ordered = try await people.order(by: "profile.age").ids
      #expect(ordered == [])
      // A path through what is no map replaces it.
      try await ann.updateData(["profile.name.first": "Ann"])
      let byName = try await people.whereField("profile.name.first", isEqualTo: "Ann").ids
      #expect(byName == ["ann"])
      let replaced = try await people.whereField("profile.name", isEqualTo: "ann").ids
      #expect(replaced == [])
      let report = try await database.verify()
      #expect(report.findings == [])
    }
  }
}
