import HearthEncoding
import HearthModel
import HearthStorage

/// The filling of a tree from the documents of one collection, and how far it is.
struct IndexFill: Sendable {
  /// Bounds of one step, so that a storage transaction dirties few pages.
  static let mostDocuments = 500
  static let mostEntries = 5000

  let index: DeclaredTree
  let path: CollectionPath
  let collection: CollectionNumber
  private(set) var done = 0
  private(set) var isFinished = false
  /// Set by a document whose entries exceed their budget (documents-and-queries, 6.6).
  private(set) var overBudget: HearthError?
  private var last: [UInt8]?

  init(index: DeclaredTree, path: CollectionPath, collection: CollectionNumber) {
    self.index = index
    self.path = path
    self.collection = collection
  }

  /// The state after one more step, taken inside a group.
  func advanced(
    _ group: inout CommitGroup, _ transaction: borrowing WriteTransaction
  ) throws -> IndexFill {
    var next = self
    let state = group.catalog.state
    try IndexFill.checkDeclared(index, state)
    let store = group.reader.store
    let declared = state.maintained(collectionID: path.collectionID).map(\.definition)
    let chunk = try IndexFill.documents(
      after: last, in: collection, limit: IndexFill.mostDocuments, store, transaction)
    next.isFinished = chunk.count < IndexFill.mostDocuments
    var entries: [IndexEntry] = []
    for (key, record) in chunk {
      if entries.count >= IndexFill.mostEntries {
        next.isFinished = false
        break
      }
      let document = path.document(try KeyLayout.documentID(of: key).id)
      let fields = try record.fields()
      do throws(HearthError) {
        try IndexEntries.checkBudget(
          fields: fields, path: document, configuration: state.fieldConfiguration,
          declared: declared)
      } catch {
        next.overBudget = error
      }
      entries += IndexEntries.declared(
        fields: fields, path: document, collection: collection, index: index.tree)
      next.last = key
      next.done += 1
    }
    for entry in entries.sorted(by: { bytesLess($0.key, $1.key) }) {
      try store.put(entry.key, entry.payload, in: store.entries, transaction)
    }
    return next
  }

  /// Notes that a tree's entries are to be reclaimed, in the commit that gives the tree up, so
  /// that a crash before the end leaves no entries for good.
  static func noteReclaim(
    _ number: IndexNumber, _ store: RecordStore, _ transaction: borrowing WriteTransaction
  ) throws {
    try store.put(CatalogKeys.reclaim(number), [], in: store.catalog, transaction)
  }

  /// Ends a build whose index was dropped meanwhile: an entry written now would stay for good.
  ///
  /// The index may have been created again under another number; that one has a build of its own,
  /// and must not be called ready by this one.
  static func checkDeclared(_ index: DeclaredTree, _ state: CatalogState) throws(HearthError) {
    if state.declared.contains(where: { $0.sequence == index.sequence }) { return }
    throw .indexDropped(index.definition)
  }

  /// The documents of a collection after a key, in key order.
  static func documents<T: TableReader & ~Copyable>(
    after last: [UInt8]?, in collection: CollectionNumber, limit: Int, _ store: RecordStore,
    _ transaction: borrowing T
  ) throws -> [(key: [UInt8], record: EncodedDocument)] {
    let prefix = KeyLayout.documentsPrefix(collection)
    let end = KeyLayout.end(ofPrefix: prefix) ?? []
    var found: [(key: [UInt8], record: EncodedDocument)] = []
    try transaction.withCursor(in: store.documents) { cursor in
      var walk = KeyWalk(store: store, table: store.documents, descending: false)
      var more = try walk.seek(last.map { $0 + [0] } ?? prefix, &cursor)
      while more, bytesLess(walk.key, end), found.count < limit {
        found.append((walk.key, try EncodedDocument(record: walk.payload(cursor))))
        more = try walk.step(&cursor)
      }
    }
    return found
  }

  /// How many documents some collections have.
  static func count<T: TableReader & ~Copyable>(
    _ collections: [CollectionNumber], _ store: RecordStore, _ transaction: borrowing T
  ) throws -> Int {
    var count = 0
    try transaction.withCursor(in: store.documents) { cursor in
      var walk = KeyWalk(store: store, table: store.documents, descending: false)
      for collection in collections {
        let prefix = KeyLayout.documentsPrefix(collection)
        let end = KeyLayout.end(ofPrefix: prefix) ?? []
        var more = try walk.seek(prefix, &cursor)
        while more, bytesLess(walk.key, end) {
          count += 1
          more = try walk.step(&cursor)
        }
      }
    }
    return count
  }

  /// The entries that begin with a prefix.
  static func keys<T: TableReader & ~Copyable>(
    _ prefix: [UInt8], limit: Int, _ store: RecordStore, _ transaction: borrowing T
  ) throws -> [[UInt8]] {
    let end = KeyLayout.end(ofPrefix: prefix) ?? []
    var keys: [[UInt8]] = []
    try transaction.withCursor(in: store.entries) { cursor in
      var walk = KeyWalk(store: store, table: store.entries, descending: false)
      var more = try walk.seek(prefix, &cursor)
      while more, bytesLess(walk.key, end), keys.count < limit {
        keys.append(walk.key)
        more = try walk.step(&cursor)
      }
    }
    return keys
  }
}
