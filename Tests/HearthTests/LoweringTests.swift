import Testing

@testable import Hearth

/// How the calls of the API become writes (documents-and-queries, 4.2).
@Suite struct LoweringTests {
  private let db = Firestore.firestore()

  private func set(_ data: [String: Any], _ mode: SetMode) throws -> Write {
    try Lowering.set(
      DocumentPath("c/d"), try ValueReader.document(data, in: db), mode)
  }

  private func update(_ fields: [AnyHashable: Any]) throws -> Write {
    try Lowering.update(DocumentPath("c/d"), try Lowering.entries(fields, in: db))
  }

  private func expect(
    _ write: Write, _ fields: Fields, mask: [[String]]?, transforms: [[String]] = [],
    _ location: SourceLocation = #_sourceLocation
  ) {
    guard case .update(let got, let gotMask, let gotTransforms) = write.operation else {
      Issue.record("no update", sourceLocation: location)
      return
    }
    #expect(got == fields, sourceLocation: location)
    #expect(gotMask?.map(\.segments).sorted(by: <) == mask, sourceLocation: location)
    #expect(gotTransforms.map(\.path.segments) == transforms, sourceLocation: location)
  }

  @Test func `setData replaces everything and keeps literal names`() throws {
    expect(try set(["a.b": 1], .replace), ["a.b": .integer(1)], mask: nil)
    expect(
      try set(["a": ["t": FieldValue.serverTimestamp()]], .replace), ["a": .map([:])],
      mask: nil, transforms: [["a", "t"]])
  }

  @Test func `merging names every leaf, and transforms are none`() throws {
    expect(
      try set(["a": ["x": 9, "e": [:] as [String: Any]], "l": [1]], .merge),
      ["a": .map(["x": .integer(9), "e": .map([:])]), "l": .array([.integer(1)])],
      mask: [["a", "e"], ["a", "x"], ["l"]])
    expect(
      try set(["b": ["c": FieldValue.serverTimestamp()]], .merge), [:], mask: [],
      transforms: [["b", "c"]])
    expect(
      try set(["b": ["c": FieldValue.delete()], "d": 1], .merge), ["d": .integer(1)],
      mask: [["b", "c"], ["d"]])
    expect(try set([:], .merge), [:], mask: [])
  }

  @Test func `mergeFields takes only what is listed`() throws {
    expect(
      try set(["a": ["x": 9, "y": 1], "b": 2], .fields(["a.x"])),
      ["a": .map(["x": .integer(9)])], mask: [["a", "x"]])
    expect(
      try set(["a": ["x": FieldValue.delete()], "b": FieldValue.increment(1)], .fields(["a"])),
      ["a": .map([:])], mask: [["a"]])
    expect(
      try set(["a.b": 1], .fields([FieldPath(["a.b"])])), ["a.b": .integer(1)], mask: [["a.b"]])
    expect(try set(["a": FieldValue.delete()], .fields(["a"])), [:], mask: [["a"]])
  }

  @Test func `updateData reads keys as paths and needs the document`() throws {
    let write = try update(["a.x": 9, "b": ["c.d": 1]])
    expect(
      write, ["a": .map(["x": .integer(9)]), "b": .map(["c.d": .integer(1)])],
      mask: [["a", "x"], ["b"]])
    #expect(write.precondition == .exists(true))
    expect(try update(["a": FieldValue.delete()]), [:], mask: [["a"]])
    expect(
      try update(["n": FieldValue.increment(1)]), [:], mask: [], transforms: [["n"]])
    expect(
      try update(["b": ["c": FieldValue.serverTimestamp()]]), ["b": .map([:])], mask: [["b"]],
      transforms: [["b", "c"]])
    expect(
      try update([FieldPath(["a.b", "c"]): 1]), ["a.b": .map(["c": .integer(1)])],
      mask: [["a.b", "c"]])
  }

  @Test func `misplaced sentinels and bad paths are refused`() async {
    let table: [(String, () throws -> Void)] = [
      ("DELETE_SENTINEL", { _ = try set(["a": FieldValue.delete()], .replace) }),
      ("DELETE_SENTINEL", { _ = try update(["a": ["b": FieldValue.delete()]]) }),
      ("MERGE_FIELD_MISSING", { _ = try set(["a": 1], .fields(["b"])) }),
      ("FIELD_PATH_CONFLICT", { _ = try update(["a": 1, "a.b": 2]) }),
      ("FIELD_PATH_CONFLICT", { _ = try update(["a": 1, FieldPath(["a"]): 2]) }),
      ("FIELD_PATH_SYNTAX", { _ = try update(["a..b": 1]) }),
      ("FIELD_PATH_SYNTAX", { _ = try update([7: 1]) }),
      ("FIELD_PATH_SYNTAX", { _ = try update([FieldPath([]): 1]) }),
      ("FIELD_PATH_SYNTAX", { _ = try set(["a": 1], .fields([3])) }),
    ]
    for (expected, body) in table {
      #expect(await reason { try body() } == expected)
    }
  }
}

private func < (a: [String], b: [String]) -> Bool { a.lexicographicallyPrecedes(b) }
