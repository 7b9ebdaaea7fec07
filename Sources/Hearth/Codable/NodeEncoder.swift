import HearthModel

/// The encoder that values see: it fills one node.
struct NodeEncoder: Swift.Encoder {
  let node: EncodedNode
  let box: NodeBox
  let path: CodingPath?
  /// False below a dictionary, whose keys are data.
  let convertsKeys: Bool

  var codingPath: [any CodingKey] { CodingPath.keys(path) }
  var userInfo: [CodingUserInfoKey: Any] { box.options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.content = .map
    return KeyedEncodingContainer(
      NodeKeyedContainer<Key>(node: node, box: box, path: path, convertsKeys: convertsKeys))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.content = .array
    return NodeUnkeyedContainer(node: node, box: box, path: path)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    NodeSingleContainer(node: node, box: box, path: path)
  }
}

/// A map that is being encoded.
struct NodeKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodedNode
  let box: NodeBox
  let path: CodingPath?
  let convertsKeys: Bool

  var codingPath: [any CodingKey] { CodingPath.keys(path) }

  private func name(_ key: any CodingKey) -> String {
    box.name(key, at: path, convertsKeys: convertsKeys)
  }

  private func put(_ value: Value, _ key: Key) { node.named.append((name(key), .value(value))) }

  func encodeNil(forKey key: Key) throws { put(.null, key) }
  func encode(_ value: Bool, forKey key: Key) throws { put(.boolean(value), key) }
  func encode(_ value: String, forKey key: Key) throws { put(.string(value), key) }
  func encode(_ value: Double, forKey key: Key) throws {
    put(try box.double(value, at: CodingPath(key, in: path)), key)
  }
  func encode(_ value: Float, forKey key: Key) throws {
    put(try box.double(Double(value), at: CodingPath(key, in: path)), key)
  }
  func encode(_ value: Int, forKey key: Key) throws {
    put(try box.integer(value, at: CodingPath(key, in: path)), key)
  }
  func encode(_ value: Int8, forKey key: Key) throws {
    put(try box.integer(value, at: CodingPath(key, in: path)), key)
  }
  func encode(_ value: Int16, forKey key: Key) throws {
    put(try box.integer(value, at: CodingPath(key, in: path)), key)
  }
  func encode(_ value: Int32, forKey key: Key) throws {
    put(try box.integer(value, at: CodingPath(key, in: path)), key)
  }
  func encode(_ value: Int64, forKey key: Key) throws {
    put(try box.integer(value, at: CodingPath(key, in: path)), key)
  }
  func encode(_ value: UInt, forKey key: Key) throws {
    put(try box.integer(value, at: CodingPath(key, in: path)), key)
  }
  func encode(_ value: UInt8, forKey key: Key) throws {
    put(try box.integer(value, at: CodingPath(key, in: path)), key)
  }
  func encode(_ value: UInt16, forKey key: Key) throws {
    put(try box.integer(value, at: CodingPath(key, in: path)), key)
  }
  func encode(_ value: UInt32, forKey key: Key) throws {
    put(try box.integer(value, at: CodingPath(key, in: path)), key)
  }
  func encode(_ value: UInt64, forKey key: Key) throws {
    put(try box.integer(value, at: CodingPath(key, in: path)), key)
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    if let part = try box.box(value, at: CodingPath(key, in: path)) {
      node.named.append((name(key), part))
    }
  }

  /// The node of a nested container; a second one for the same key goes on filling the first.
  private func nested(_ key: any CodingKey) -> EncodedNode {
    let name = name(key)
    if let existing = node.existing(name) { return existing }
    let child = EncodedNode()
    node.named.append((name, .node(child)))
    return child
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key).unkeyedContainer()
  }

  func superEncoder() -> any Swift.Encoder { encoder(AnyCodingKey.superKey) }

  func superEncoder(forKey key: Key) -> any Swift.Encoder { encoder(key) }

  private func encoder(_ key: any CodingKey) -> NodeEncoder {
    NodeEncoder(
      node: nested(key), box: box, path: CodingPath(key, in: path), convertsKeys: true)
  }
}

