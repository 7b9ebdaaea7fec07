import HearthEncoding
import HearthModel
import HearthTestSupport
import Testing

struct RecordTests {
  private let create = CommitVersion(microseconds: 1_700_000_000_000_001)
  private let update = CommitVersion(microseconds: 1_800_000_000_000_002)

  private func document(_ fields: Fields) throws -> EncodedDocument {
    try EncodedDocument(
      record: DocumentCodec.record(
        create: create, update: update, fields: DocumentCodec.encode(fields)))
  }

  /// Every path that names something, and some that do not.
  private func paths(_ fields: Fields, above: [String] = []) -> [FieldPath] {
    var out: [FieldPath] = []
    for field in fields {
      let path = above + [field.name]
      out += [
        FieldPath(path), FieldPath(path + ["no such"]), FieldPath(above + [field.name + "x"]),
      ]
      if case .map(let inner) = field.value { out += paths(inner, above: path) }
    }
    return out
  }

  @Test func `a record gives back versions and fields`() throws {
    let fields: Fields = [
      "b": .double(-0.0), "a": .double(.nan), "é": .null, "e\u{301}": .integer(1),
    ]
    let document = try document(fields)
    #expect(document.createVersion == create)
    #expect(document.updateVersion == update)
    #expect(try document.fields() == fields)
    #expect(document.byteCount == document.record.count)
    #expect(Array(document.fieldBytes) == DocumentCodec.encode(fields))
    #expect(try self.document([:]).fields() == [:])
  }

  @Test func `random documents come back identical, and so does every field alone`() throws {
    var generator = SeededGenerator(seed: testSeed("Record round trip"))
    for _ in 0..<(1500 * soakFactor) {
      let fields = generator.fields(depth: 6)
      let document = try document(fields)
      #expect(try document.fields() == fields)
      for path in paths(fields) {
        #expect(try document.value(at: path) == fields.value(at: path), "\(path) of \(fields)")
      }
    }
  }

  @Test func `every edge value comes back identical`() throws {
    for value in edgeValues {
      let document = try document(["f": value])
      #expect(try document.fields()["f"] == value)
      #expect(try document.value(at: FieldPath(["f"])) == value)
    }
  }

  @Test(arguments: [1, 100, 247, 300, 65_000, 65_530, 70_000])
  func `offsets grow with the content`(length: Int) throws {
    let text = Value.string(String(repeating: "x", count: length))
    let fields: Fields = ["a": .map(["y": text, "z": .integer(7)]), "b": text, "c": .integer(9)]
    let document = try document(fields)
    #expect(try document.fields() == fields)
    #expect(try document.value(at: FieldPath(["a", "z"])) == .integer(7))
    #expect(try document.value(at: FieldPath(["c"])) == .integer(9))
  }

  @Test func `many fields are found one by one`() throws {
    let fields = Fields((0..<3000).map { ("f\($0)", Value.integer($0)) })
    let document = try document(fields)
    for number: Int64 in 0..<3000 {
      #expect(try document.value(at: FieldPath(["f\(number)"])) == .integer(number))
    }
    #expect(try document.value(at: FieldPath(["f3000"])) == nil)
    #expect(try document.value(at: FieldPath([])) == nil)
  }

  @Test func `versions can be replaced in place`() throws {
    var record = DocumentCodec.record(
      create: .zero, update: .zero, fields: DocumentCodec.encode(["a": .integer(1)]))
    DocumentCodec.setVersions(create: create, update: update, in: &record)
    let document = try EncodedDocument(record: record)
    #expect(document.createVersion == create)
    #expect(document.updateVersion == update)
    #expect(try document.fields() == ["a": .integer(1)])
  }
}
