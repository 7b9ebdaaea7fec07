import HearthModel
import Testing

@Suite struct ValueRulesTests {
  private func nested(_ depth: Int) -> Fields {
    var fields: Fields = ["x": i(1)]
    for _ in 0..<depth { fields = ["m": map(fields)] }
    return fields
  }

  @Test func `twenty containers may be nested and not twenty-one`() throws {
    try nested(20).validateForWrite()
    expectFailure("DEPTH") { try nested(21).validateForWrite() }
    let arrays: Fields = ["a": map(["b": list(map(["c": i(1)]))])]
    try arrays.validateForWrite()
    // An endless nesting fails too, without exhausting the stack.
    expectFailure("DEPTH") { try nested(1000).validateForWrite() }
  }

  @Test func `an array in an array is refused, also below a map, but not with a map between`() {
    let direct: Fields = ["a": map(["b": list(list())])]
    expectFailure("NESTED_ARRAY") { try direct.validateForWrite() }
    let between: Fields = ["a": list(map(["b": list(i(1))]))]
    #expect(reason(of: { try between.validateForWrite() }) == nil)
  }

  @Test func `reserved, empty and long field names are refused at every level`() {
    let names = [
      ("FIELD_NAME_RESERVED", "__x__"), ("FIELD_NAME_RESERVED", "____"),
      ("FIELD_NAME_RESERVED", "__name__"), ("FIELD_NAME_EMPTY", ""),
      ("FIELD_NAME_TOO_LONG", String(repeating: "a", count: 1501)),
    ]
    for (reason, name) in names {
      let top = Fields([(name, i(1))])
      expectFailure(reason) { try top.validateForWrite() }
      let below: Fields = ["a": list(map(top))]
      expectFailure(reason) { try below.validateForWrite() }
    }
    for name in ["__", "___", "__x", "x__", "a.b", "`", " "] {
      let fields = Fields([(name, i(1))])
      #expect(reason(of: { try fields.validateForWrite() }) == nil)
    }
  }

  @Test func `a nested field path may have 1500 bytes in canonical form`() {
    let name = String(repeating: "a", count: 749)
    let fits: Fields = Fields([(name + "b", map(Fields([(name, i(1))])))])
    #expect(reason(of: { try fits.validateForWrite() }) == nil)
    // The backticks of the second name count.
    let long: Fields = Fields([(name, map(Fields([(name + ".", i(1))])))])
    expectFailure("FIELD_NAME_TOO_LONG") { try long.validateForWrite() }
  }

