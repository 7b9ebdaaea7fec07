package import HearthEncoding
package import HearthModel
package import HearthStorage

/// Reading and writing the catalog's records.
package enum CatalogRecords {
  /// The declared indexes and overrides.
  package static func load<T: TableReader & ~Copyable>(
    _ store: RecordStore, _ transaction: borrowing T
  ) throws -> CatalogState {
    var state = CatalogState()
    try forEach(prefix: CatalogKeys.declaredIndexes, store, transaction) { key, payload in
      state.declared.append(try decodeDeclared(key, payload))
    }
    if let payload = try store.get(CatalogKeys.overrides, in: store.catalog, transaction) {
      state.overrides = try IndexDefinitionFile(json: payload).overrides
    }
    try forEach(prefix: CatalogKeys.overrideChanges, store, transaction) { key, payload in
      let id = key[CatalogKeys.overrideChanges.count...]
      state.changes.append(
        OverrideChange(
          collectionID: String(decoding: id, as: UTF8.self),
          previous: try IndexDefinitionFile(json: payload).overrides))
    }
    return state
  }

  /// The newest version, zero in a new database.
  package static func head<T: TableReader & ~Copyable>(
    _ store: RecordStore, _ transaction: borrowing T
  ) throws -> CommitVersion {
    guard let payload = try store.get(CatalogKeys.head, in: store.catalog, transaction) else {
      return .zero
    }
    var offset = 0
    return CommitVersion(
      microseconds: Int64(bitPattern: try OrderedNumber.read(from: payload, at: &offset)))
  }

  package static func putHead(
    _ version: CommitVersion, _ store: RecordStore, _ transaction: borrowing WriteTransaction
  ) throws {
    var payload: [UInt8] = []
    OrderedNumber.append(UInt64(bitPattern: version.microseconds), to: &payload)
    try store.put(CatalogKeys.head, payload, in: store.catalog, transaction)
  }

  /// Every collection, in the order of their numbers.
  package static func collections<T: TableReader & ~Copyable>(
    _ store: RecordStore, _ transaction: borrowing T
  ) throws -> [(path: CollectionPath, number: CollectionNumber)] {
    var found: [(path: CollectionPath, number: CollectionNumber)] = []
    try forEach(prefix: CatalogKeys.collectionsByNumber, store, transaction) { key, payload in
      let segments = payload.split(separator: UInt8(ascii: "/"))
      var offset = CatalogKeys.collectionsByNumber.count
      let number = CollectionNumber(try OrderedNumber.read(from: key, at: &offset))
      let path = CollectionPath(
        unchecked: segments.map { String(decoding: $0, as: UTF8.self) })
      found.append((path, number))
    }
    return found
  }

  /// Every collection with this id, in the order of their paths.
  package static func collections<T: TableReader & ~Copyable>(
    withID id: String, _ store: RecordStore, _ transaction: borrowing T
  ) throws -> [(path: CollectionPath, number: CollectionNumber)] {
    var found: [(path: CollectionPath, number: CollectionNumber)] = []
    let prefix = CatalogKeys.group(id)
    try forEach(prefix: prefix, store, transaction) { key, payload in
      var offset = 0
      let number = CollectionNumber(try OrderedNumber.read(from: payload, at: &offset))
      found.append((try NameKey.decodeCollection(in: key, from: prefix.count), number))
    }
    return found
  }

  /// Some of the collections that share an id, by their catalog keys.
  static func members<T: TableReader & ~Copyable>(
    from lower: [UInt8], to upper: [UInt8], limit: Int, _ store: RecordStore,
    _ transaction: borrowing T
  ) throws -> [(key: [UInt8], number: CollectionNumber)] {
    var found: [(key: [UInt8], number: CollectionNumber)] = []
    try transaction.withCursor(in: store.catalog) { cursor in
      var walk = KeyWalk(store: store, table: store.catalog, descending: false)
      var more = try walk.seek(lower, &cursor)
      while more, bytesLess(walk.key, upper), found.count < limit {
        var offset = 0
        let number = try OrderedNumber.read(from: walk.payload(cursor), at: &offset)
        found.append((walk.key, CollectionNumber(number)))
        more = try walk.step(&cursor)
      }
    }
    return found
  }

  /// Every automatic index that ever had an entry.
  package static func automaticIndexes<T: TableReader & ~Copyable>(
    _ store: RecordStore, _ transaction: borrowing T
  ) throws -> [(key: AutomaticIndexKey, number: IndexNumber)] {
    var found: [(key: AutomaticIndexKey, number: IndexNumber)] = []
    try forEach(prefix: CatalogKeys.automaticIndexes, store, transaction) { key, payload in
      var offset = 0
      let number = IndexNumber(try OrderedNumber.read(from: payload, at: &offset))
      found.append((try CatalogKeys.automatic(from: key), number))
    }
    return found
  }

  /// The trees whose entries are still to be reclaimed.
  static func reclaims<T: TableReader & ~Copyable>(
    _ store: RecordStore, _ transaction: borrowing T
  ) throws -> [IndexNumber] {
    var found: [IndexNumber] = []
    try forEach(prefix: CatalogKeys.reclaims, store, transaction) { key, _ in
      var offset = CatalogKeys.reclaims.count
      found.append(IndexNumber(try OrderedNumber.read(from: key, at: &offset)))
    }
    return found
  }

  package static func encode(_ tree: DeclaredTree) -> [UInt8] {
    let tag: UInt8 =
      switch tree.state {
      case .creating: 1
      case .ready: 2
      case .needsRepair: 3
      }
    var payload = [tag]
    OrderedNumber.append(tree.tree.number.value, to: &payload)
    let file = IndexDefinitionFile(composites: [tree.definition], overrides: [])
    return payload + Array(file.json().utf8)
  }

  private static func decodeDeclared(
    _ key: [UInt8], _ payload: [UInt8]
  ) throws(HearthError) -> DeclaredTree {
    var offset = CatalogKeys.declaredIndexes.count
    let sequence = try OrderedNumber.read(from: key, at: &offset)
    let states: [UInt8: IndexState] = [1: .creating, 2: .ready, 3: .needsRepair]
    offset = 1
    guard let tag = payload.first, let state = states[tag],
      case let number = IndexNumber(try OrderedNumber.read(from: payload, at: &offset)),
      let definition = try IndexDefinitionFile(json: Array(payload[offset...])).composites.first
    else {
      throw .dataLoss(
        "CATALOG_MALFORMED", "The record of a declared index is malformed; restore a backup.")
    }
    return DeclaredTree(
      sequence: sequence, definition: definition,
      tree: PhysicalIndex(number: number, definition: definition.physical), state: state)
  }

  private static func forEach<T: TableReader & ~Copyable>(
    prefix: [UInt8], _ store: RecordStore, _ transaction: borrowing T,
    _ body: (_ key: [UInt8], _ payload: [UInt8]) throws -> Void
  ) throws {
    let end = KeyLayout.end(ofPrefix: prefix) ?? []
    try transaction.withCursor(in: store.catalog) { cursor in
      var walk = KeyWalk(store: store, table: store.catalog, descending: false)
      var found = try walk.seek(prefix, &cursor)
      while found, bytesLess(walk.key, end) {
        try body(walk.key, try walk.payload(cursor))
        found = try walk.step(&cursor)
      }
    }
  }
}
