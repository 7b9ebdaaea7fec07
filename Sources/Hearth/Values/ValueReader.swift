import Foundation
import HearthModel

/// Turns untyped Swift values into the model's (the API's table 7.1).
struct ValueReader {
  /// Where a value stands, which decides what may stand there.
  enum Place {
    /// A field of a document or of a map.
    case field
    /// Directly in an array.
    case element
    /// In a map in an array.
    case below
    /// The operand of a filter, or a cursor's value.
    case operand
  }

  /// The database that references must belong to; nil to accept one and note it in `seen`.
  let database: Firestore?
  private(set) var seen: Firestore?
  private(set) var sentinels: [WriteData.Sentinel] = []

  private static let deepest = 64

  init(database: Firestore?) { self.database = database }

  /// The fields of a document, names taken literally.
  static func document(
    _ data: [String: Any], in database: Firestore
  ) throws(HearthError) -> WriteData {
    var reader = ValueReader(database: database)
    let fields = try reader.map(data, at: [], .field)
    return WriteData(fields: fields, sentinels: reader.sentinels, database: reader.seen)
  }

  /// One value at a path of a document, for `updateData`.
  static func field(
    _ value: Any, at path: FieldPath, in database: Firestore
  ) throws(HearthError) -> WriteData {
    var reader = ValueReader(database: database)
    var data = WriteData()
    if let value = try reader.read(value, at: path.segments, .field) {
      data.fields.set(value, at: path)
    }
    data.sentinels = reader.sentinels
    data.database = reader.seen
    return data
  }

  /// Reads a value; nil for a sentinel, which is noted with its path.
  mutating func read(
    _ input: Any, at path: [String], _ place: Place
  ) throws(HearthError) -> Value? {
    // Far beyond what can be stored: stop before the recursion costs time or the stack.
    if path.count > ValueReader.deepest {
      throw .invalid("DEPTH", "Maps and arrays may be nested 20 deep at most.")
    }
    // Only an exact type decides: on every platform an NSNumber casts to Bool and Int alike.
    let type = type(of: input)
    if type == String.self, let string = input as? String { return .string(string) }
    if type == Int.self, let number = input as? Int { return .integer(Int64(number)) }
    if type == Double.self, let number = input as? Double { return .double(number) }
    if type == Bool.self, let flag = input as? Bool { return .boolean(flag) }
    if let optional = input as? any AnyOptional {
      guard let wrapped = optional.wrapped else { return .null }
      return try read(wrapped, at: path, place)
    }
    if let value = try special(input, at: path, place) { return value.value }
    if let number = try ValueReader.number(input, at: path) { return number }
    if let string = input as? String { return .string(string) }
    if let string = input as? Substring { return .string(String(string)) }
    if let array = input as? [Any] { return try self.array(array, at: path, place) }
    if let map = input as? [String: Any] {
      return .map(try self.map(map, at: path, place == .element ? .below : place))
    }
    if let set = input as? Set<AnyHashable> {
      return try array(set.map(\.base), at: path, place)
    }
    if type == AnyHashable.self, let hashable = input as? AnyHashable {
      return try read(hashable.base, at: path, place)
    }
    throw .invalid(
      "UNSUPPORTED_TYPE",
      "Values of type \(type) cannot be stored (field '\(FieldPath(path))'). "
        + "Codable types go through setData(from:).")
  }

  private struct Special {
    var value: Value?
    static let taken = Special(value: nil)
  }

  /// Firestore's own types and Foundation's; nil if it is none of them.
  private mutating func special(
    _ input: Any, at path: [String], _ place: Place
  ) throws(HearthError) -> Special? {
    switch input {
    case let value as Value: return Special(value: value)
    case let fields as Fields: return Special(value: .map(fields))
    case is NSNull: return Special(value: .null)
    case let time as Timestamp:
      // One that is out of range stays as it is, to be refused as such.
      return Special(value: .timestamp(time.isValid ? time.truncatedToMicroseconds : time))
    case let date as Date:
      return Special(value: .timestamp(Timestamp(storing: date)))
    case let point as GeoPoint: return Special(value: .geoPoint(point))
    case let vector as VectorValue: return Special(value: .vector(vector))
    case let data as Data: return Special(value: .bytes(Array(data)))
    case let reference as DocumentReference:
      return Special(value: .reference(try note(reference)))
    case let sentinel as FieldValue:
      try take(sentinel, at: path, place)
      return .taken
    default: return nil
    }
  }

