import Foundation
import HearthModel

/// The decoder that values see: it stands at one stored value.
struct ValueDecoder: Swift.Decoder {
  let value: Value
  let path: CodingPath?
  let context: DecodingContext
  /// False below a dictionary, whose keys are data.
  let convertsKeys: Bool

  var codingPath: [any CodingKey] { CodingPath.keys(path) }
  var userInfo: [CodingUserInfoKey: Any] { context.options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch value {
    case .map(let fields):
      return KeyedDecodingContainer(ValueKeyedContainer<Key>(fields, self))
    case .null:
      throw DecodingError.valueNotFound(
        KeyedDecodingContainer<Key>.self,
        failure("Cannot get keyed decoding container -- found null value instead"))
    default: throw mismatch(Fields.self)
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch value {
    case .array(let values): return ValueUnkeyedContainer(values: values, decoder: self)
    case .null:
      throw DecodingError.valueNotFound(
        (any UnkeyedDecodingContainer).self,
        failure("Cannot get unkeyed decoding container -- found null value instead"))
    default: throw mismatch([Value].self)
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    ValueSingleContainer(decoder: self)
  }

  /// The decoder of a part of this value.
  func part(_ value: Value, _ key: any CodingKey, convertsKeys: Bool = true) -> ValueDecoder {
    ValueDecoder(
      value: value, path: CodingPath(key, in: path), context: context, convertsKeys: convertsKeys)
  }

  // MARK: Errors

  func failure(_ message: String, underlying: (any Error)? = nil) -> DecodingError.Context {
    DecodingError.Context(
      codingPath: codingPath, debugDescription: message, underlyingError: underlying)
  }

  func mismatch(_ wanted: Any.Type) -> DecodingError {
    if value.isNull {
      return .valueNotFound(wanted, failure("Expected \(wanted) but found null value instead"))
    }
    return .typeMismatch(
      wanted, failure("Expected to decode \(wanted) but found \(value.kindName) instead."))
  }

  func corrupted(_ message: String) -> DecodingError { .dataCorrupted(failure(message)) }

  // MARK: Plain values

  func bool() throws -> Bool {
    guard case .boolean(let flag) = value else { throw mismatch(Bool.self) }
    return flag
  }

  func string() throws -> String {
    guard case .string(let string) = value else { throw mismatch(String.self) }
    return string
  }

  func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    let exact: T?
    switch value {
    case .integer(let number): exact = T(exactly: number)
    case .double(let number): exact = T(exactly: number)
    default: throw mismatch(type)
    }
    guard let exact else {
      throw corrupted("The stored number \(value.kindName) does not fit in \(type) exactly.")
    }
    return exact
  }

  func double() throws -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .double(let number): return number
    case .string(let string):
      if case .convertFromString(let positive, let negative, let nan) =
        context.options.nonConformingFloatDecodingStrategy
      {
        if string == positive { return .infinity }
        if string == negative { return -.infinity }
        if string == nan { return .nan }
      }
      throw mismatch(Double.self)
    default: throw mismatch(Double.self)
    }
  }

  func float() throws -> Float {
    let wide = try double()
    let narrow = Float(wide)
    if wide.isFinite && !narrow.isFinite {
      throw corrupted("The stored number \(wide) is too large for a Float.")
    }
    return narrow
  }

  // MARK: Everything else

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    // In two steps: casting the nil of "not known" to an optional `T` would succeed.
    if let known = try known(type), let result = known as? T { return result }
    let below = ValueDecoder(
      value: value, path: path, context: context,
      convertsKeys: !(type is any StringKeyedDictionary.Type))
    return try T(from: below)
  }

  /// A value of a type with a stored form of its own; nil for all other types.
  private func known<T>(_ type: T.Type) throws -> Any? {
    if type == Date.self { return try date() }
    if type == Data.self { return try data() }
    if type == URL.self {
      let text = try string()
      guard let url = URL(string: text) else { throw corrupted("'\(text)' is no URL.") }
      return url
    }
    if type == Decimal.self { return try decimal() }
    if type == Timestamp.self {
      if case .timestamp(let time) = value { return time }
      return try notMap(Timestamp.self)
    }
    if type == GeoPoint.self {
      if case .geoPoint(let point) = value { return point }
      return try checkedGeoPoint()
    }
    if type == VectorValue.self {
      if case .vector(let vector) = value { return vector }
      return try notMap(VectorValue.self)
    }
    if type == DocumentReference.self { return try reference() }
    return nil
  }

  /// Nil if a map is there, from which the type decodes itself; throws otherwise.
  private func notMap(_ type: Any.Type) throws -> Any? {
    if case .map = value { return nil }
    throw mismatch(type)
  }

  private func checkedGeoPoint() throws -> Any? {
    guard case .map(let fields) = value else { throw mismatch(GeoPoint.self) }
    let point = GeoPoint(
      latitude: try coordinate(fields, "latitude"), longitude: try coordinate(fields, "longitude"))
    if !point.isValid { throw corrupted("The coordinates are out of range.") }
    return point
  }

  private func coordinate(_ fields: Fields, _ name: String) throws -> Double {
    let key = AnyCodingKey(name)
    guard let value = fields[name] else {
      throw DecodingError.keyNotFound(key, failure("No value for '\(name)'."))
    }
    return try part(value, key).double()
  }

  func reference() throws -> DocumentReference {
    guard case .reference(let path) = value, let database = context.database else {
      throw FirestoreDecodingError.decodingIsNotSupported(
        "DocumentReference can be decoded only from a stored document reference.")
    }
    return DocumentReference(database, path)
  }

  private func date() throws -> Date {
    switch context.options.dateDecodingStrategy {
    case .deferredToDate: return Date(timeIntervalSinceReferenceDate: try double())
    case .secondsSince1970: return Date(timeIntervalSince1970: try double())
    case .millisecondsSince1970: return Date(timeIntervalSince1970: try double() / 1000)
    case .iso8601:
      let text = try string()
      do { return try Date(text, strategy: .iso8601) } catch {
        throw corrupted("'\(text)' is no internet date-time.")
      }
    case .formatted(let formatter):
      let text = try string()
      guard let date = formatter.date(from: text) else {
        throw corrupted("'\(text)' has not the format expected.")
      }
      return date
    case .custom(let closure): return try closure(self)
    }
  }

  private func data() throws -> Data? {
    switch context.options.dataDecodingStrategy {
    case .deferredToData: return try Data(from: self)
    case .custom(let closure): return try closure(self)
    case .base64, .blob: break
    }
    if case .blob = context.options.dataDecodingStrategy, case .bytes(let bytes) = value {
      return Data(bytes)
    }
    guard case .string(let text) = value else { throw mismatch(Data.self) }
    guard let data = Data(base64Encoded: text) else { throw corrupted("The text is no base64.") }
    return data
  }

  private func decimal() throws -> Decimal {
    switch value {
    case .integer(let number): return Decimal(number)
    case .string(let text):
      if let decimal = Decimal(string: text) { return decimal }
      throw corrupted("'\(text)' is no decimal number.")
    default: return Decimal(try double())
    }
  }
}

extension Value {
  /// The kind of value, for messages.
  var kindName: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): "boolean \(flag)"
    case .integer(let number): "integer \(number)"
    case .double(let number): "double \(number)"
    case .timestamp: "a timestamp"
    case .string: "a string"
    case .bytes: "bytes"
    case .reference: "a document reference"
    case .geoPoint: "a geopoint"
    case .array: "an array"
    case .vector: "a vector"
    case .map: "a map"
    }
  }
}
