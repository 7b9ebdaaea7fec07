import HearthEncoding
import HearthModel
import HearthStorage

/// Reading documents at one point in time.
struct RecordReader: Sendable {
  let store: RecordStore
  let catalog: Catalog

  /// A document as stored, nil if it does not exist.
  func document<T: TableReader & ~Copyable>(
    _ path: DocumentPath, _ transaction: borrowing T
  ) throws -> StoredDocument? {
    guard let number = try catalog.number(of: path.collection, transaction) else { return nil }
    let key = KeyLayout.document(number, id: path.id)
    guard let record = try store.get(key, in: store.documents, transaction) else { return nil }
    return try StoredDocument(path: path, record: EncodedDocument(record: record))
  }

  /// When a document last changed, nil if it does not exist.
  func version<T: TableReader & ~Copyable>(
    of path: DocumentPath, _ transaction: borrowing T
  ) throws -> CommitVersion? {
    guard let number = try catalog.number(of: path.collection, transaction) else { return nil }
    let key = KeyLayout.document(number, id: path.id)
    guard let record = try store.get(key, in: store.documents, transaction) else { return nil }
    return try DocumentCodec.versions(of: record.span.bytes).update
  }

  /// Whether everything in the footprint still is as it was read; nil if so.
  func conflict<T: TableReader & ~Copyable>(
    _ footprint: Footprint, _ transaction: borrowing T
  ) throws -> ConflictCause? {
    var changed: [DocumentPath] = []
    for (path, version) in footprint.points
    where try self.version(of: path, transaction) != version {
      changed.append(path)
    }
    if !changed.isEmpty { return .points(changed.sorted()) }
    if footprint.lostTree(catalog.state) { return .range }
    for range in footprint.ranges where try !range.isUnchanged(store, transaction) {
      return .range
    }
    return nil
  }
}
