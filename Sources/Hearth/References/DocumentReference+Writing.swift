import Foundation
import HearthEngine
import HearthModel

extension DocumentReference {
  func lowered(
    _ make: (DocumentPath) throws(HearthError) -> Write
  ) -> Result<[Write], HearthError> {
    do throws(HearthError) {
      return .success([try make(try resolved.get())])
    } catch {
      return .failure(Hearth.misused(error))
    }
  }

  private func setting(_ data: [String: Any], _ mode: SetMode) -> Result<[Write], HearthError> {
    lowered { (path) throws(HearthError) in
      try Lowering.set(path, try ValueReader.document(data, in: firestore), mode)
    }
  }

  private func setting<T: Encodable>(
    from value: T, _ encoder: Firestore.Encoder, _ mode: SetMode
  ) throws -> Result<[Write], HearthError> {
    let data = try encoder.writeData(value, in: firestore)
    return lowered { (path) throws(HearthError) in try Lowering.set(path, data, mode) }
  }

  private func updating(_ fields: [AnyHashable: Any]) -> Result<[Write], HearthError> {
    lowered { (path) throws(HearthError) in
      try Lowering.update(path, try Lowering.entries(fields, in: firestore))
    }
  }

  private var deleting: Result<[Write], HearthError> {
    lowered { (path) throws(HearthError) in Write(document: path, operation: .delete) }
  }

  // MARK: Untyped

  /// Replaces the document by these fields and suspends until that is durable.
  ///
  /// The write takes its place in the order of commits before the first suspension.
  ///
  /// - Throws: ``HearthError``: `INVALID_ARGUMENT` for what cannot be stored.
  public func setData(_ documentData: [String: Any]) async throws {
    _ = try await firestore.commit(setting(documentData, .replace))
  }

  /// Sets fields, merging with what the document has if asked to, and suspends until durable.
  public func setData(_ documentData: [String: Any], merge: Bool) async throws {
    _ = try await firestore.commit(setting(documentData, merge ? .merge : .replace))
  }

  /// Sets only the listed fields (dotted strings or `FieldPath`s) and suspends until durable.
  ///
  /// - Throws: `INVALID_ARGUMENT / MERGE_FIELD_MISSING` if one is not in the data.
  public func setData(_ documentData: [String: Any], mergeFields: [Any]) async throws {
    _ = try await firestore.commit(setting(documentData, .fields(mergeFields)))
  }

  /// Replaces the document by these fields; a completion closure comes on the main queue.
  public func setData(
    _ documentData: [String: Any], completion: (@MainActor ((any Error)?) -> Void)? = nil
  ) {
    firestore.submit(setting(documentData, .replace), completion: completion)
  }

  /// Sets fields, merging with what the document has if asked to.
  public func setData(
    _ documentData: [String: Any], merge: Bool,
    completion: (@MainActor ((any Error)?) -> Void)? = nil
  ) {
    firestore.submit(setting(documentData, merge ? .merge : .replace), completion: completion)
  }

  /// Sets only the listed fields (dotted strings or `FieldPath`s).
  public func setData(
    _ documentData: [String: Any], mergeFields: [Any],
    completion: (@MainActor ((any Error)?) -> Void)? = nil
  ) {
    firestore.submit(setting(documentData, .fields(mergeFields)), completion: completion)
  }

  /// Sets fields of an existing document and suspends until that is durable.
  ///
  /// Keys are dotted strings or `FieldPath`s.
  ///
  /// - Throws: ``HearthError``: `NOT_FOUND` if the document does not exist, `INVALID_ARGUMENT` for
  ///   what cannot be stored and for keys that lie in one another.
  public func updateData(_ fields: [AnyHashable: Any]) async throws {
    _ = try await firestore.commit(updating(fields))
  }

  /// Sets fields of an existing document; a completion closure comes on the main queue.
  public func updateData(
    _ fields: [AnyHashable: Any], completion: (@MainActor ((any Error)?) -> Void)? = nil
  ) {
    firestore.submit(updating(fields), completion: completion)
  }

  /// Deletes the document, but not what lies under it, and suspends until that is durable.
  public func delete() async throws { _ = try await firestore.commit(deleting) }

  /// Deletes the document; a completion closure comes on the main queue.
  public func delete(completion: (@MainActor ((any Error)?) -> Void)? = nil) {
    firestore.submit(deleting, completion: completion)
  }

  // MARK: Encoded

  /// Replaces the document by an encoded value and suspends until that is durable.
  ///
  /// - Throws: Errors of encoding, before anything is submitted; then as ``setData(_:)``.
  public func setData<T: Encodable>(
    from value: T, encoder: Firestore.Encoder = .init()
  ) async throws {
    _ = try await firestore.commit(try setting(from: value, encoder, .replace))
  }

  /// Sets an encoded value's fields, merging if asked to, and suspends until that is durable.
  public func setData<T: Encodable>(
    from value: T, merge: Bool, encoder: Firestore.Encoder = .init()
  ) async throws {
    _ = try await firestore.commit(try setting(from: value, encoder, merge ? .merge : .replace))
  }

  /// Sets only the listed fields of an encoded value and suspends until that is durable.
  public func setData<T: Encodable>(
    from value: T, mergeFields: [Any], encoder: Firestore.Encoder = .init()
  ) async throws {
    _ = try await firestore.commit(try setting(from: value, encoder, .fields(mergeFields)))
  }

  /// Replaces the document by an encoded value; a completion closure comes on the main queue.
  ///
  /// - Throws: Errors of encoding; nothing is submitted then.
  public func setData<T: Encodable>(
    from value: T, encoder: Firestore.Encoder = .init(),
    completion: (@MainActor ((any Error)?) -> Void)? = nil
  ) throws {
    firestore.submit(try setting(from: value, encoder, .replace), completion: completion)
  }

  /// Sets an encoded value's fields, merging if asked to.
  ///
  /// Optionals that are nil are left out, so merging removes nothing; see ``ExplicitNull``.
  public func setData<T: Encodable>(
    from value: T, merge: Bool, encoder: Firestore.Encoder = .init(),
    completion: (@MainActor ((any Error)?) -> Void)? = nil
  ) throws {
    firestore.submit(
      try setting(from: value, encoder, merge ? .merge : .replace), completion: completion)
  }

  /// Sets only the listed fields of an encoded value, by their encoded names.
  public func setData<T: Encodable>(
    from value: T, mergeFields: [Any], encoder: Firestore.Encoder = .init(),
    completion: (@MainActor ((any Error)?) -> Void)? = nil
  ) throws {
    firestore.submit(
      try setting(from: value, encoder, .fields(mergeFields)), completion: completion)
  }
}

extension Lowering {
  /// The entries of `updateData`, keys parsed and values read.
  static func entries(
    _ fields: [AnyHashable: Any], in database: Firestore
  ) throws(HearthError) -> [(FieldPath, WriteData)] {
    var entries: [(FieldPath, WriteData)] = []
    for (key, value) in fields {
      let path = try FieldPath(untyped: key.base)
      entries.append((path, try ValueReader.field(value, at: path, in: database)))
    }
    // A dictionary has no order; two equal updates shall be the same write.
    return entries.sorted { $0.0 < $1.0 }
  }
}
