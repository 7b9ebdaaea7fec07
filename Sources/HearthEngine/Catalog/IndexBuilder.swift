import HearthEncoding
package import HearthModel
import HearthStorage

extension Engine {
  /// Creates an index and fills it from existing documents while the database serves; returns when
  /// it is READY.
  ///
  /// An index that exists is left as it is, unless it needs repair.
  ///
  /// `progress` is told how many of the documents present were looked at.
  package func createIndex(
    _ definition: IndexDefinition,
    progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) async throws(HearthError) {
    try definition.validate()
    guard definition.fields.count > 1 || definition.nameDirection == .descending else {
      return  // The name index exists always.
    }
    if definition.fieldsBeforeName.count == 1, definition.scope == .collection,
      let field = definition.fields.first,
      definition.nameDirection == (field.mode == .descending ? .descending : .ascending)
    {
      // A duplicate of an automatic index is accepted and ignored (6.3).
      return
    }
    guard definition.scope == .collection else {
      throw HearthError(
        .unimplemented, "COLLECTION_GROUP_NOT_YET",
        "Indexes with scope COLLECTION_GROUP are not offered yet; use COLLECTION.")
    }
    try await maintain { group, transaction in
      let state = group.catalog.state
      if let known = state.declared.first(where: { $0.definition == definition }),
        known.state != .needsRepair
      {
        return
      }
      let sequence = try group.catalog.newIndexNumber(transaction).value
      // Twins share one tree; a maintained one needs no second filling.
      let twin = state.declared.first {
        $0.isMaintained && $0.tree.definition == definition.physical
      }
      let tree =
        try twin?.tree
        ?? PhysicalIndex(
          number: group.catalog.newIndexNumber(transaction), definition: definition.physical)
      try group.catalog.change(transaction) { state in
        state.declared.removeAll { $0.definition == definition }
        state.declared.append(
          DeclaredTree(
            sequence: sequence, definition: definition, tree: tree, state: .creating))
      }
    }
    try await fill(definition, progress)
  }

  /// Removes an index from planning at once and reclaims its entries.
  package func dropIndex(_ definition: IndexDefinition) async throws(HearthError) {
    guard let tree = parts.reader.catalog.state.tree(of: definition) else {
      throw HearthError(
        .notFound, "INDEX_NOT_FOUND",
        "There is no declared index \(definition) on '\(definition.collectionID)'.")
    }
    let isUnused = Lock(false)
    try await maintain { group, transaction in
      try group.catalog.change(transaction) { state in
        state.declared.removeAll { $0.definition == definition }
      }
      if group.catalog.state.declared.contains(where: { $0.tree == tree }) { return }
      // Noted in the same commit, so that a crash before the end leaves no entries for good.
      let store = group.reader.store
      try store.put(CatalogKeys.reclaim(tree.number), [], in: store.catalog, transaction)
      isUnused.withLock { $0 = true }
    }
    if isUnused.withLock({ $0 }) { try await reclaim(tree.number) }
  }

  /// Deletes the entries of a dropped tree in chunks.
  private func reclaim(_ number: IndexNumber) async throws(HearthError) {
    let prefix = KeyLayout.entriesPrefix(number, nil)
    let remaining = Lock(true)
    while remaining.withLock({ $0 }) {
      try await maintain { group, transaction in
        let store = group.reader.store
        let keys = try IndexBuild.keys(prefix, limit: 1000, store, transaction)
        for key in keys { try store.delete(key, in: store.entries, transaction) }
        if keys.count < 1000 {
          try store.delete(CatalogKeys.reclaim(number), in: store.catalog, transaction)
        }
        remaining.withLock { $0 = keys.count == 1000 }
      }
    }
  }

  /// Declares what a `firestore.indexes.json` holds; builds what is new.
  ///
  /// Indexes that the file does not name stay.
  package func applyIndexFile(
    _ json: [UInt8], progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) async throws(HearthError) {
    let file = try IndexDefinitionFile(json: json)
    try await changeOverrides(file.overrides)
    for definition in file.composites { try await createIndex(definition, progress: progress) }
  }

  /// Takes over field overrides.
  ///
  /// They decide which entries exist, so for now they can only change for collections without
  /// documents.
  private func changeOverrides(_ overrides: [FieldOverride]) async throws(HearthError) {
    let current = parts.reader.catalog.state.overrides
    let changed = overrides.filter { !current.contains($0) }
    if changed.isEmpty { return }
    try await maintain { group, transaction in
      for override in changed {
        let store = group.reader.store
        let collections = try CatalogRecords.collections(
          withID: override.collectionID, store, transaction)
        for (path, number) in collections {
          let first = try IndexBuild.documents(
            after: nil, in: number, limit: 1, store, transaction)
          if !first.isEmpty {
            throw HearthError(
              .failedPrecondition, "OVERRIDES_NEED_EMPTY_COLLECTION",
              "Field overrides of '\(override.collectionID)' can only change while it has no "
                + "documents; '\(path)' has some. Apply them before importing.")
          }
        }
      }
      try group.catalog.change(transaction) { state in
        state.overrides.removeAll { old in
          changed.contains {
            UTF8Order.equal($0.collectionID, old.collectionID) && $0.path == old.path
          }
        }
        state.overrides += changed
      }
    }
  }

