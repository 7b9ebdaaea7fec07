import HearthModel

/// A map that is being decoded.
struct ValueKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let fields: Fields
  /// Fields by converted name, if names are converted.
  private let converted: Fields?
  private let decoder: ValueDecoder

  init(_ fields: Fields, _ decoder: ValueDecoder) {
    self.fields = fields
    self.decoder = decoder
    guard decoder.convertsKeys else {
      converted = nil
      return
    }
    let convert: (String) -> String
    switch decoder.context.options.keyDecodingStrategy {
    case .useDefaultKeys:
      converted = nil
      return
    case .convertFromSnakeCase: convert = SnakeCase.decode
    case .custom(let closure):
      let path = decoder.codingPath
      convert = { closure(path + [AnyCodingKey($0)]).stringValue }
    }
    // Fields come in byte order, so of several with one result the smallest stays.
    var renamed = Fields()
    for field in fields {
      let name = convert(field.name)
      if renamed[name] == nil { renamed[name] = field.value }
    }
    converted = renamed
  }

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] {
    (converted ?? fields).compactMap { Key(stringValue: $0.name) }
  }

  private func value(_ key: any CodingKey) -> Value? {
    (converted ?? fields)[key.stringValue]
  }

  private func at(_ key: any CodingKey) throws -> ValueDecoder {
    guard let value = value(key) else {
      throw DecodingError.keyNotFound(
        key, decoder.failure("No value associated with key '\(key.stringValue)'."))
    }
    return decoder.part(value, key)
  }

  func contains(_ key: Key) -> Bool { value(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try at(key).value.isNull }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try at(key).bool() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try at(key).string() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try at(key).double() }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try at(key).float() }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try at(key).integer(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try at(key).integer(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try at(key).integer(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try at(key).integer(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try at(key).integer(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try at(key).integer(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try at(key).integer(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try at(key).integer(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try at(key).integer(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try at(key).integer(type) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard type is any DocumentIDMarker.Type else { return try at(key).decode(type) }
    // It comes from the document's place, whether there is a field of that name or not.
    if value(key) != nil, case .throw = decoder.context.options.documentIDConflictStrategy {
      throw FirestoreDecodingError.fieldNameConflict(
        "Field '\(key.stringValue)' of the document has the name of a @DocumentID property.")
    }
    return try T(from: decoder.part(.null, key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try at(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try at(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Swift.Decoder {
    decoder.part(value(AnyCodingKey.superKey) ?? .null, AnyCodingKey.superKey)
  }

  func superDecoder(forKey key: Key) throws -> any Swift.Decoder {
    decoder.part(value(key) ?? .null, key)
  }
}

/// An array that is being decoded.
struct ValueUnkeyedContainer: UnkeyedDecodingContainer {
  let values: [Value]
  let decoder: ValueDecoder
  private(set) var currentIndex = 0

  init(values: [Value], decoder: ValueDecoder) {
    self.values = values
    self.decoder = decoder
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex >= values.count }

  private func here(_ wanted: Any.Type) throws -> ValueDecoder {
    let key = AnyCodingKey(index: currentIndex)
    if isAtEnd {
      throw DecodingError.valueNotFound(
        wanted, decoder.part(.null, key).failure("Unkeyed container is at end."))
    }
    return decoder.part(values[currentIndex], key)
  }

  /// Decodes the element and goes on to the next one, unless decoding throws.
  private mutating func advance<T>(_ body: (ValueDecoder) throws -> T) throws -> T {
    let result = try body(try here(T.self))
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    guard try here((any Decodable).self).value.isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    try advance { try $0.bool() }
  }
  mutating func decode(_ type: String.Type) throws -> String {
    try advance { try $0.string() }
  }
  mutating func decode(_ type: Double.Type) throws -> Double {
    try advance { try $0.double() }
  }
  mutating func decode(_ type: Float.Type) throws -> Float {
    try advance { try $0.float() }
  }
  mutating func decode(_ type: Int.Type) throws -> Int {
    try advance { try $0.integer(type) }
  }
  mutating func decode(_ type: Int8.Type) throws -> Int8 {
    try advance { try $0.integer(type) }
  }
  mutating func decode(_ type: Int16.Type) throws -> Int16 {
    try advance { try $0.integer(type) }
  }
  mutating func decode(_ type: Int32.Type) throws -> Int32 {
    try advance { try $0.integer(type) }
  }
  mutating func decode(_ type: Int64.Type) throws -> Int64 {
    try advance { try $0.integer(type) }
  }
  mutating func decode(_ type: UInt.Type) throws -> UInt {
    try advance { try $0.integer(type) }
  }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
    try advance { try $0.integer(type) }
  }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
    try advance { try $0.integer(type) }
  }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
    try advance { try $0.integer(type) }
  }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
    try advance { try $0.integer(type) }
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try advance { try $0.decode(type) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try advance { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try advance { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Swift.Decoder { try advance { $0 } }
}

/// A single value that is being decoded.
struct ValueSingleContainer: SingleValueDecodingContainer {
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value.isNull }

  func decode(_ type: Bool.Type) throws -> Bool { try decoder.bool() }
  func decode(_ type: String.Type) throws -> String { try decoder.string() }
  func decode(_ type: Double.Type) throws -> Double { try decoder.double() }
  func decode(_ type: Float.Type) throws -> Float { try decoder.float() }
  func decode(_ type: Int.Type) throws -> Int { try decoder.integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(type) }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
}
