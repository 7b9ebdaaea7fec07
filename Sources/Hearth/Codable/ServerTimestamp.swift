public import Foundation
public import HearthModel

/// What a property marked ``ServerTimestamp`` can hold.
public protocol ServerTimestampWrappable {
  /// The value for a stored time.
  static func wrap(_ timestamp: Timestamp) throws -> Self
  /// The time to store for a value.
  static func unwrap(_ value: Self) throws -> Timestamp
}

extension Date: ServerTimestampWrappable {
  /// The moment as a date.
  public static func wrap(_ timestamp: Timestamp) throws -> Date { timestamp.dateValue() }

  /// The moment as a timestamp.
  public static func unwrap(_ value: Date) throws -> Timestamp { Timestamp(storing: value) }
}

extension Timestamp: ServerTimestampWrappable {
  /// The timestamp itself.
  public static func wrap(_ timestamp: Timestamp) throws -> Timestamp { timestamp }

  /// The timestamp itself.
  public static func unwrap(_ value: Timestamp) throws -> Timestamp { value }
}

/// Marks a time that is the commit's when written as nil.
///
/// A value that is there is stored as it is: to refresh the time of a document read before, set
/// the property to nil first. A missing field decodes to nil.
@propertyWrapper
public struct ServerTimestamp<Value: ServerTimestampWrappable & Codable> {
  /// The time; nil asks for the commit's.
  public var wrappedValue: Value?

  /// Makes the property with a value.
  public init(wrappedValue value: Value?) { wrappedValue = value }
}

extension ServerTimestamp: Codable {
  /// Decodes a timestamp, or nil from null.
  public init(from decoder: any Swift.Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue =
      container.decodeNil() ? nil : try Value.wrap(try container.decode(Timestamp.self))
  }

  /// Encodes the time, or the request for the commit's.
  public func encode(to encoder: any Swift.Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue {
      try container.encode(try Value.unwrap(wrappedValue))
    } else {
      try container.encode(FieldValue.serverTimestamp())
    }
  }
}

extension ServerTimestamp: Equatable where Value: Equatable {}
extension ServerTimestamp: Hashable where Value: Hashable {}
extension ServerTimestamp: Sendable where Value: Sendable {}

extension KeyedDecodingContainer {
  /// Decodes a missing field to nil; synthesised code would ask for the wrapper and fail.
  public func decode<Value>(
    _ type: ServerTimestamp<Value>.Type, forKey key: Key
  ) throws -> ServerTimestamp<Value> {
    try decodeIfPresent(type, forKey: key) ?? ServerTimestamp(wrappedValue: nil)
  }
}
