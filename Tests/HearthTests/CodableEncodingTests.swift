import Testing

@testable import Hearth

/// The encoding tables of the API (8.1 to 8.3), each against the stored value.
@Suite struct CodableEncodingTests {
  private let db = Firestore.firestore()

  private func encode<T: Encodable>(_ value: T, _ set: (Firestore.Encoder) -> Void = { _ in })
    throws -> Fields
  {
    let encoder = Firestore.Encoder()
    set(encoder)
    return try encoder.writeData(value, in: db).fields
  }

  private struct Box<T: Codable>: Codable { var v: T }

  private func stored<T: Codable>(
    _ value: T, _ set: (Firestore.Encoder) -> Void = { _ in }
  ) throws -> Value? {
    try encode(Box(v: value), set)["v"]
  }

  enum Level: String, Codable { case low, high }
  enum Shape: Codable { case dot, circle(radius: Double), pair(Int, Int) }

  @Test func `plain values`() throws {
    #expect(try stored(true) == .boolean(true))
    #expect(try stored(5) == .integer(5))
    #expect(try stored(UInt8(5)) == .integer(5))
    #expect(try stored(2.5) == .double(2.5))
    #expect(try stored(Float(0.5)) == .double(0.5))
    #expect(try stored("s") == .string("s"))
    #expect(try stored(URL(string: "https://x.y/z")) == .string("https://x.y/z"))
    let id = UUID()
    #expect(try stored(id) == .string(id.uuidString))
    #expect(try stored(Decimal(string: "0.1")) == .double(0.1))
    #expect(
      try stored(Decimal(string: "0.1")) { $0.decimalEncodingStrategy = .string } == .string("0.1"))
    #expect(try stored(Level.high) == .string("high"))
  }

  @Test func `dates and data by strategy`() throws {
    let date = Date(timeIntervalSince1970: 1_000_000_000.5)
    #expect(
      try stored(date) == .timestamp(Timestamp(seconds: 1_000_000_000, nanoseconds: 500_000_000)))
    #expect(
      try stored(date) { $0.dateEncodingStrategy = .secondsSince1970 } == .double(1_000_000_000.5))
    #expect(
      try stored(date) { $0.dateEncodingStrategy = .millisecondsSince1970 }
        == .double(1_000_000_000_500))
    #expect(
      try stored(date) { $0.dateEncodingStrategy = .deferredToDate }
        == .double(date.timeIntervalSinceReferenceDate))
    #expect(
      try stored(date) { $0.dateEncodingStrategy = .iso8601 } == .string("2001-09-09T01:46:40Z"))
    #expect(try stored(date) { $0.dateEncodingStrategy = .custom { _, _ in } } == .map([:]))
    let data = Data([1, 2])
    #expect(try stored(data) == .bytes([1, 2]))
    #expect(try stored(data) { $0.dataEncodingStrategy = .base64 } == .string("AQI="))
    #expect(
      try stored(data) { $0.dataEncodingStrategy = .deferredToData }
        == .array([.integer(1), .integer(2)]))
  }

  @Test func `Firestore's own types pass through at any depth`() throws {
    let reference = db.document("a/b")
    #expect(try stored(reference) == .reference(try DocumentPath("a/b")))
    #expect(try stored([reference]) == .array([.reference(try DocumentPath("a/b"))]))
    let point = GeoPoint(latitude: 1, longitude: 2)
    #expect(try stored(["p": [point]]) == .map(["p": .array([.geoPoint(point)])]))
    #expect(try stored(VectorValue([1])) == .vector(VectorValue([1])))
    let time = Timestamp(seconds: 1, nanoseconds: 0)
    #expect(try stored(time) == .timestamp(time))
    struct Counter: Encodable {
      var n = FieldValue.increment(1); var m = ["k": FieldValue.delete()]
    }
    let data = try Firestore.Encoder().writeData(Counter(), in: db)
    #expect(data.sentinels.map(\.path.segments) == [["n"], ["m", "k"]])
    struct Bad: Encodable { var n = [FieldValue.increment(1)] }
    #expect(try Firestore.Encoder().writeData(Bad(), in: db).error?.reason == "SENTINEL_IN_ARRAY")
  }

  @Test func `optionals, nulls and the wrappers`() throws {
    struct Model: Codable {
      @DocumentID var id: String?
      var gone: Int?
      @ExplicitNull var null: Int?
      @ExplicitNull var full: Int?
      @ServerTimestamp var now: Date?
      @ServerTimestamp var then: Timestamp?
    }
    let then = Timestamp(seconds: 3, nanoseconds: 0)
    let data = try Firestore.Encoder().writeData(
      Model(id: "x", null: nil, full: 1, then: then), in: db)
    #expect(data.fields == ["null": .null, "full": .integer(1), "then": .timestamp(then)])
    #expect(data.sentinels.map(\.path.segments) == [["now"]])
    #expect(try stored([1, nil]) == .array([.integer(1), .null]))
    #expect(try stored(["a": nil as Int?]) == .map(["a": .null]))
  }

  @Test func `enums, dictionaries and nesting`() throws {
    #expect(try stored(Shape.dot) == .map(["dot": .map([:])]))
    #expect(
      try stored(Shape.circle(radius: 2)) == .map(["circle": .map(["radius": .double(2)])]))
    #expect(
      try stored(Shape.pair(1, 2)) == .map(["pair": .map(["_0": .integer(1), "_1": .integer(2)])]))
    #expect(try stored(["k": 1]) == .map(["k": .integer(1)]))
    #expect(try stored([7: 1]) == .map(["7": .integer(1)]))
    #expect(try stored([Level.low: 1]) == .array([.string("low"), .integer(1)]))
    #expect(try stored(Box(v: Box(v: 1))) == .map(["v": .map(["v": .integer(1)])]))
    #expect(await_none(try encode([String: Int]())))
    #expect(try encode(["a": 1]) == ["a": .integer(1)])
  }

  private func await_none(_ fields: Fields) -> Bool { fields.isEmpty }

  class Base: Encodable {
    var a = 1
  }
  final class Derived: Base {
    enum Keys: String, CodingKey { case b }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(2, forKey: .b)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test func `a class hierarchy nests under super`() throws {
    #expect(try encode(Derived()) == ["b": .integer(2), "super": .map(["a": .integer(1)])])
  }

  struct Twice: Encodable {
    enum Keys: String, CodingKey { case outer, x, y }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      var first = container.nestedContainer(keyedBy: Keys.self, forKey: .outer)
      try first.encode(1, forKey: .x)
      var second = container.nestedContainer(keyedBy: Keys.self, forKey: .outer)
      try second.encode(2, forKey: .y)
    }
  }

  @Test func `two nested containers of one key fill one map`() throws {
    #expect(try encode(Twice()) == ["outer": .map(["x": .integer(1), "y": .integer(2)])])
  }

  @Test func `snake case converts names of properties and no keys of dictionaries`() throws {
    struct Inner: Codable { var fullName = "f" }
    struct Outer: Codable {
      var oneTwo = 1
      var myURLProperty = 2
      var _keepBoth_ = 3
      var inDictionary = ["camelKey": Inner()]
    }
    let fields = try encode(Outer()) { $0.keyEncodingStrategy = .convertToSnakeCase }
    #expect(fields.map(\.name) == ["_keep_both_", "in_dictionary", "my_url_property", "one_two"])
    #expect(
      fields["in_dictionary"] == .map(["camelKey": .map(["full_name": .string("f")])]))
  }

  private func invalidValuePath(_ body: () throws -> Void) -> [String]? {
    do {
      try body()
      return nil
    } catch EncodingError.invalidValue(_, let context) {
      return context.codingPath.map(\.stringValue)
    } catch {
      return ["\(error)"]
    }
  }

  @Test func `what cannot be encoded names its coding path`() async throws {
    #expect(invalidValuePath { _ = try stored(UInt64.max) } == ["v"])
    #expect(invalidValuePath { _ = try stored([1, Double.nan]) } == ["v", "Index 1"])
    #expect(
      try stored(Double.infinity) { $0.nonConformingFloatEncodingStrategy = .allow }
        == .double(.infinity))
    #expect(
      try stored(Double.nan) {
        $0.nonConformingFloatEncodingStrategy = .convertToString(
          positiveInfinity: "+", negativeInfinity: "-", nan: "n")
      } == .string("n"))
    #expect(await reason { _ = try stored([[1]]) } == "NESTED_ARRAY")
    #expect(invalidValuePath { _ = try encode([1]) } == [])
    #expect(invalidValuePath { _ = try encode(5) } == [])
    #expect(invalidValuePath { _ = try encode(Int?.none) } == [])
    #expect(invalidValuePath { _ = try encode(db.document("a/b")) } == [])
    #expect(invalidValuePath { _ = try encode(FieldValue.delete()) } == [])
    #expect(invalidValuePath { _ = try encode(Timestamp()) } == [])
  }

  @Test func `other encoders refuse Firestore's own types`() {
    let encoder = JSONEncoder()
    #expect(throws: FirestoreEncodingError.self) {
      _ = try encoder.encode(["f": FieldValue.delete()])
    }
    #expect(throws: FirestoreEncodingError.self) {
      _ = try encoder.encode(["r": db.document("a/b")])
    }
    #expect(throws: FirestoreEncodingError.self) {
      _ = try encoder.encode(DocumentID(wrappedValue: "x"))
    }
  }

  @Test func `the public encoder gives what setData takes`() throws {
    let data = try Firestore.Encoder().encode(Box(v: ["a": db.document("x/y")]))
    let inner = data["v"] as? [String: Any]
    #expect((inner?["a"] as? DocumentReference)?.path == "x/y")
  }
}
