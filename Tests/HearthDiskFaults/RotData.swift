import HearthEngine
import HearthModel
import HearthTestSupport

/// The database that is damaged: all kinds of values, long names, values beyond a page, indexes of
/// all kinds, and a past.
enum RotData {
  static let things = 120

  /// Fills a new database, calls `between` with it closed, and changes it.
  static func make(_ path: String, between: () throws -> Void) async throws {
    let engine = try Engine.open(.test(path: path))
    try await engine.createIndex(
      IndexDefinition(
        collectionID: "things",
        fields: [
          IndexField(FieldPath(["kind"]), .ascending),
          IndexField(FieldPath(["value"]), .ascending),
        ]))
    try await engine.createIndex(
      IndexDefinition(
        collectionID: "things",
        fields: [
          IndexField(FieldPath(["tags"]), .contains),
          IndexField(FieldPath(["value"]), .descending),
        ]))
    for start in stride(from: 0, to: things, by: 15) {
      _ = try await engine.commit(
        (start..<start + 15).map { try .set(thing($0), fields($0, round: 0)) })
    }
    for number in 0..<16 {
      _ = try await engine.commit([
        try .set("things/t5/parts/p\(number)", ["n": .integer(Int64(number))]),
        try .set("other/o\(number)/parts/q\(number % 3)", ["n": .integer(Int64(-number))]),
      ])
    }
    await engine.close()
    try between()
    try await change(path)
  }

  private static func change(_ path: String) async throws {
    let engine = try Engine.open(.test(path: path))
    for number in stride(from: 0, to: things, by: 2) {
      _ = try await engine.commit([try .set(thing(number), fields(number, round: 1))])
    }
    for number in stride(from: 7, to: things, by: 11) {
      _ = try await engine.commit([try .delete(thing(number))])
    }
    for number in 0..<12 {
      _ = try await engine.commit([
        try .set("things/new\(number)", fields(1000 + number, round: 1))
      ])
    }
    await engine.close()
  }

  /// The document's name; some are longer than LMDB's keys.
  static func thing(_ number: Int) -> String {
    "things/t\(number)" + (number % 17 == 4 ? String(repeating: "-long", count: 130) : "")
  }

  static func fields(_ number: Int, round: Int) -> Fields {
    let n = Int64(number)
    let value = Int64(number * 31 % 127 + round * 1000)
    let lengths = [0, 5, 60, 400, 1800, 5000, 9000]
    let length = number % 15 == 0 ? lengths[number / 15 % 7] : lengths[number % 4]
    return [
      "kind": .integer((n + Int64(round)) % 7), "value": .integer(value),
      "flag": number % 3 == 0 ? .null : .boolean(number % 2 == 0),
      "price": number % 10 == 0 ? .double(.nan) : .double(Double(value) / 4),
      "tags": .array([.string("a\(number % 4)"), .string("b\(round)"), .integer(n % 5)]),
      "when": .timestamp(Timestamp(seconds: 1_700_000_000 + value, nanoseconds: Int32(number))),
      "place": .geoPoint(GeoPoint(latitude: Double(number % 90), longitude: Double(round))),
      "raw": .bytes([UInt8(number % 256), 0, 255, UInt8(round)]),
      "inner": .map(["a": .integer(n), "b": .map(["c": .string("x\(round)")])]),
      "near": .vector(VectorValue([Double(number), Double(round)])),
      "text": .string(String(repeating: "\(number % 10)", count: length)),
      // The last of the fields, so that its letters are the last bytes of the record.
      "z": .string("end \(number) of \(round) aaaa"),
    ]
  }
}
