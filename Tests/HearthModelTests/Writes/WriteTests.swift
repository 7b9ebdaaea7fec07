import HearthModel
import Testing

/// One document's life in tests.
struct Page {
  let path = CollectionPath(unchecked: ["c"]).document("d")
  let version = CommitVersion(microseconds: 2000)
  let time = Timestamp(seconds: 7, nanoseconds: 123_456_789)

  func stored(_ fields: Fields) -> Document {
    let first = CommitVersion(microseconds: 1000)
    return Document(path: path, createVersion: first, updateVersion: first, fields: fields)
  }

  func write(
    _ fields: Fields, mask: [FieldPath]? = nil, _ transforms: [FieldTransform] = [],
    _ precondition: Precondition? = nil
  ) -> Write {
    Write(
      document: path, operation: .update(fields: fields, mask: mask, transforms: transforms),
      precondition: precondition)
  }

  func delete(_ precondition: Precondition? = nil) -> Write {
    Write(document: path, operation: .delete, precondition: precondition)
  }

  func apply(_ write: Write, to fields: Fields?) throws(HearthError) -> AppliedWrite {
    try write.validate()
    return try write.apply(to: fields.map(stored), version: version, requestTime: time)
  }
}

@Suite struct WriteTests {
  let page = Page()

  @Test func `the examples of 4.2 give the results of the table`() throws {
    let a = field("a")
    let plusOne = FieldTransform(path: field("n"), kind: .increment(i(1)))
    let rows: [(Fields, Write, Fields)] = [
      // merge: the mask holds every leaf.
      (
        ["a": map(["x": i(1), "y": i(2)]), "t": list(i(1))],
        page.write(["a": map(["x": i(9)])], mask: [field("a", "x")]),
        ["a": map(["x": i(9), "y": i(2)]), "t": list(i(1))]
      ),
      (
        ["a": map(["x": i(1), "y": i(2)])], page.write(["a": map([:])], mask: [a]), ["a": map([:])]
      ),
      // mergeFields [a], and updateData("a": {x:9}).
      (
        ["a": map(["x": i(1), "y": i(2)])], page.write(["a": map(["x": i(9)])], mask: [a]),
        ["a": map(["x": i(9)])]
      ),
      (
        ["a": i(5)], page.write(["a": map(["b": i(1)])], mask: [field("a", "b")]),
        ["a": map(["b": i(1)])]
      ),
      (["a": i(5)], page.write([:], mask: [field("a", "b")]), ["a": i(5)]),
      (["a": map(["b": i(1)])], page.write([:], mask: [field("a", "b")]), ["a": map([:])]),
      (["n": i(4)], page.write([:], [plusOne]), ["n": i(1)]),
      (["n": i(4)], page.write([:], mask: [], [plusOne]), ["n": i(5)]),
    ]
    for (stored, write, expected) in rows {
      #expect(try page.apply(write, to: stored).document?.fields == expected)
    }
  }

  @Test func `preconditions fail with the codes of the table`() throws {
    let current: Fields = ["a": i(1)]
    let stale = Precondition.updateVersion(CommitVersion(microseconds: 999))
    expectFailure("DOCUMENT_MISSING", .notFound) {
      try page.apply(page.write([:], mask: [], [], .exists(true)), to: nil)
    }
    expectFailure("DOCUMENT_MISSING", .notFound) {
      try page.apply(page.delete(.exists(true)), to: nil)
    }
    expectFailure("DOCUMENT_EXISTS", .alreadyExists) {
      try page.apply(page.write([:], [], .exists(false)), to: current)
    }
    for fields in [current, nil] {
      expectFailure("VERSION_MISMATCH", .failedPrecondition) {
        try page.apply(page.write([:], [], stale), to: fields)
      }
    }
    let fresh = Precondition.updateVersion(CommitVersion(microseconds: 1000))
    #expect(try page.apply(page.delete(fresh), to: current).document == nil)
    #expect(try page.apply(page.write([:], [], .exists(false)), to: nil).changed)
  }

