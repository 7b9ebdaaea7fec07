import Foundation
import HearthModel

extension Firestore {
  /// Encodes `Encodable` values to fields.
  ///
  /// Made new by default wherever one is taken; make one yourself to set strategies.
  public final class Encoder {
    /// How dates are stored.
    public var dateEncodingStrategy: FirebaseDataEncoder.DateEncodingStrategy = .timestamp
    /// How data is stored.
    public var dataEncodingStrategy: FirebaseDataEncoder.DataEncodingStrategy = .blob
    /// What to do with NaN and the infinities.
    public var nonConformingFloatEncodingStrategy:
      FirebaseDataEncoder.NonConformingFloatEncodingStrategy = .throw
    /// How names of properties become names of fields.
    public var keyEncodingStrategy: FirebaseDataEncoder.KeyEncodingStrategy = .useDefaultKeys
    /// How decimals are stored.
    public var decimalEncodingStrategy: FirebaseDataEncoder.DecimalEncodingStrategy = .double
    /// Handed to the values that are encoded.
    public var userInfo: [CodingUserInfoKey: Any] = [:]

    /// Makes an encoder with the default strategies.
    public init() {}

    /// The fields of a value, as the untyped calls take them.
    ///
    /// - Throws: `EncodingError.invalidValue` for what cannot be encoded, with an empty coding
    ///   path if the value is no map.
    public func encode<T: Encodable>(_ value: T) throws -> [String: Any] {
      let node = try root(value)
      return try node.untyped()
    }

    /// The fields of a value, for a write.
    func writeData<T: Encodable>(_ value: T, in database: Firestore) throws -> WriteData {
      let node = try root(value)
      var resolver = NodeResolver(database: database)
      return try resolver.document(node)
    }

    private func root<T: Encodable>(_ value: T) throws -> EncodedNode {
      let box = NodeBox(options: self)
      guard case .node(let node)? = try box.box(value, at: nil) else {
        throw Encoder.noMap(value)
      }
      // A value that encodes nothing at all has no fields.
      if case .nothing = node.content { node.content = .map }
      guard case .map = node.content else { throw Encoder.noMap(value) }
      return node
    }

    private static func noMap<T>(_ value: T) -> EncodingError {
      EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: [],
          debugDescription: "Top-level \(T.self) is not encoded as a map of fields."))
    }
  }
}
