import HearthEngine
import HearthModel

/// Listing and deleting whole trees: the SDK's servers have it.
extension Firestore {
  /// The root collections that have a document in or below them, in the order of their ids.
  public func listCollections() async throws -> [CollectionReference] {
    let engine = try engine()
    await engine.waitForSubmittedWrites()
    return try await onBlockingThread { () throws(HearthError) in
      try engine.collectionIDs(under: nil)
    }.map { CollectionReference(self, CollectionPath(unchecked: [$0])) }
  }

  /// Deletes a document, and all documents below it at any depth; gives how many those were.
  ///
  /// Many commits, the deepest documents first: what an interrupted call leaves can be listed and
  /// deleted by another. Documents that are written meanwhile may stay.
  ///
  /// - Parameter progress: Called with the number of documents deleted so far.
  @discardableResult
  public func recursiveDelete(
    _ document: DocumentReference, progress: (@Sendable (_ deleted: Int) -> Void)? = nil
  ) async throws -> Int {
    let path = try document.checked(for: self)
    return try await engine().deleteTree(.document(path), progress: progress)
  }

  /// Deletes all documents of a collection, and below it at any depth; gives how many those were.
  ///
  /// As ``recursiveDelete(_:progress:)-(DocumentReference,_)``.
  @discardableResult
  public func recursiveDelete(
    _ collection: CollectionReference, progress: (@Sendable (_ deleted: Int) -> Void)? = nil
  ) async throws -> Int {
    if collection.firestore !== self { throw ValueReader.foreign }
    let path = try collection.resolved.get()
    return try await engine().deleteTree(.collection(path), progress: progress)
  }
}

extension DocumentReference {
  /// The collections below this document that have a document in or below them, in the order of
  /// their ids.
  ///
  /// The document itself need not exist.
  public func listCollections() async throws -> [CollectionReference] {
    let path = try resolved.get()
    let engine = try firestore.engine()
    await engine.waitForSubmittedWrites()
    return try await onBlockingThread { () throws(HearthError) in
      try engine.collectionIDs(under: path)
    }.map { CollectionReference(firestore, path.collection($0)) }
  }
}

extension CollectionReference {
  /// The documents of this collection, in the order of their names.
  ///
  /// - Parameter showMissing: Whether those are listed, too, that do not exist but have documents
  ///   below them; deleting a document leaves what lies below it.
  public func listDocuments(showMissing: Bool = true) async throws -> [DocumentReference] {
    let path = try resolved.get()
    let engine = try firestore.engine()
    await engine.waitForSubmittedWrites()
    return try await onBlockingThread { () throws(HearthError) in
      try engine.documentPaths(in: path, showMissing: showMissing)
    }.map { DocumentReference(firestore, $0) }
  }
}
