import Foundation

/// Marks an optional that is stored as null when it is nil, instead of being left out.
///
/// Null and a missing field both decode to nil.
@propertyWrapper
public struct ExplicitNull<Value> {
  /// The value.
  public var wrappedValue: Value?

  /// Makes the property with a value.
  public init(wrappedValue value: Value?) { wrappedValue = value }
}

extension ExplicitNull: Encodable where Value: Encodable {
  /// Encodes the value or null.
  public func encode(to encoder: any Swift.Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue {
      try container.encode(wrappedValue)
    } else {
      try container.encodeNil()
    }
  }
}

extension ExplicitNull: Decodable where Value: Decodable {
  /// Decodes the value, or nil from null.
  public init(from decoder: any Swift.Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
  }
}

extension ExplicitNull: Equatable where Value: Equatable {}
extension ExplicitNull: Hashable where Value: Hashable {}
extension ExplicitNull: Sendable where Value: Sendable {}

extension KeyedDecodingContainer {
  /// Decodes a missing field to nil; synthesised code would ask for the wrapper and fail.
  public func decode<Value: Decodable>(
    _ type: ExplicitNull<Value>.Type, forKey key: Key
  ) throws -> ExplicitNull<Value> {
    try decodeIfPresent(type, forKey: key) ?? ExplicitNull(wrappedValue: nil)
  }
}
