import Foundation
import HearthEngine
public import HearthModel

/// A transaction while its block runs: reads see one moment, writes are applied together at the
/// end, and if anything read has changed by then the block runs again.
///
/// All reads must come before the first write. A transaction is valid only inside its block:
/// later reads throw `FAILED_PRECONDITION / TRANSACTION_FINISHED`, later writes are reported to
/// ``Hearth/misuseHandler``.
///
/// It can be used from any isolation, so that a block written inside an actor compiles; it is
/// meant for one task at a time.
public final class Transaction: Sendable {
  private struct State {
    var isFinished = false
    /// The first misuse of a write; the transaction fails with it.
    var error: HearthError?
  }

  let database: Firestore
  private let context: TransactionContext
  private let state = Locked(State())

  init(_ database: Firestore, _ context: TransactionContext) {
    self.database = database
    self.context = context
  }

  /// The number of this run of the block; 1 for the first.
  public var attempt: Int { context.attempt }

  /// The commit time of the version that this run reads; nil before its first read.
  public var readTime: Timestamp? { context.readVersion?.time }

  // MARK: Reading

  private func checkUse() throws(HearthError) {
    let state = state.with { $0 }
    if state.isFinished { throw Transaction.finishedError }
    if let error = state.error { throw error }
  }

  private static let finishedError = HearthError(
    .failedPrecondition, "TRANSACTION_FINISHED",
    "A transaction can be used only while its block runs.")

  /// Reads a document; a missing one is a snapshot with `exists == false`.
  ///
  /// - Throws: ``HearthError``: `INVALID_ARGUMENT / READ_AFTER_WRITE` after the first write.
  public func getDocument(_ document: DocumentReference) throws -> DocumentSnapshot {
    try checkUse()
    let path = try document.checked(for: database)
    let stored = try context.get(path)
    return DocumentSnapshot(document, stored, context.readVersion)
  }

  /// Reads and decodes a document.
  ///
  /// - Throws: As ``getDocument(_:)``, and what decoding throws; for a missing document
  ///   `DecodingError.valueNotFound`, unless `T` is an optional.
  public func getDocument<T: Decodable>(
    _ document: DocumentReference, as type: T.Type, decoder: Firestore.Decoder = .init()
  ) throws -> T {
    try getDocument(document).data(as: type, decoder: decoder)
  }

  /// Reads several documents.
  public func getDocuments(_ documents: [DocumentReference]) throws -> [DocumentSnapshot] {
    try documents.map { try getDocument($0) }
  }

  /// Runs a query, whose result is protected until the commit, newcomers included.
  public func getDocuments(_ query: Query) throws -> QuerySnapshot {
    try checkUse()
    if query.firestore !== database { throw ValueReader.foreign }
    return QuerySnapshot(query, try context.run(try query.structured.get()))
  }

  /// Counts, sums and averages; whatever would change them conflicts.
  public func getAggregation(_ aggregate: AggregateQuery) throws -> AggregateQuerySnapshot {
    try checkUse()
    if aggregate.query.firestore !== database { throw ValueReader.foreign }
    let query = try aggregate.query.structured.get()
    return AggregateQuerySnapshot(
      aggregate, try context.aggregate(query, aggregate.aggregations))
  }

  // MARK: Writing

  /// Replaces a document by these fields.
  @discardableResult
  public func setData(
    _ data: [String: Any], forDocument document: DocumentReference
  ) -> Transaction {
    putSet(data, document, .replace)
    return self
  }

  /// Sets fields of a document, merging with what it has if asked to.
  @discardableResult
  public func setData(
    _ data: [String: Any], forDocument document: DocumentReference, merge: Bool
  ) -> Transaction {
    putSet(data, document, merge ? .merge : .replace)
    return self
  }

  /// Sets only the listed fields (dotted strings or `FieldPath`s) of a document.
  @discardableResult
  public func setData(
    _ data: [String: Any], forDocument document: DocumentReference, mergeFields: [Any]
  ) -> Transaction {
    putSet(data, document, .fields(mergeFields))
    return self
  }

  /// Replaces a document by an encoded value.
  ///
  /// - Throws: Errors of encoding; the transaction is unchanged then.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T, forDocument document: DocumentReference, encoder: Firestore.Encoder = .init()
  ) throws -> Transaction {
    try putSet(from: value, document, .replace, encoder)
    return self
  }

  /// Sets an encoded value's fields, merging if asked to.
  ///
  /// - Throws: Errors of encoding; the transaction is unchanged then.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T, forDocument document: DocumentReference, merge: Bool,
    encoder: Firestore.Encoder = .init()
  ) throws -> Transaction {
    try putSet(from: value, document, merge ? .merge : .replace, encoder)
    return self
  }

  /// Sets only the listed fields of an encoded value, by their encoded names.
  ///
  /// - Throws: Errors of encoding; the transaction is unchanged then.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T, forDocument document: DocumentReference, mergeFields: [Any],
    encoder: Firestore.Encoder = .init()
  ) throws -> Transaction {
    try putSet(from: value, document, .fields(mergeFields), encoder)
    return self
  }

  /// Sets fields of a document that must exist; keys are dotted strings or `FieldPath`s.
  @discardableResult
  public func updateData(
    _ fields: [AnyHashable: Any], forDocument document: DocumentReference
  ) -> Transaction {
    putUpdate(fields, document)
    return self
  }

  /// Deletes a document, but not what lies under it.
  @discardableResult
  public func deleteDocument(_ document: DocumentReference) -> Transaction {
    putDelete(document)
    return self
  }

  /// Creates a document, which must not exist; the transaction fails with `ALREADY_EXISTS` if it
  /// does.
  @discardableResult
  public func create(
    _ data: [String: Any], forDocument document: DocumentReference
  ) -> Transaction {
    putCreate(data, document)
    return self
  }

  /// Ends the use of this object; throws what was wrong with its writes.
  func finish() throws(HearthError) {
    let error = state.with { state in
      state.isFinished = true
      return state.error
    }
    if let error { throw error }
  }
}

extension Transaction: WriteTarget {
  func take(_ write: Result<Write, HearthError>) {
    if state.with({ $0.isFinished }) {
      Hearth.misused(Transaction.finishedError)
      return
    }
    do throws(HearthError) {
      try context.write(try write.get())
    } catch {
      let failure = error
      state.with { $0.error = $0.error ?? failure }
    }
  }
}