/// An array that is being encoded.
struct NodeUnkeyedContainer: UnkeyedEncodingContainer {
  let node: EncodedNode
  let box: NodeBox
  let path: CodingPath?

  var codingPath: [any CodingKey] { CodingPath.keys(path) }
  var count: Int { node.elements.count }

  private var here: CodingPath { CodingPath(AnyCodingKey(index: count), in: path) }
  private func put(_ value: Value) { node.elements.append(.value(value)) }

  func encodeNil() throws { put(.null) }
  func encode(_ value: Bool) throws { put(.boolean(value)) }
  func encode(_ value: String) throws { put(.string(value)) }
  func encode(_ value: Double) throws {
    put(try box.double(value, at: here))
  }
  func encode(_ value: Float) throws {
    put(try box.double(Double(value), at: here))
  }
  func encode(_ value: Int) throws {
    put(try box.integer(value, at: here))
  }
  func encode(_ value: Int8) throws {
    put(try box.integer(value, at: here))
  }
  func encode(_ value: Int16) throws {
    put(try box.integer(value, at: here))
  }
  func encode(_ value: Int32) throws {
    put(try box.integer(value, at: here))
  }
  func encode(_ value: Int64) throws {
    put(try box.integer(value, at: here))
  }
  func encode(_ value: UInt) throws {
    put(try box.integer(value, at: here))
  }
  func encode(_ value: UInt8) throws {
    put(try box.integer(value, at: here))
  }
  func encode(_ value: UInt16) throws {
    put(try box.integer(value, at: here))
  }
  func encode(_ value: UInt32) throws {
    put(try box.integer(value, at: here))
  }
  func encode(_ value: UInt64) throws {
    put(try box.integer(value, at: here))
  }

  func encode<T: Encodable>(_ value: T) throws {
    if let part = try box.box(value, at: here) { node.elements.append(part) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    encoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

  func superEncoder() -> any Swift.Encoder { encoder() }

  private func encoder() -> NodeEncoder {
    let child = EncodedNode()
    let encoder = NodeEncoder(node: child, box: box, path: here, convertsKeys: true)
    node.elements.append(.node(child))
    return encoder
  }
}

/// A single value that is being encoded.
struct NodeSingleContainer: SingleValueEncodingContainer {
  let node: EncodedNode
  let box: NodeBox
  let path: CodingPath?

  var codingPath: [any CodingKey] { CodingPath.keys(path) }

  private func put(_ value: Value) { node.content = .value(value, nil) }

  func encodeNil() throws { put(.null) }
  func encode(_ value: Bool) throws { put(.boolean(value)) }
  func encode(_ value: String) throws { put(.string(value)) }
  func encode(_ value: Double) throws {
    put(try box.double(value, at: path))
  }
  func encode(_ value: Float) throws {
    put(try box.double(Double(value), at: path))
  }
  func encode(_ value: Int) throws {
    put(try box.integer(value, at: path))
  }
  func encode(_ value: Int8) throws {
    put(try box.integer(value, at: path))
  }
  func encode(_ value: Int16) throws {
    put(try box.integer(value, at: path))
  }
  func encode(_ value: Int32) throws {
    put(try box.integer(value, at: path))
  }
  func encode(_ value: Int64) throws {
    put(try box.integer(value, at: path))
  }
  func encode(_ value: UInt) throws {
    put(try box.integer(value, at: path))
  }
  func encode(_ value: UInt8) throws {
    put(try box.integer(value, at: path))
  }
  func encode(_ value: UInt16) throws {
    put(try box.integer(value, at: path))
  }
  func encode(_ value: UInt32) throws {
    put(try box.integer(value, at: path))
  }
  func encode(_ value: UInt64) throws {
    put(try box.integer(value, at: path))
  }

  func encode<T: Encodable>(_ value: T) throws {
    switch try box.box(value, at: path) {
    case nil: break
    case .value(let value)?: put(value)
    case .node(let other)?:
      node.content = other.content
      node.named = other.named
      node.elements = other.elements
    }
  }
}
