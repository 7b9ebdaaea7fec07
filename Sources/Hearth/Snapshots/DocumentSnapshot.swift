import Foundation
import HearthEngine
public import HearthModel

// @unchecked Sendable: all stored properties are immutable and Sendable; the compiler does not
// check that through a class that is not final.
/// A document as it was at one moment, or its absence.
public class DocumentSnapshot: @unchecked Sendable {
  /// The document's place.
  public let reference: DocumentReference
  let stored: StoredDocument?
  let version: CommitVersion?

  init(_ reference: DocumentReference, _ stored: StoredDocument?, _ version: CommitVersion?) {
    self.reference = reference
    self.stored = stored
    self.version = version
  }

  /// Whether the document existed.
  public var exists: Bool { stored != nil }

  /// The document's id within its collection.
  public var documentID: String { reference.documentID }

  /// Always committed data from the database.
  public var metadata: SnapshotMetadata { .committed }

  /// When the document was created; nil if it did not exist.
  public var createTime: Timestamp? { stored?.createVersion.time }

  /// When the document was last changed; nil if it did not exist.
  public var updateTime: Timestamp? { stored?.updateVersion.time }

  /// The commit time of the version that was read.
  public var readTime: Timestamp? { version?.time }

  /// The fields with their exact types and names; empty if the document did not exist.
  public var fields: Fields {
    guard let stored else { return Fields() }
    do throws(HearthError) {
      return try stored.fields()
    } catch {
      Hearth.log("cannot decode '\(reference.path)': \(error)")
      return Fields()
    }
  }

  /// A field's value with its exact type; nil if the document or the field is missing.
  public func value(_ path: FieldPath) -> Value? {
    guard let stored else { return nil }
    if path.isDocumentName { return .reference(stored.path) }
    do throws(HearthError) {
      return try stored.value(at: path)
    } catch {
      Hearth.log("cannot decode '\(reference.path)': \(error)")
      return nil
    }
  }

  /// The fields; nil if the document did not exist.
  ///
  /// Numbers and booleans are `NSNumber`s, null is `NSNull`. Names that are canonically equivalent
  /// but differ in bytes collapse in a dictionary; ``fields`` keeps them apart.
  public func data() -> [String: Any]? {
    guard stored != nil else { return nil }
    return ValueWriter(database: reference.firestore).untyped(fields)
  }

  /// The fields; the behavior changes nothing, since timestamps are always known.
  public func data(with serverTimestampBehavior: ServerTimestampBehavior) -> [String: Any]? {
    data()
  }

  /// A field's value by dotted string or `FieldPath`; nil if document or field is missing.
  public func get(_ field: Any) -> Any? {
    do throws(HearthError) {
      return value(try FieldPath(untyped: field)).map(
        ValueWriter(database: reference.firestore).untyped)
    } catch {
      Hearth.misused(error)
      return nil
    }
  }

  /// A field's value; the behavior changes nothing, since timestamps are always known.
  public func get(_ field: Any, serverTimestampBehavior: ServerTimestampBehavior) -> Any? {
    get(field)
  }

  /// A field's value by dotted string or `FieldPath`; nil if document or field is missing.
  public subscript(_ field: Any) -> Any? { self.get(field) }

  /// The document decoded.
  ///
  /// - Throws: `DecodingError`; for a missing document `valueNotFound`, unless `T` is an optional.
  ///   ``HearthError`` with `DATA_LOSS` for damaged bytes.
  public func data<T: Decodable>(
    as type: T.Type, with serverTimestampBehavior: ServerTimestampBehavior = .none,
    decoder: Firestore.Decoder = .init()
  ) throws -> T {
    let value: Value = if let stored { .map(try stored.fields()) } else { .null }
    return try decoder.decode(type, value: value, of: reference)
  }
}

extension DocumentSnapshot: Hashable {
  /// Same place, and same fields or both missing.
  public static func == (a: DocumentSnapshot, b: DocumentSnapshot) -> Bool {
    a === b || (a.reference == b.reference && a.exists == b.exists && a.fields == b.fields)
  }

  /// Hashes the place.
  public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
}

// @unchecked Sendable: adds no properties to its base class, whose own are immutable.
/// A document of a query's result; it existed.
public final class QueryDocumentSnapshot: DocumentSnapshot, @unchecked Sendable {
  convenience init(_ database: Firestore, _ stored: StoredDocument, _ version: CommitVersion) {
    self.init(DocumentReference(database, stored.path), stored, version)
  }

  /// The fields; see ``DocumentSnapshot/data()``.
  public override func data() -> [String: Any] {
    ValueWriter(database: reference.firestore).untyped(fields)
  }

  /// The fields; the behavior changes nothing, since timestamps are always known.
  public override func data(
    with serverTimestampBehavior: ServerTimestampBehavior
  ) -> [String: Any] {
    data()
  }
}