  /// Goes on with builds and reclaims that an earlier run of the program left unfinished.
  func resumeIndexWork() {
    let store = parts.reader.store
    let reclaims = try? parts.environment.read { transaction in
      try CatalogRecords.reclaims(store, transaction)
    }
    for number in reclaims ?? [] {
      options.runtime.spawn("hearth.reclaim") { [weak self] in try? await self?.reclaim(number) }
    }
    let unfinished = parts.reader.catalog.state.declared.filter { $0.state == .creating }
    for tree in unfinished {
      options.runtime.spawn("hearth.index") { [weak self] in
        try? await self?.fill(tree.definition, nil)
      }
    }
  }

  /// Fills a tree in chunks, each in a group of its own, so that commits pass in between.
  private func fill(
    _ definition: IndexDefinition, _ progress: (@Sendable (Int, Int) -> Void)?
  ) async throws(HearthError) {
    let state = parts.reader.catalog.state
    guard let declared = state.declared.first(where: { $0.definition == definition }),
      declared.state == .creating
    else { return }
    let store = parts.reader.store
    let (collections, total) = try read { transaction in
      let collections = try CatalogRecords.collections(
        withID: definition.collectionID, store, transaction)
      return (
        collections,
        try collections.reduce(0) {
          try $0 + IndexBuild.count($1.number, store, transaction)
        }
      )
    }
    let overBudget = Lock<HearthError?>(nil)
    // A collection that comes later is maintained from its first document on.
    let done = Lock(0)
    progress?(0, total)
    for (path, number) in collections {
      let last = Lock<[UInt8]?>(nil)
      let isFinished = Lock(false)
      while !isFinished.withLock({ $0 }) {
        try await maintain { group, transaction in
          guard
            group.catalog.state.declared.contains(where: {
              $0.tree == declared.tree && $0.state == .creating
            })
          else {
            isFinished.withLock { $0 = true }
            return
          }
          let chunk = try IndexBuild.documents(
            after: last.withLock { $0 }, in: number, limit: IndexBuild.chunk, store, transaction)
          var entries: [[UInt8]] = []
          for (key, record) in chunk {
            let id = try KeyLayout.documentID(of: key).id
            let fields = try record.fields()
            do throws(HearthError) {
              try IndexEntries.checkBudget(
                fields: fields, path: path.document(id),
                configuration: group.catalog.state.configuration,
                declared: group.catalog.state.maintained(collectionID: path.collectionID)
                  .map(\.definition))
            } catch {
              overBudget.withLock { $0 = error }
            }
            entries += IndexEntries.declared(
              fields: fields, path: path.document(id), collection: number,
              index: declared.tree)
          }
          for key in entries.sorted(by: bytesLess) {
            try store.put(key, [], in: store.entries, transaction)
          }
          if let key = chunk.last?.key { last.withLock { $0 = key } }
          isFinished.withLock { $0 = chunk.count < IndexBuild.chunk }
          done.withLock { $0 += chunk.count }
        }
        progress?(done.withLock { $0 }, max(total, done.withLock { $0 }))
      }
    }
    let failure = overBudget.withLock { $0 }
    try await maintain { group, transaction in
      try group.catalog.change(transaction) { state in
        for position in state.declared.indices
        where state.declared[position].definition == definition {
          state.declared[position].state = failure == nil ? .ready : .needsRepair
        }
      }
    }
    if let failure { throw failure }
  }

  /// Runs work of the engine's own inside one group.
  func maintain(
    _ body: @escaping @Sendable (inout CommitGroup, borrowing WriteTransaction) throws -> Void
  ) async throws(HearthError) {
    let outcome: Result<Void, HearthError> = await withCheckedContinuation { continuation in
      parts.intake.submit(
        MaintenanceRequest(body: body, reply: { continuation.resume(returning: $0) }))
    }
    try outcome.get()
  }
}

/// Reading for index builds.
enum IndexBuild {
  /// Documents per group: bounds the dirty pages of one storage transaction.
  static let chunk = 500

  /// The documents of a collection after a key, in key order.
  static func documents<T: TableReader & ~Copyable>(
    after last: [UInt8]?, in collection: CollectionNumber, limit: Int, _ store: RecordStore,
    _ transaction: borrowing T
  ) throws -> [(key: [UInt8], record: EncodedDocument)] {
    let prefix = KeyLayout.documentsPrefix(collection)
    let end = prefixEnd(prefix) ?? []
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

  /// How many documents a collection has.
  static func count<T: TableReader & ~Copyable>(
    _ collection: CollectionNumber, _ store: RecordStore, _ transaction: borrowing T
  ) throws -> Int {
    try keys(
      KeyLayout.documentsPrefix(collection), limit: .max, store, transaction, in: \.documents
    )
    .count
  }

  /// The keys that begin with a prefix.
  static func keys<T: TableReader & ~Copyable>(
    _ prefix: [UInt8], limit: Int, _ store: RecordStore, _ transaction: borrowing T,
    in table: any KeyPath<RecordStore, Table> & Sendable = \.entries
  ) throws -> [[UInt8]] {
    let end = prefixEnd(prefix) ?? []
    var keys: [[UInt8]] = []
    try transaction.withCursor(in: store[keyPath: table]) { cursor in
      var walk = KeyWalk(store: store, table: store[keyPath: table], descending: false)
      var more = try walk.seek(prefix, &cursor)
      while more, bytesLess(walk.key, end), keys.count < limit {
        keys.append(walk.key)
        more = try walk.step(&cursor)
      }
    }
    return keys
  }
}
