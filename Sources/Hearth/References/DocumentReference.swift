import Foundation
import HearthEngine
import HearthModel

/// The place of a document, whether it exists or not.
///
/// Making one touches no data. A malformed path is remembered, and calls on the reference fail
/// with `INVALID_ARGUMENT`.
public final class DocumentReference: Sendable {
  /// The database.
  public let firestore: Firestore
  let resolved: Result<DocumentPath, HearthError>
  private let text: String

  init(
    _ database: Firestore, text: String, _ parse: () throws(HearthError) -> DocumentPath
  ) {
    firestore = database
    self.text = text
    do throws(HearthError) {
      resolved = .success(try parse())
    } catch {
      resolved = .failure(Hearth.misused(error))
    }
  }

  init(_ database: Firestore, _ path: DocumentPath) {
    firestore = database
    text = ""
    resolved = .success(path)
  }

  /// Takes the place of a decoded reference; see the Codable conformance.
  init(copying other: DocumentReference) {
    firestore = other.firestore
    text = other.text
    resolved = other.resolved
  }

  /// The document's id within its collection.
  public var documentID: String {
    (try? resolved.get().id) ?? text.split(separator: "/").last.map(String.init) ?? ""
  }

  /// The ids from the root down, joined with slashes.
  public var path: String { (try? resolved.get().description) ?? text }

  /// The collection that holds the document.
  public var parent: CollectionReference {
    CollectionReference(firestore, text: text) { () throws(HearthError) in
      try resolved.get().collection
    }
  }

  /// The collection at a path relative to this document.
  public func collection(_ path: String) -> CollectionReference {
    CollectionReference(firestore, text: self.path + "/" + path) { () throws(HearthError) in
      let own = try resolved.get()
      if path.isEmpty { throw .invalid("ID_EMPTY", "A collection id must not be empty.") }
      return try CollectionPath("\(own)/\(PathText.relative(path))")
    }
  }

  /// A query of all collections with an id that lie below this document, at any depth; the SDK's
  /// servers have it.
  public func collectionGroup(_ id: String) -> Query {
    firestore.collectionGroup(id).changed { (query) throws(HearthError) in
      query.ancestor = try resolved.get()
    }
  }

  /// The path, checked to be of a database.
  func checked(for database: Firestore) throws(HearthError) -> DocumentPath {
    if database !== firestore { throw ValueReader.foreign }
    return try resolved.get()
  }
}

extension DocumentReference: Hashable {
  /// Same database and same path.
  public static func == (a: DocumentReference, b: DocumentReference) -> Bool {
    guard a.firestore === b.firestore else { return false }
    switch (a.resolved, b.resolved) {
    case (.success(let x), .success(let y)): return x == y
    case (.failure, .failure): return UTF8Order.equal(a.text, b.text)
    default: return false
    }
  }

  /// Hashes in agreement with `==`.
  public func hash(into hasher: inout Hasher) {
    if case .success(let path) = resolved { hasher.combine(path) }
  }
}

extension DocumentReference: CustomStringConvertible {
  /// The path.
  public var description: String { path }
}

/// Paths as text.
enum PathText {
  /// A path below another: like a whole one it may begin with a slash (documents-and-queries, 1.1).
  static func relative(_ path: String) -> Substring {
    path.utf8.count > 1 && path.utf8.first == UInt8(ascii: "/")
      ? Substring(path.utf8.dropFirst()) : path[...]
  }
}
