import Foundation
import HearthEngine
public import HearthModel

/// Writes that tell what they did, and that can be tied to what the document is: the SDK's servers
/// have them.
extension DocumentReference {
  private func result(
    _ make: (DocumentPath) throws(HearthError) -> Write
  ) async throws -> WriteResult {
    let result = try await firestore.commit(lowered(make)).results.first
    return result ?? WriteResult(updateVersion: nil, transformResults: [])
  }

  /// Replaces the document by these fields, or merges them with what it has.
  ///
  /// - Throws: ``HearthError``: as `setData`, and what the precondition's failure gives:
  ///   `NOT_FOUND`, `ALREADY_EXISTS` or `FAILED_PRECONDITION`.
  @discardableResult
  public func set(
    _ data: [String: Any], merge: Bool = false, precondition: Precondition? = nil
  ) async throws -> WriteResult {
    try await result { (path) throws(HearthError) in
      var write = try Lowering.set(
        path, try ValueReader.document(data, in: firestore), merge ? .merge : .replace)
      write.precondition = precondition
      return write
    }
  }

  /// Creates the document, which must not exist.
  ///
  /// - Throws: ``HearthError``: `ALREADY_EXISTS` if it does; otherwise as `setData`.
  @discardableResult
  public func create(_ data: [String: Any]) async throws -> WriteResult {
    try await result { (path) throws(HearthError) in
      try Lowering.create(path, try ValueReader.document(data, in: firestore))
    }
  }

  /// Sets fields of the document, which must exist, or must be as the precondition says.
  ///
  /// Keys are dotted strings or `FieldPath`s.
  ///
  /// - Throws: ``HearthError``: as `updateData`; `FAILED_PRECONDITION` if the document was changed
  ///   at another time than the precondition names.
  @discardableResult
  public func update(
    _ fields: [AnyHashable: Any], precondition: Precondition? = nil
  ) async throws -> WriteResult {
    try await result { (path) throws(HearthError) in
      try Lowering.update(path, try Lowering.entries(fields, in: firestore), precondition)
    }
  }

  /// Deletes the document, but not what lies under it, if the precondition holds.
  @discardableResult
  public func delete(precondition: Precondition) async throws -> WriteResult {
    try await result { (path) throws(HearthError) in
      Write(document: path, operation: .delete, precondition: precondition)
    }
  }
}
