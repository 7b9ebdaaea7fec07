import Foundation
import HearthModel

extension Firestore {
  /// Decodes documents to `Decodable` values.
  ///
  /// Made new by default wherever one is taken; make one yourself to set strategies.
  public final class Decoder {
    /// How dates are read.
    public var dateDecodingStrategy: FirebaseDataDecoder.DateDecodingStrategy = .timestamp
    /// How data is read.
    public var dataDecodingStrategy: FirebaseDataDecoder.DataDecodingStrategy = .blob
    /// What else than a number is read as a floating-point number.
    public var nonConformingFloatDecodingStrategy:
      FirebaseDataDecoder.NonConformingFloatDecodingStrategy = .throw
    /// How names of fields become names of properties.
    public var keyDecodingStrategy: FirebaseDataDecoder.KeyDecodingStrategy = .useDefaultKeys
    /// What to do with a field that has the name of a property marked ``DocumentID``.
    public var documentIDConflictStrategy: FirebaseDataDecoder.DocumentIDConflictStrategy =
      .ignoreField
    /// Handed to the values that are decoded.
    public var userInfo: [CodingUserInfoKey: Any] = [:]

    /// Makes a decoder with the default strategies.
    public init() {}

    /// Decodes a value from fields as the untyped calls give them.
    ///
    /// - Parameters:
    ///   - type: What to decode.
    ///   - container: The fields.
    ///   - document: The document that they are of, for ``DocumentID``.
    /// - Throws: `DecodingError`; ``HearthError`` if the fields hold what cannot be stored.
    public func decode<T: Decodable>(
      _ type: T.Type, from container: [String: Any], in document: DocumentReference? = nil
    ) throws -> T {
      var reader = ValueReader(database: document?.firestore)
      let value = try reader.read(container, at: [], .field) ?? .null
      return try decode(type, value: value, of: document, database: reader.seen)
    }

    func decode<T: Decodable>(
      _ type: T.Type, value: Value, of document: DocumentReference?, database: Firestore? = nil
    ) throws -> T {
      let context = DecodingContext(
        options: self, document: document, database: document?.firestore ?? database)
      return try ValueDecoder(value: value, path: nil, context: context, convertsKeys: true)
        .decode(type)
    }
  }
}

/// What is the same all through one decoding.
final class DecodingContext {
  let options: Firestore.Decoder
  /// The document that is decoded; passed per call and never kept in the decoder.
  let document: DocumentReference?
  /// The database that decoded references belong to.
  let database: Firestore?

  init(options: Firestore.Decoder, document: DocumentReference?, database: Firestore?) {
    self.options = options
    self.document = document
    self.database = database
  }
}
