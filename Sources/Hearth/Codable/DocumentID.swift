import Foundation
import HearthModel

/// What a property marked ``DocumentID`` can hold.
public protocol DocumentIDWrappable {
  /// The value for a document's place.
  static func wrap(_ documentReference: DocumentReference) throws -> Self
}

extension String: DocumentIDWrappable {
  /// The document's id.
  public static func wrap(_ documentReference: DocumentReference) throws -> String {
    documentReference.documentID
  }
}

extension DocumentReference: DocumentIDWrappable {
  /// The reference itself.
  public static func wrap(_ documentReference: DocumentReference) throws -> DocumentReference {
    documentReference
  }
}

/// Lets the coders recognise the wrapper whatever its value.
protocol DocumentIDMarker {}

/// Marks a property that is filled with the id (or the reference) of the decoded document.
///
/// It is never written, at any nesting level, whatever it was set to. A stored field of the same
/// name is ignored. If a type has `CodingKeys`, the property must be listed there.
@propertyWrapper
public struct DocumentID<Value: DocumentIDWrappable & Codable>: DocumentIDMarker {
  /// The id; nil unless decoded from a document or set by hand.
  public var wrappedValue: Value?

  /// Makes the property with a value, which is not written.
  public init(wrappedValue value: Value?) { wrappedValue = value }
}

extension DocumentID: Codable {
  /// Takes the place of the document that is decoded.
  public init(from decoder: any Swift.Decoder) throws {
    guard let decoder = decoder as? ValueDecoder, let document = decoder.context.document else {
      throw FirestoreDecodingError.decodingIsNotSupported(
        "A @DocumentID can be decoded only from a document of Firestore, or with "
          + "decode(_:from:in:) and a reference.")
    }
    wrappedValue = try Value.wrap(document)
  }

  /// Never called by Firestore's encoder, which leaves the property out.
  public func encode(to encoder: any Swift.Encoder) throws {
    throw FirestoreEncodingError.encodingIsNotSupported(
      "A @DocumentID can be encoded only with Firestore.Encoder")
  }
}

extension DocumentID: Equatable where Value: Equatable {}
extension DocumentID: Hashable where Value: Hashable {}
extension DocumentID: Sendable where Value: Sendable {}

extension DocumentReference: Codable {
  /// Decodes a stored reference; other decoders than Firestore's get `decodingIsNotSupported`.
  public convenience init(from decoder: any Swift.Decoder) throws {
    guard let decoder = decoder as? ValueDecoder else {
      throw FirestoreDecodingError.decodingIsNotSupported(
        "DocumentReference can be decoded only with Firestore.Decoder")
    }
    self.init(copying: try decoder.reference())
  }

  /// Stores the reference; other encoders than Firestore's get `encodingIsNotSupported`.
  public func encode(to encoder: any Swift.Encoder) throws {
    guard let encoder = encoder as? NodeEncoder else {
      throw FirestoreEncodingError.encodingIsNotSupported(
        "DocumentReference can be encoded only with Firestore.Encoder")
    }
    encoder.node.content = .value(.reference(try resolved.get()), firestore)
  }
}