  @Test func `a write that leaves the fields identical keeps the update version`() throws {
    let fields: Fields = ["a": i(1), "t": list(nan)]
    let same = try page.apply(page.write(fields), to: fields)
    #expect(!same.changed)
    #expect(same.document == page.stored(fields))
    #expect(same.result.updateVersion == CommitVersion(microseconds: 1000))
    let double = try page.apply(page.write(["a": d(1), "t": list(nan)]), to: fields)
    #expect(double.changed)
    #expect(double.document?.updateVersion == page.version)
    #expect(double.document?.createVersion == CommitVersion(microseconds: 1000))
    // It still checks its precondition.
    expectFailure("DOCUMENT_EXISTS", .alreadyExists) {
      try page.apply(page.write(fields, [], .exists(false)), to: fields)
    }
  }

  @Test func `an empty update only checks existence`() throws {
    let applied = try page.apply(
      page.write([:], mask: [], [], .exists(true)), to: ["a": i(1)])
    #expect(!applied.changed)
    let made = try page.apply(page.write([:], mask: []), to: nil)
    #expect(made.changed)
    #expect(made.document?.createVersion == page.version)
  }

  @Test func `deleting what is missing succeeds and changes nothing`() throws {
    let applied = try page.apply(page.delete(), to: nil)
    #expect(!applied.changed)
    #expect(applied.result == WriteResult(updateVersion: nil, transformResults: []))
  }

  @Test func `written values are stored in their normal form`() throws {
    let time = Timestamp(seconds: 1, nanoseconds: 1999)
    let applied = try page.apply(page.write(["t": .timestamp(time)]), to: nil)
    #expect(
      applied.document?.fields == ["t": .timestamp(Timestamp(seconds: 1, nanoseconds: 1000))])
  }

  @Test func `everything that stored state does not decide is checked before applying`() {
    let tooMany = Array(
      repeating: FieldTransform(path: field("t"), kind: .serverTimestamp), count: 501)
    let rows: [(String, Write)] = [
      ("FIELD_NAME_RESERVED", page.write(["__a__": i(1)])),
      ("FIELD_NAME_RESERVED", page.write([:], mask: [.documentName])),
      ("FIELD_NAME_EMPTY", page.write([:], mask: [field("a", "")])),
      ("PRECONDITION_NOT_ALLOWED", page.delete(.exists(false))),
      ("TOO_MANY_TRANSFORMS", page.write([:], tooMany)),
      (
        "FIELD_NAME_RESERVED",
        page.write([:], [FieldTransform(path: .documentName, kind: .serverTimestamp)])
      ),
      (
        "TRANSFORM_OPERAND",
        page.write([:], [FieldTransform(path: field("a"), kind: .increment(s("1")))])
      ),
      (
        "TRANSFORM_OPERAND",
        page.write([:], [FieldTransform(path: field("a"), kind: .maximum(.null))])
      ),
      (
        "NESTED_ARRAY",
        page.write([:], [FieldTransform(path: field("a"), kind: .arrayUnion([list()]))])
      ),
      (
        "NESTED_ARRAY",
        page.write([:], [FieldTransform(path: field("a"), kind: .arrayRemove([list()]))])
      ),
      ("ID_SLASH", Write(document: page.path.collection.document("a/b"), operation: .delete)),
    ]
    for (reason, write) in rows { expectFailure(reason) { try write.validate() } }
    #expect(reason(of: { try page.write([:], Array(tooMany.dropLast())).validate() }) == nil)
  }

  @Test func `the resulting document is checked for depth and size`() {
    let deep = FieldPath(Array(repeating: "m", count: 22))
    expectFailure("DEPTH") {
      try page.apply(page.write([:], [FieldTransform(path: deep, kind: .serverTimestamp)]), to: nil)
    }
    let half = s(String(repeating: "a", count: 600_000))
    expectFailure("DOCUMENT_TOO_LARGE") {
      try page.apply(page.write(["b": half], mask: [field("b")]), to: ["a": half])
    }
    // A document may have exactly 1 MiB: name, two fields of two bytes' name, and 32.
    let rest = Fields.largestDocument - page.path.nameSize - 32 - 4 - ValueRules.longestBlob
    for (count, expected) in [(rest, nil), (rest + 1, "DOCUMENT_TOO_LARGE")] {
      let fields: Fields = [
        "a": .bytes(Array(repeating: 0, count: ValueRules.longestBlob)),
        "b": .bytes(Array(repeating: 0, count: count)),
      ]
      #expect(reason(of: { try page.apply(page.write(fields), to: nil) }) == expected)
    }
  }
}