  private mutating func note(_ reference: DocumentReference) throws(HearthError) -> DocumentPath {
    let path = try reference.resolved.get()
    try note(database: reference.firestore)
    return path
  }

  /// Checks that a reference belongs to the one database of this value.
  mutating func note(database other: Firestore) throws(HearthError) {
    if let expected = database ?? seen, expected !== other { throw ValueReader.foreign }
    seen = other
  }

  static let foreign = HearthError.invalid(
    "FOREIGN_REFERENCE", "The document reference belongs to another Firestore database.")

  private mutating func take(
    _ sentinel: FieldValue, at path: [String], _ place: Place
  ) throws(HearthError) {
    switch place {
    case .field: break
    case .element, .below:
      throw .invalid(
        "SENTINEL_IN_ARRAY",
        "FieldValue.\(sentinel.name) cannot stand inside an array (field '\(FieldPath(path))').")
    case .operand:
      throw .invalid("SENTINEL_IN_QUERY", "FieldValue.\(sentinel.name) cannot stand in a query.")
    }
    if let error = sentinel.error { throw error }
    if let other = sentinel.database { try note(database: other) }
    sentinels.append(WriteData.Sentinel(path: FieldPath(path), value: sentinel))
  }

  private mutating func array(
    _ array: [Any], at path: [String], _ place: Place
  ) throws(HearthError) -> Value {
    if place == .element {
      throw .invalid(
        "NESTED_ARRAY",
        "An array cannot stand directly inside an array (field '\(FieldPath(path))').")
    }
    var values: [Value] = []
    values.reserveCapacity(array.count)
    for element in array {
      let inner: Place = place == .operand ? .operand : .element
      if let value = try read(element, at: path, inner) { values.append(value) }
    }
    return .array(values)
  }

  private mutating func map(
    _ map: [String: Any], at path: [String], _ place: Place
  ) throws(HearthError) -> Fields {
    var pairs: [(String, Value)] = []
    pairs.reserveCapacity(map.count)
    for (name, input) in map {
      if let value = try read(input, at: path + [name], place) { pairs.append((name, value)) }
    }
    // Fields are kept in this order; given so, each is appended.
    pairs.sort { UTF8Order.compare($0.0, $1.0) < 0 }
    return Fields(pairs)
  }

  /// Numbers of all kinds and booleans in an `NSNumber`; nil if it is none.
  private static func number(_ input: Any, at path: [String]) throws(HearthError) -> Value? {
    if let integer = input as? any FixedWidthInteger, !(input is NSNumber && isObject(input)) {
      guard let exact = Int64(exactly: integer) else { throw tooLarge(path) }
      return .integer(exact)
    }
    let type = type(of: input)
    if type == Float.self, let number = input as? Float { return .double(Double(number)) }
    if type == CGFloat.self, let number = input as? CGFloat { return .double(Double(number)) }
    if type == Decimal.self, let number = input as? Decimal {
      return .double(NSDecimalNumber(decimal: number).doubleValue)
    }
    guard let number = input as? NSNumber else { return nil }
    if number === NSNumber(value: true) { return .boolean(true) }
    if number === NSNumber(value: false) { return .boolean(false) }
    // The type code tells only floating from integral; the integral kinds differ by platform.
    let code = UInt8(bitPattern: number.objCType.pointee)
    if code == UInt8(ascii: "d") || code == UInt8(ascii: "f") {
      return .double(number.doubleValue)
    }
    if code == UInt8(ascii: "Q"), number.uint64Value > UInt64(Int64.max) { throw tooLarge(path) }
    return .integer(number.int64Value)
  }

  /// Whether a value is a class instance, so that its casts to Swift numbers are conversions.
  private static func isObject(_ input: Any) -> Bool { type(of: input) is AnyClass }

  private static func tooLarge(_ path: [String]) -> HearthError {
    .invalid(
      "INTEGER_RANGE",
      "The integer in field '\(FieldPath(path))' does not fit into 64 bits with a sign.")
  }
}

/// Lets an optional inside `Any` be looked into.
private protocol AnyOptional {
  var wrapped: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var wrapped: Any? {
    switch self {
    case .none: nil
    case .some(let value): value
    }
  }
}
