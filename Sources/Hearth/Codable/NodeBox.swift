import Foundation
import HearthModel

/// Decides how a value of any type is encoded (the API's table 8.2).
struct NodeBox {
  let options: Firestore.Encoder

  /// The value as a part; nil for what is never written.
  func box<T: Encodable>(_ value: T, at path: CodingPath?) throws -> EncodedNode.Part? {
    switch value {
    case let value as Date: return .node(try date(value, path))
    case let value as Data: return try data(value, path)
    case let value as URL: return .value(.string(value.absoluteString))
    case let value as Decimal:
      switch options.decimalEncodingStrategy {
      case .double: return .value(.double(NSDecimalNumber(decimal: value).doubleValue))
      case .string: return .value(.string(value.description))
      }
    case let value as Timestamp: return .value(.timestamp(value.truncatedToMicroseconds))
    case let value as GeoPoint: return .value(.geoPoint(value))
    case let value as VectorValue: return .value(.vector(value))
    case let value as DocumentReference:
      let node = EncodedNode()
      node.content = .value(.reference(try value.resolved.get()), value.firestore)
      return .node(node)
    case let value as FieldValue:
      let node = EncodedNode()
      node.content = .sentinel(value)
      return .node(node)
    case is any DocumentIDMarker: return nil
    default:
      return .node(
        try encode(path, convertsKeys: !(value is any StringKeyedDictionary)) {
          try value.encode(to: $0)
        })
    }
  }

  func integer<T: FixedWidthInteger>(_ value: T, at path: CodingPath?) throws -> Value {
    guard let exact = Int64(exactly: value) else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: CodingPath.keys(path),
          debugDescription: "\(value) does not fit into 64 bits with a sign."))
    }
    return .integer(exact)
  }

  func double(_ value: Double, at path: CodingPath?) throws -> Value {
    if value.isFinite { return .double(value) }
    switch options.nonConformingFloatEncodingStrategy {
    case .allow: return .double(value)
    case .convertToString(let positive, let negative, let nan):
      return .string(value.isNaN ? nan : (value > 0 ? positive : negative))
    case .throw:
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: CodingPath.keys(path),
          debugDescription: "\(value) is stored only with a nonConformingFloatEncodingStrategy."))
    }
  }

  func name(_ key: any CodingKey, at path: CodingPath?, convertsKeys: Bool) -> String {
    switch options.keyEncodingStrategy {
    case .useDefaultKeys: return key.stringValue
    case .convertToSnakeCase:
      return convertsKeys ? SnakeCase.encode(key.stringValue) : key.stringValue
    case .custom(let convert):
      return convertsKeys ? convert(CodingPath.keys(path) + [key]).stringValue : key.stringValue
    }
  }

  private func encode(
    _ path: CodingPath?, convertsKeys: Bool = true, _ body: (NodeEncoder) throws -> Void
  ) throws -> EncodedNode {
    let node = EncodedNode()
    try body(NodeEncoder(node: node, box: self, path: path, convertsKeys: convertsKeys))
    return node
  }

  private func single(_ value: Value) -> EncodedNode {
    let node = EncodedNode()
    node.content = .value(value, nil)
    return node
  }

  private func date(_ date: Date, _ path: CodingPath?) throws -> EncodedNode {
    switch options.dateEncodingStrategy {
    case .deferredToDate: return single(.double(date.timeIntervalSinceReferenceDate))
    case .secondsSince1970: return single(.double(date.timeIntervalSince1970))
    case .millisecondsSince1970: return single(.double(date.timeIntervalSince1970 * 1000))
    case .iso8601: return single(.string(date.formatted(.iso8601)))
    case .formatted(let formatter): return single(.string(formatter.string(from: date)))
    case .custom(let closure): return try encode(path) { try closure(date, $0) }
    }
  }

  private func data(_ data: Data, _ path: CodingPath?) throws -> EncodedNode.Part {
    switch options.dataEncodingStrategy {
    case .deferredToData: .node(try encode(path) { try data.encode(to: $0) })
    case .base64: .value(.string(data.base64EncodedString()))
    case .blob: .value(.bytes(Array(data)))
    case .custom(let closure): .node(try encode(path) { try closure(data, $0) })
    }
  }
}
