import Foundation
import HearthEngine
import HearthModel

// @unchecked Sendable: all stored properties are immutable and Sendable; the compiler does not
// check that through a class that is not final.
/// A collection of documents, which is also the query of all of them.
///
/// Making one touches no data. A malformed path is remembered, and calls on the collection fail
/// with `INVALID_ARGUMENT`.
public final class CollectionReference: Query, @unchecked Sendable {
  let resolved: Result<CollectionPath, HearthError>
  private let text: String

  init(
    _ database: Firestore, text: String,
    _ parse: () throws(HearthError) -> CollectionPath
  ) {
    self.text = text
    do throws(HearthError) {
      let path = try parse()
      resolved = .success(path)
      super.init(database, .success(StructuredQuery(path)))
    } catch {
      resolved = .failure(error)
      super.init(database, .failure(Hearth.misused(error)))
    }
  }

  convenience init(_ database: Firestore, _ path: CollectionPath) {
    self.init(database, text: path.description) { () throws(HearthError) in path }
  }

  /// The last id of the path, which names the collection group.
  public var collectionID: String {
    (try? resolved.get().collectionID) ?? text.split(separator: "/").last.map(String.init) ?? ""
  }

  /// The ids from the root down, joined with slashes.
  public var path: String { (try? resolved.get().description) ?? text }

  /// The document that the collection lies under; nil for a root collection.
  public var parent: DocumentReference? {
    guard case .success(let path) = resolved, let parent = path.parent else { return nil }
    return DocumentReference(firestore, parent)
  }

  /// A document with a new random id; nothing is written.
  public func document() -> DocumentReference { document(Runtime.system.autoID()) }

  /// The document at a path relative to this collection, which may descend.
  public func document(_ path: String) -> DocumentReference {
    DocumentReference(firestore, text: text + "/" + path) { () throws(HearthError) in
      let own = try resolved.get()
      if path.isEmpty { throw .invalid("ID_EMPTY", "A document id must not be empty.") }
      guard path.utf8.contains(UInt8(ascii: "/")) else {
        try PathRules.checkDocumentID(path)
        return own.document(path)
      }
      return try DocumentPath("\(own)/\(PathText.relative(path))")
    }
  }

  /// Adds a document with a new id and suspends until it is durable.
  ///
  /// - Throws: ``HearthError``, as ``DocumentReference/setData(_:)``.
  @discardableResult
  public func addDocument(data: [String: Any]) async throws -> DocumentReference {
    let reference = document()
    try await reference.setData(data)
    return reference
  }

  /// Adds a document with a new id; a completion closure comes on the main queue.
  @discardableResult
  public func addDocument(
    data: [String: Any], completion: (@MainActor ((any Error)?) -> Void)? = nil
  ) -> DocumentReference {
    let reference = document()
    reference.setData(data, completion: completion)
    return reference
  }

  /// Adds a document with a new id and the encoded value as its fields.
  ///
  /// - Throws: Errors of encoding; nothing is submitted then.
  @discardableResult
  public func addDocument<T: Encodable>(
    from value: T, encoder: Firestore.Encoder = .init(),
    completion: (@MainActor ((any Error)?) -> Void)? = nil
  ) throws -> DocumentReference {
    let reference = document()
    try reference.setData(from: value, encoder: encoder, completion: completion)
    return reference
  }

  /// Adds a document with a new id and the encoded value as its fields, and returns when that is
  /// durable.
  ///
  /// - Throws: Errors of encoding, and those of the write.
  @discardableResult
  public func addDocument<T: Encodable>(
    from value: T, encoder: Firestore.Encoder = .init()
  ) async throws -> DocumentReference {
    let reference = document()
    try await reference.setData(from: value, encoder: encoder)
    return reference
  }
}
