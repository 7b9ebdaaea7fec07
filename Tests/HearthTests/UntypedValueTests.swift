import Hearth
import Testing

@testable import Hearth

/// What goes in as `[String: Any]` and what comes out (the API's tables 7.1 and 7.2).
@Suite struct UntypedValueTests {
  private let db = Firestore.firestore()

  private func stored(_ value: Any) throws -> Value? {
    try ValueReader.document(["f": value], in: db).fields["f"]
  }

  @Test func `every accepted Swift value is stored as its table says`() throws {
    let date = Date(timeIntervalSince1970: 1_700_000_000.5)
    let time = Timestamp(seconds: 1_700_000_000, nanoseconds: 500_000_000)
    let none: Int? = nil
    let table: [(Any, Value)] = [
      (NSNull(), .null), (none as Any, .null),
      (true, .boolean(true)), (false, .boolean(false)),
      (NSNumber(value: true), .boolean(true)), (NSNumber(value: false), .boolean(false)),
      (5, .integer(5)), (Int8(1), .integer(1)), (UInt8(0), .integer(0)), (Int16(-3), .integer(-3)),
      (UInt32.max, .integer(4_294_967_295)), (Int64.min, .integer(.min)),
      (UInt64(Int64.max), .integer(.max)),
      (NSNumber(value: 1), .integer(1)), (NSNumber(value: Int8(1)), .integer(1)),
      (NSNumber(value: Int64.max), .integer(.max)),
      (5.0, .double(5)), (Float(0.1), .double(Double(Float(0.1)))), (CGFloat(2.5), .double(2.5)),
      (NSNumber(value: 5.0), .double(5)), (Decimal(string: "0.1") as Any, .double(0.1)),
      (NSDecimalNumber(string: "1.5"), .double(1.5)),
      ("s", .string("s")), ("substring".prefix(3), .string("sub")), (NSString("n"), .string("n")),
      (date, .timestamp(time)), (NSDate(timeIntervalSince1970: 1_700_000_000.5), .timestamp(time)),
      (
        Timestamp(seconds: 1, nanoseconds: 1999),
        .timestamp(Timestamp(seconds: 1, nanoseconds: 1000))
      ),
      (Data([1, 2]), .bytes([1, 2])),
      (GeoPoint(latitude: 1, longitude: 2), .geoPoint(GeoPoint(latitude: 1, longitude: 2))),
      (FieldValue.vector([1.0, 2.0]), .vector(VectorValue([1, 2]))),
      (db.document("a/b"), .reference(try DocumentPath("a/b"))),
      ([1, 2], .array([.integer(1), .integer(2)])), (Set([7]), .array([.integer(7)])),
      (NSArray(array: [1]), .array([.integer(1)])), ([] as [Int], .array([])),
      (["k": 1], .map(["k": .integer(1)])), ([:] as [String: Any], .map([:])),
      (NSDictionary(dictionary: ["k": "v"]), .map(["k": .string("v")])),
      ([["k": [1]]], .array([.map(["k": .array([.integer(1)])])])),
    ]
    for (input, expected) in table {
      #expect(try stored(input) == expected, "\(type(of: input)) \(input)")
    }
  }

  private struct Own {}

  @Test func `what cannot be stored is refused with its reason`() async {
    let other = Firestore.firestore()
    let table: [(Any, String)] = [
      (UInt64.max, "INTEGER_RANGE"), (NSNumber(value: UInt64.max), "INTEGER_RANGE"),
      ([[1]], "NESTED_ARRAY"), (Own(), "UNSUPPORTED_TYPE"),
      (UUID(), "UNSUPPORTED_TYPE"), (NSDictionary(dictionary: [1: 2]), "UNSUPPORTED_TYPE"),
      ([FieldValue.serverTimestamp()], "SENTINEL_IN_ARRAY"),
      ([["k": FieldValue.increment(1)]], "SENTINEL_IN_ARRAY"),
      (FieldValue.arrayUnion([[1]]), "NESTED_ARRAY"),
      (other.document("a/b"), "FOREIGN_REFERENCE"),
      (db.document("a"), "PATH_WRONG_PARITY"),
    ]
    for (input, expected) in table {
      #expect(await reason { _ = try stored(input) } == expected, "\(type(of: input))")
    }
  }

