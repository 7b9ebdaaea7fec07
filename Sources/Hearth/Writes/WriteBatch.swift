import Foundation
import HearthEngine
public import HearthModel

/// Writes that are committed together: all of them or none.
///
/// A batch is for one thread and one commit. What is wrong with a write is remembered, and the
/// commit fails with it; using a batch after its commit makes the next commit fail with
/// `FAILED_PRECONDITION / BATCH_REUSED`.
public final class WriteBatch {
  let database: Firestore
  private var writes: [Write] = []
  private var error: HearthError?
  private var isCommitted = false

  init(_ database: Firestore) { self.database = database }

  /// Replaces a document by these fields.
  @discardableResult
  public func setData(
    _ data: [String: Any], forDocument document: DocumentReference
  ) -> WriteBatch {
    putSet(data, document, .replace)
    return self
  }

  /// Sets fields of a document, merging with what it has if asked to.
  @discardableResult
  public func setData(
    _ data: [String: Any], forDocument document: DocumentReference, merge: Bool
  ) -> WriteBatch {
    putSet(data, document, merge ? .merge : .replace)
    return self
  }

  /// Sets only the listed fields (dotted strings or `FieldPath`s) of a document.
  @discardableResult
  public func setData(
    _ data: [String: Any], forDocument document: DocumentReference, mergeFields: [Any]
  ) -> WriteBatch {
    putSet(data, document, .fields(mergeFields))
    return self
  }

  /// Replaces a document by an encoded value.
  ///
  /// - Throws: Errors of encoding; the batch is unchanged then.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T, forDocument document: DocumentReference, encoder: Firestore.Encoder = .init()
  ) throws -> WriteBatch {
    try putSet(from: value, document, .replace, encoder)
    return self
  }

  /// Sets an encoded value's fields, merging if asked to.
  ///
  /// - Throws: Errors of encoding; the batch is unchanged then.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T, forDocument document: DocumentReference, merge: Bool,
    encoder: Firestore.Encoder = .init()
  ) throws -> WriteBatch {
    try putSet(from: value, document, merge ? .merge : .replace, encoder)
    return self
  }

  /// Sets only the listed fields of an encoded value, by their encoded names.
  ///
  /// - Throws: Errors of encoding; the batch is unchanged then.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T, forDocument document: DocumentReference, mergeFields: [Any],
    encoder: Firestore.Encoder = .init()
  ) throws -> WriteBatch {
    try putSet(from: value, document, .fields(mergeFields), encoder)
    return self
  }

  /// Sets fields of a document that must exist; keys are dotted strings or `FieldPath`s.
  @discardableResult
  public func updateData(
    _ fields: [AnyHashable: Any], forDocument document: DocumentReference
  ) -> WriteBatch {
    putUpdate(fields, document)
    return self
  }

  /// Deletes a document, but not what lies under it.
  @discardableResult
  public func deleteDocument(_ document: DocumentReference) -> WriteBatch {
    putDelete(document)
    return self
  }

  /// Creates a document, which must not exist; the commit fails with `ALREADY_EXISTS` if it does.
  @discardableResult
  public func create(
    _ data: [String: Any], forDocument document: DocumentReference
  ) -> WriteBatch {
    putCreate(data, document)
    return self
  }

  /// Sets fields of a document of which the precondition must hold.
  @discardableResult
  public func update(
    _ fields: [AnyHashable: Any], forDocument document: DocumentReference,
    precondition: Precondition
  ) -> WriteBatch {
    putUpdate(fields, document, precondition)
    return self
  }

  /// Deletes a document of which the precondition must hold.
  @discardableResult
  public func delete(
    _ document: DocumentReference, precondition: Precondition
  ) -> WriteBatch {
    putDelete(document, precondition)
    return self
  }

  // MARK: Committing

  private func finish() -> Result<[Write], HearthError> {
    if isCommitted { noteReuse() }
    isCommitted = true
    if let error { return .failure(error) }
    return .success(writes)
  }

  private func noteReuse() {
    if let error, error.reason == "BATCH_REUSED" { return }
    error = Hearth.misused(
      HearthError(
        .failedPrecondition, "BATCH_REUSED",
        "A write batch can no longer be used after commit() has been called."))
  }

  /// Commits the batch and suspends until it is durable; an empty batch succeeds.
  ///
  /// - Throws: ``HearthError``: the first misuse, or the failure of the first failing write.
  public func commit() async throws { _ = try await database.commit(finish()) }

  /// Commits the batch and tells what each of its writes did, in their order.
  ///
  /// - Throws: As ``commit()``.
  public func commitWithResults() async throws -> [WriteResult] {
    try await database.commit(finish()).results
  }

  /// Commits the batch; a completion closure comes on the main queue.
  public func commit(completion: (@MainActor ((any Error)?) -> Void)? = nil) {
    database.submit(finish(), completion: completion)
  }
}

extension WriteBatch: WriteTarget {
  func take(_ write: Result<Write, HearthError>) {
    if isCommitted { return noteReuse() }
    switch write {
    case .success(let write): writes.append(write)
    case .failure(let failure): error = error ?? failure
    }
  }
}
