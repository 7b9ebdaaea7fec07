import HearthEncoding
package import HearthModel
import HearthStorage

/// What lies below a document or in a collection, documents that do not exist included: a document
/// under which others lie has a place in the tree without existing itself.
extension Engine {
  /// The ids of the collections directly below a document, nil for the root, under which any
  /// document lies at any depth; in the order of their bytes.
  package func collectionIDs(under document: DocumentPath?) throws(HearthError) -> [String] {
    let prefix = document.map { "\($0)/" } ?? ""
    return try read { transaction in
      try CollectionTree(store: parts.reader.store)
        .children(below: prefix, transaction)
    }
  }

  /// The documents of a collection in the order of their names.
  ///
  /// - Parameter showMissing: Whether those are listed, too, that do not exist but have documents
  ///   below them.
  package func documentPaths(
    in collection: CollectionPath, showMissing: Bool
  ) throws(HearthError) -> [DocumentPath] {
    let reader = parts.reader
    return try read { transaction in
      var ids: Set<UTF8String> = []
      if showMissing {
        ids.formUnion(
          try CollectionTree(store: reader.store).children(below: "\(collection)/", transaction)
            .map { UTF8String($0) })
      }
      if let number = try reader.catalog.number(of: collection, transaction) {
        var last: [UInt8]?
        repeat {
          let keys = try CollectionTree.documentKeys(
            number, after: last, limit: 1000, reader.store, transaction)
          for key in keys { ids.insert(UTF8String(try KeyLayout.documentID(of: key).id)) }
          last = keys.count == 1000 ? keys.last : nil
        } while last != nil
      }
      return ids.map { collection.document($0.string) }.sorted()
    }
  }

  /// Deletes a document and everything below it, or everything in a collection and below; gives
  /// the number of documents deleted.
  ///
  /// Many commits, each of some hundred deletes, the deepest documents first; so what an
  /// interrupted call leaves can still be listed, and the call be repeated. Documents that are
  /// written meanwhile may stay.
  package func deleteTree(
    _ root: TreeRoot, progress: (@Sendable (_ deleted: Int) -> Void)? = nil
  ) async throws(HearthError) -> Int {
    await waitForSubmittedWrites()
    let reader = parts.reader
    let collections = try read { transaction in
      try CollectionTree(store: reader.store).collections(below: root, transaction)
    }
    var deleted = 0
    for collection in collections.sorted(by: { $0.segments.count > $1.segments.count }) {
      var last: [UInt8]?
      repeat {
        let after = last
        let keys = try read { transaction -> [[UInt8]] in
          guard let number = try reader.catalog.number(of: collection, transaction) else {
            return []
          }
          return try CollectionTree.documentKeys(
            number, after: after, limit: 400, reader.store, transaction)
        }
        var writes: [Write] = []
        for key in keys {
          let path = collection.document(try KeyLayout.documentID(of: key).id)
          writes.append(Write(document: path, operation: .delete))
        }
        if !writes.isEmpty { _ = try await commit(writes) }
        deleted += writes.count
        progress?(deleted)
        last = keys.last
      } while last != nil
    }
    if case .document(let path) = root, try get(path).document != nil {
      _ = try await commit([Write(document: path, operation: .delete)])
      deleted += 1
      progress?(deleted)
    }
    return deleted
  }
}

/// What a recursive delete begins at.
package enum TreeRoot: Sendable {
  case document(DocumentPath)
  case collection(CollectionPath)
}

/// The tree that the paths of collections make.
///
/// The catalog has them as text, `a/1/b`, so everything below a path stands together behind the
/// path and a slash.
private struct CollectionTree {
  let store: RecordStore

  /// The ids that come next after a prefix (empty, or ending with a slash) and have a document in
  /// or below them.
  func children(
    below prefix: String, _ transaction: borrowing ReadTransaction
  ) throws -> [String] {
    let start = Self.key(prefix)
    let end = KeyLayout.end(ofPrefix: start) ?? []
    var found: Set<UTF8String> = []
    var edge = start
    while let (key, number) = try next(edge, end, transaction) {
      let rest = key[start.count...]
      let id = rest.prefix { $0 != UInt8(ascii: "/") }
      let name = UTF8String(String(decoding: id, as: UTF8.self))
      edge = key + [0]
      if !found.contains(name), try hasDocuments(number, transaction) { found.insert(name) }
      if found.contains(name), id.count < rest.count {
        // What else lies below it tells nothing new; '0' comes behind '/'.
        edge = start + id + [UInt8(ascii: "0")]
      }
    }
    return found.sorted().map(\.string)
  }

  /// Every collection at or below a root.
  func collections(
    below root: TreeRoot, _ transaction: borrowing ReadTransaction
  ) throws -> [CollectionPath] {
    let prefix: String
    var paths: [CollectionPath] = []
    switch root {
    case .document(let path): prefix = "\(path)/"
    case .collection(let path):
      prefix = "\(path)/"
      paths.append(path)
    }
    let start = Self.key(prefix)
    let end = KeyLayout.end(ofPrefix: start) ?? []
    var edge = start
    while let (key, _) = try next(edge, end, transaction) {
      let segments = key.dropFirst().split(separator: UInt8(ascii: "/"))
        .map { String(decoding: $0, as: UTF8.self) }
      paths.append(CollectionPath(unchecked: segments))
      edge = key + [0]
    }
    return paths
  }

  private static func key(_ prefix: String) -> [UInt8] {
    CatalogKeys.collectionsByPath + Array(prefix.utf8)
  }

  private func next(
    _ edge: [UInt8], _ end: [UInt8], _ transaction: borrowing ReadTransaction
  ) throws -> (key: [UInt8], number: CollectionNumber)? {
    try transaction.withCursor(in: store.catalog) { cursor in
      var walk = KeyWalk(store: store, table: store.catalog, descending: false)
      guard try walk.seek(edge, &cursor), bytesLess(walk.key, end) else { return nil }
      var offset = 0
      let number = try OrderedNumber.read(from: walk.payload(cursor), at: &offset)
      return (walk.key, CollectionNumber(number))
    }
  }

  private func hasDocuments(
    _ number: CollectionNumber, _ transaction: borrowing ReadTransaction
  ) throws -> Bool {
    try !Self.documentKeys(number, after: nil, limit: 1, store, transaction).isEmpty
  }

  /// Some keys of a collection's documents, without their records.
  static func documentKeys(
    _ number: CollectionNumber, after last: [UInt8]?, limit: Int, _ store: RecordStore,
    _ transaction: borrowing ReadTransaction
  ) throws -> [[UInt8]] {
    let prefix = KeyLayout.documentsPrefix(number)
    let end = KeyLayout.end(ofPrefix: prefix) ?? []
    var keys: [[UInt8]] = []
    try transaction.withCursor(in: store.documents) { cursor in
      var walk = KeyWalk(store: store, table: store.documents, descending: false)
      var more = try walk.seek(last.map { $0 + [0] } ?? prefix, &cursor)
      while more, bytesLess(walk.key, end), keys.count < limit {
        keys.append(walk.key)
        more = try walk.step(&cursor)
      }
    }
    return keys
  }
}