  @Test func `numbers that come out cast as on Apple's platforms`() {
    let writer = ValueWriter(database: db)
    let integer = writer.untyped(.integer(5))
    #expect(integer as? Int == 5)
    #expect(integer as? Int64 == 5)
    #expect(integer as? Double == 5)
    #expect(integer as? Float == 5)
    let double = writer.untyped(.double(4.5))
    #expect(double as? Double == 4.5)
    #expect(double as? Float == 4.5)
    #expect(double as? Int == nil)
    #expect(writer.untyped(.double(0.1)) as? Float == nil)
    #expect(writer.untyped(.double(5)) as? Int == 5)
    let flag = writer.untyped(.boolean(true))
    #expect(flag as? Bool == true)
    #expect(flag as? Int == 1)
    #expect(writer.untyped(.integer(.max)) as? Int64 == .max)
    let nested = writer.untyped(
      .map(["a": .array([.integer(1), .map(["b": .double(2.5)])]), "n": .null]))
    let map = nested as? [String: Any]
    let array = map?["a"] as? [Any]
    #expect(array?.first as? Int == 1)
    #expect((array?.last as? [String: Any])?["b"] as? Float == 2.5)
    #expect(map?["n"] is NSNull)
    #expect(writer.untyped(.bytes([1])) as? Data == Data([1]))
    #expect(writer.untyped(.timestamp(Timestamp(seconds: 1, nanoseconds: 0))) as? Timestamp != nil)
    #expect((writer.untyped(.reference(path("a/b"))) as? DocumentReference)?.path == "a/b")
  }

  private func path(_ text: String) -> DocumentPath {
    (try? db.document(text).resolved.get())
      ?? DocumentPath(collection: CollectionPath(unchecked: ["x"]), id: "x")
  }

  @Test func `what came out goes in again unchanged`() throws {
    let values: [Value] = [
      .null, .boolean(true), .integer(1), .integer(0), .double(1), .double(0.5), .string("x"),
      .bytes([0]), .array([.integer(1)]), .map(["a": .boolean(false)]),
      .geoPoint(GeoPoint(latitude: 1, longitude: 1)), .vector(VectorValue([1])),
      .reference(path("a/b")), .timestamp(Timestamp(seconds: 5, nanoseconds: 1000)),
    ]
    for value in values {
      #expect(try stored(ValueWriter(database: db).untyped(value)) == value)
    }
  }

  @Test func `dates convert to timestamps and back`() {
    #expect(Timestamp(date: Date(timeIntervalSince1970: -0.25)).seconds == -1)
    #expect(Timestamp(date: Date(timeIntervalSince1970: -0.25)).nanoseconds == 750_000_000)
    let time = Timestamp(seconds: 10, nanoseconds: 250_000_000)
    #expect(time.dateValue() == Date(timeIntervalSince1970: 10.25))
    #expect(time.compare(Timestamp(seconds: 10, nanoseconds: 0)) == .orderedDescending)
    #expect(!Timestamp(date: .distantFuture.addingTimeInterval(1e15)).isValid)
  }

  @Test func `increments of every literal compile to their kind`() {
    #expect(FieldValue.increment(1) == FieldValue.increment(Int64(1)))
    #expect(FieldValue.increment(1.0) != FieldValue.increment(1))
    #expect(FieldValue.arrayUnion([1]) == FieldValue.arrayUnion([1]))
    #expect(FieldValue.arrayUnion([1]) != FieldValue.arrayRemove([1]))
    #expect(FieldValue.delete() != FieldValue.serverTimestamp())
  }
}
