import Testing

@testable import Hearth

/// The decoding table of the API (8.4) and the property wrappers (8.5).
@Suite struct CodableDecodingTests {
  private let db = Firestore.firestore()

  private struct Box<T: Codable>: Codable { var v: T }

  private func decode<T: Codable>(
    _ type: T.Type, _ value: Value, _ set: (Firestore.Decoder) -> Void = { _ in }
  ) throws -> T {
    let decoder = Firestore.Decoder()
    set(decoder)
    return try decoder.decode(Box<T>.self, value: .map(["v": value]), of: db.document("c/d")).v
  }

  /// The case of the error and its path.
  private func failure(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "none"
    } catch let error as DecodingError {
      func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map(\.stringValue).joined(separator: "/")
      }
      switch error {
      case .typeMismatch(_, let context): return "typeMismatch " + path(context)
      case .valueNotFound(_, let context): return "valueNotFound " + path(context)
      case .keyNotFound(let key, let context):
        return "keyNotFound " + path(context) + ":" + key.stringValue
      case .dataCorrupted(let context): return "dataCorrupted " + path(context)
      @unknown default: return "unknown"
      }
    } catch {
      return "\(type(of: error))"
    }
  }

  @Test func `numbers, booleans and strings`() throws {
    #expect(try decode(Bool.self, .boolean(true)))
    #expect(failure { _ = try decode(Bool.self, .integer(1)) } == "typeMismatch v")
    #expect(failure { _ = try decode(Int.self, .boolean(true)) } == "typeMismatch v")
    #expect(try decode(Int.self, .integer(5)) == 5)
    #expect(try decode(Int.self, .double(3.0)) == 3)
    #expect(failure { _ = try decode(Int.self, .double(45.55)) } == "dataCorrupted v")
    #expect(failure { _ = try decode(Int8.self, .integer(300)) } == "dataCorrupted v")
    #expect(failure { _ = try decode(UInt.self, .integer(-1)) } == "dataCorrupted v")
    #expect(try decode(Double.self, .integer(5)) == 5)
    #expect(try decode(Double.self, .double(.nan)).isNaN)
    #expect(try decode(Float.self, .double(0.1)) == Float(0.1))
    #expect(failure { _ = try decode(Float.self, .double(1e300)) } == "dataCorrupted v")
    #expect(failure { _ = try decode(Double.self, .string("NaN")) } == "typeMismatch v")
    #expect(
      try decode(Double.self, .string("nan")) {
        $0.nonConformingFloatDecodingStrategy = .convertFromString(
          positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      }.isNaN)
    #expect(try decode(String.self, .string("x")) == "x")
    #expect(failure { _ = try decode(String.self, .integer(1)) } == "typeMismatch v")
    #expect(failure { _ = try decode(String.self, .null) } == "valueNotFound v")
    #expect(try decode(Decimal.self, .double(1.5)) == Decimal(1.5))
  }

  @Test func `dates, data, URLs and UUIDs`() throws {
    let time = Timestamp(seconds: 10, nanoseconds: 500_000_000)
    #expect(try decode(Date.self, .timestamp(time)) == Date(timeIntervalSince1970: 10.5))
    #expect(failure { _ = try decode(Date.self, .double(1)) } == "typeMismatch v")
    #expect(failure { _ = try decode(Date.self, .null) } == "valueNotFound v")
    #expect(
      try decode(Date.self, .integer(10)) { $0.dateDecodingStrategy = .secondsSince1970 }
        == Date(timeIntervalSince1970: 10))
    #expect(
      try decode(Date.self, .string("2001-09-09T01:46:40Z")) { $0.dateDecodingStrategy = .iso8601 }
        == Date(timeIntervalSince1970: 1_000_000_000))
    #expect(
      failure {
        _ = try decode(Date.self, .string("never")) { $0.dateDecodingStrategy = .iso8601 }
      } == "dataCorrupted v")
    #expect(try decode(Data.self, .bytes([1, 2])) == Data([1, 2]))
    #expect(try decode(Data.self, .string("AQI=")) == Data([1, 2]))
    #expect(failure { _ = try decode(Data.self, .integer(1)) } == "typeMismatch v")
    #expect(try decode(URL.self, .string("https://x.y")) == URL(string: "https://x.y"))
    #expect(failure { _ = try decode(URL.self, .string("")) } == "dataCorrupted v")
    let id = UUID()
    #expect(try decode(UUID.self, .string(id.uuidString)) == id)
    #expect(failure { _ = try decode(UUID.self, .string("x")) } == "dataCorrupted v")
  }

  @Test func `Firestore's own types, native or as maps`() throws {
    let time = Timestamp(seconds: 1, nanoseconds: 2)
    #expect(try decode(Timestamp.self, .timestamp(time)) == time)
    #expect(
      try decode(Timestamp.self, .map(["seconds": .integer(1), "nanoseconds": .integer(2)])) == time
    )
    let point = GeoPoint(latitude: 1, longitude: 2)
    #expect(try decode(GeoPoint.self, .geoPoint(point)) == point)
    #expect(
      try decode(GeoPoint.self, .map(["latitude": .double(1), "longitude": .integer(2)])) == point)
    #expect(
      failure {
        _ = try decode(GeoPoint.self, .map(["latitude": .double(91), "longitude": .integer(2)]))
      } == "dataCorrupted v")
    #expect(try decode(VectorValue.self, .vector(VectorValue([1]))) == VectorValue([1]))
    let reference = try decode(DocumentReference.self, .reference(DocumentPath("a/b")))
    #expect(reference == db.document("a/b"))
    #expect(
      failure { _ = try decode(DocumentReference.self, .string("a/b")) }
        == "FirestoreDecodingError")
  }

  @Test func `containers, optionals and missing keys`() throws {
    #expect(try decode([Int].self, .array([.integer(1), .double(2)])) == [1, 2])
    #expect(try decode(Set<Int>.self, .array([.integer(1)])) == [1])
    #expect(
      failure { _ = try decode([Int].self, .array([.integer(1), .null])) }
        == "valueNotFound v/Index 1")
    #expect(try decode([Int?].self, .array([.integer(1), .null])) == [1, nil])
    #expect(try decode([String: Int].self, .map(["a": .integer(1)])) == ["a": 1])
    #expect(try decode([Int: Int].self, .map(["7": .integer(1)])) == [7: 1])
    #expect(try decode(Int?.self, .null) == nil)
    #expect(failure { _ = try decode(Box<Int>.self, .null) } == "valueNotFound v")
    #expect(failure { _ = try decode(Box<Int>.self, .map([:])) } == "keyNotFound v:v")
    struct Loose: Codable { var a: Int?, b: String? }
    let loose = try decode(Loose.self, .map(["a": .null, "unknown": .integer(1)]))
    #expect(loose.a == nil && loose.b == nil)
    #expect(failure { _ = try decode([Int].self, .map([:])) } == "typeMismatch v")
  }

  @Test func `snake case names come back, the bytewise smallest winning`() throws {
    struct Model: Codable {
      var oneTwo: Int
      var inner: [String: Int]
    }
    let decoder = Firestore.Decoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let fields: Fields = [
      "one_two": .integer(2), "oneTwo": .integer(1), "inner": .map(["keep_me": .integer(3)]),
    ]
    let model = try decoder.decode(Model.self, value: .map(fields), of: nil)
    #expect(model.oneTwo == 1)
    #expect(model.inner == ["keep_me": 3])
  }

  struct Wrapped: Codable, Equatable {
    struct Part: Codable, Equatable { @DocumentID var up: String? }
    @DocumentID var id: String?
    @DocumentID var reference: DocumentReference?
    @ServerTimestamp var time: Date?
    @ExplicitNull var null: Int?
    var parts: [Part]
  }

  @Test func `the wrappers decode from place, null and nothing`() throws {
    let reference = db.document("c/d")
    let decoder = Firestore.Decoder()
    let fields: Fields = ["id": .string("stored"), "parts": .array([.map([:])])]
    let model = try decoder.decode(Wrapped.self, value: .map(fields), of: reference)
    #expect(model.id == "d")
    #expect(model.reference == reference)
    #expect(model.time == nil)
    #expect(model.null == nil)
    #expect(model.parts.first?.up == "d")

    decoder.documentIDConflictStrategy = .throw
    #expect(
      failure { _ = try decoder.decode(Wrapped.self, value: .map(fields), of: reference) }
        == "FirestoreDecodingError")
    #expect(
      failure { _ = try Firestore.Decoder().decode(Wrapped.self, from: ["parts": [Int]()]) }
        == "FirestoreDecodingError")
    #expect(
      failure { _ = try JSONDecoder().decode(DocumentID<String>.self, from: Data("1".utf8)) }
        == "FirestoreDecodingError")

    let null: Fields = ["time": .null, "null": .null, "parts": .array([])]
    let nulls = try Firestore.Decoder().decode(Wrapped.self, value: .map(null), of: reference)
    #expect(nulls.time == nil && nulls.null == nil)
  }

  @Test func `untyped fields decode too`() throws {
    let model = try Firestore.Decoder().decode(
      Wrapped.self, from: ["parts": [[String: Any]()], "null": 4], in: db.document("c/d"))
    #expect(model.id == "d")
    #expect(model.null == 4)
  }

  struct Everything: Codable, Equatable {
    enum Kind: String, Codable { case a, b }
    enum Choice: Codable, Equatable { case none, some(Int), named(x: String) }
    var flag: Bool, small: Int8, big: Int64, double: Double, float: Float, text: String
    var date: Date, data: Data, url: URL, id: UUID, kind: Kind, choice: Choice
    var list: [Choice], map: [String: [Int]], optional: String?, time: Timestamp, point: GeoPoint
  }

  @Test func `random models come back equal`() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let micros = Int64.random(in: -1_000_000_000_000...4_000_000_000_000_000, using: &generator)
      let model = Everything(
        flag: .random(), small: .random(in: .min ... .max), big: .random(in: .min ... .max),
        double: .random(in: -1e9...1e9), float: .random(in: -1...1),
        text: "ü\(Int.random(in: 0...9))",
        date: Date(timeIntervalSince1970: Double(micros) / 1e6), data: Data([.random(in: 0...255)]),
        url: URL(filePath: "/x"), id: UUID(), kind: Bool.random() ? .a : .b,
        choice: Bool.random() ? .none : .named(x: "y"), list: [.some(1), .none],
        map: ["k": [1, 2]], optional: Bool.random() ? nil : "o",
        time: Timestamp(microseconds: micros), point: GeoPoint(latitude: 1, longitude: -1))
      let fields = try Firestore.Encoder().writeData(model, in: db).fields
      var back = try Firestore.Decoder().decode(Everything.self, value: .map(fields), of: nil)
      #expect(abs(back.date.timeIntervalSince(model.date)) < 2e-6)
      back.date = model.date
      #expect(back == model)
    }
  }
}