  @Test func `geopoints, timestamps, vectors and long values obey their ranges`() throws {
    let values: [(String?, Value)] = [
      (nil, .geoPoint(GeoPoint(latitude: -90, longitude: 180))),
      ("GEOPOINT_RANGE", .geoPoint(GeoPoint(latitude: 90.1, longitude: 0))),
      ("GEOPOINT_RANGE", .geoPoint(GeoPoint(latitude: 0, longitude: .nan))),
      (nil, .timestamp(Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999))),
      ("TIMESTAMP_RANGE", .timestamp(Timestamp(seconds: 253_402_300_800, nanoseconds: 0))),
      ("TIMESTAMP_RANGE", .timestamp(Timestamp(seconds: 0, nanoseconds: 1_000_000_000))),
      ("TIMESTAMP_RANGE", .timestamp(Timestamp(seconds: -62_135_596_801, nanoseconds: 0))),
      ("VECTOR_DIMENSION", vec()),
      (nil, .vector(VectorValue(Array(repeating: 0, count: 2048)))),
      ("VECTOR_DIMENSION", .vector(VectorValue(Array(repeating: 0, count: 2049)))),
      (nil, s(String(repeating: "a", count: 1_048_487))),
      ("VALUE_TOO_LONG", s(String(repeating: "a", count: 1_048_488))),
      ("VALUE_TOO_LONG", .bytes(Array(repeating: 0, count: 1_048_488))),
      ("ID_RESERVED", .reference(CollectionPath(unchecked: ["a"]).document("."))),
    ]
    for (expected, value) in values {
      let fields: Fields = ["f": value]
      #expect(reason(of: { try fields.validateForWrite() }) == expected)
    }
  }

  @Test func `an error about a value names its field`() throws {
    let long = s(String(repeating: "a", count: 1_048_488))
    let table: [(Fields, String)] = [
      (["a": long], "a"), (["a": map(["b.c": long])], "a.`b.c`"),
      (["a": list(i(1), map(["b": long]))], "a.b"), (["a": list(list())], "a"),
      (["a": map(["__x__": i(1)])], "a"), (["v": vec()], "v"),
      (["p": .geoPoint(GeoPoint(latitude: 91, longitude: 0))], "p"),
      (["t": .timestamp(Timestamp(seconds: .max, nanoseconds: 0))], "t"),
      (["r": .reference(CollectionPath(unchecked: ["a"]).document("."))], "r"),
    ]
    for (fields, field) in table {
      let error = #expect(throws: HearthError.self) { try fields.validateForWrite() }
      #expect(error?.message.hasSuffix(" (field '\(field)').") == true, "\(error?.message ?? "")")
    }
    let deep = #expect(throws: HearthError.self) { try nested(21).validateForWrite() }
    #expect(deep?.message.contains("(field 'm.m.m") == true)
    let union = FieldTransform(path: FieldPath(["a", "b"]), kind: .arrayUnion([long]))
    let error = #expect(throws: HearthError.self) { try union.validate() }
    #expect(error?.reason == "VALUE_TOO_LONG")
    #expect(error?.message.hasSuffix(" (field 'a.b').") == true)
  }

  @Test func `timestamps are cut to microseconds toward the past and NaN becomes one`() {
    let before = Value.timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_999))
    let cut = Value.timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_000))
    #expect(list(map(["t": before])).normalizedForStorage == list(map(["t": cut])))
    guard case .double(let x) = d(-.nan).normalizedForStorage else { return }
    #expect(x.bitPattern == Double.nan.bitPattern)
    guard case .double(let zero) = d(-0.0).normalizedForStorage else { return }
    #expect(zero.sign == .minus)
    #expect(Timestamp(microseconds: -1) == Timestamp(seconds: -1, nanoseconds: 999_999_000))
    #expect(Timestamp(microseconds: -1).microseconds == -1)
  }
}

@Suite struct ValueSizeTests {
  @Test func `the specification's example document has 147 bytes`() throws {
    let path = try DocumentPath("users/jeff/tasks/my_task_id")
    let fields: Fields = [
      "type": s("Personal"), "done": .boolean(false), "priority": i(1),
      "description": s("Learn Cloud Firestore"),
    ]
    #expect(path.nameSize == 44)
    #expect(fields.storedSize == 71)
    #expect(fields.documentSize(path: path) == 147)
  }

  @Test func `every type has the size of the table`() throws {
    let rows: [(Value, Int)] = [
      (.null, 1), (.boolean(true), 1), (i(1), 8), (d(1), 8),
      (.timestamp(Timestamp(seconds: 0, nanoseconds: 0)), 8),
      (.geoPoint(GeoPoint(latitude: 0, longitude: 0)), 16), (s("é"), 3), (.bytes([1, 2]), 2),
      (try ref("a/b"), 20), (list(i(1), s("")), 9), (list(), 0), (vec(1, 2), 16),
      (map(["a": i(1)]), 42), (map([:]), 32),
    ]
    for (value, size) in rows { #expect(value.storedSize == size, "\(value.text)") }
  }

  @Test func `a numeric document id counts 8 and a root collection's parent 16`() throws {
    #expect(try DocumentPath("a/__id12345__").nameSize == 16 + 2 + 8)
    #expect(try CollectionPath("a").parentNameSize == 16)
    #expect(try CollectionPath("users/jeff/tasks").parentNameSize == 16 + 6 + 5)
  }
}
