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
    if definition.isSingleField { return try await addSingleField(definition, progress) }
    let abandoned = try await maintain { group, transaction -> IndexNumber? in
      let state = group.catalog.state
      let known = state.declared.first { $0.definition == definition }
      if let known, known.state != .needsRepair { return nil }
      if known == nil, state.declared.count >= IndexRules.mostComposites {
        throw HearthError.invalid(
          "TOO_MANY_INDEXES",
          "The database has \(state.declared.count) composite indexes, which is the most; drop one "
            + "that is not used.")
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
      guard let known, !group.catalog.state.declared.contains(where: { $0.tree == known.tree })
      else { return nil }
      try IndexFill.noteReclaim(known.tree.number, group.reader.store, transaction)
      return known.tree.number
    }
    if let abandoned { reclaimInBackground(abandoned) }
    try await fill(definition, progress)
  }

  /// Removes an index from planning; its entries are deleted in the background.
  ///
  /// Returns when no query can use it any more. A restart goes on with the deleting.
  package func dropIndex(_ definition: IndexDefinition) async throws(HearthError) {
    if definition.isSingleField { return try await removeSingleField(definition) }
    let unused = try await maintain(frees: true) { group, transaction -> IndexNumber? in
      // Looked up here: the index may have been dropped and created again since the call.
      guard let tree = group.catalog.state.tree(of: definition) else {
        throw HearthError(
          .notFound, "INDEX_NOT_FOUND",
          "There is no declared index \(definition) on '\(definition.collectionID)'.")
      }
      try group.catalog.change(transaction) { state in
        state.declared.removeAll { $0.definition == definition }
      }
      if group.catalog.state.declared.contains(where: { $0.tree == tree }) { return nil }
      try IndexFill.noteReclaim(tree.number, group.reader.store, transaction)
      return tree.number
    }
    parts.publisher.indexDropped()
    if let unused { reclaimInBackground(unused) }
  }

  private func reclaimInBackground(_ number: IndexNumber) {
    parts.indexWork.start("hearth.reclaim", on: options.runtime) { [weak self] in
      try await self?.reclaim(number)
    }
  }

  /// Deletes the entries of a dropped tree in chunks.
  private func reclaim(_ number: IndexNumber) async throws(HearthError) {
    let prefix = KeyLayout.entriesPrefix(number, nil)
    var isFinished = false
    while !isFinished {
      isFinished = try await maintain(frees: true) { group, transaction in
        let store = group.reader.store
        let keys = try IndexFill.keys(prefix, limit: 1000, store, transaction)
        for key in keys { try store.delete(key, in: store.entries, transaction) }
        if keys.count < 1000 {
          try store.delete(CatalogKeys.reclaim(number), in: store.catalog, transaction)
        }
        return keys.count < 1000
      }
    }
  }

  /// Suspends until nothing is done about indexes in the background.
  package func waitForIndexWork() async { await parts.indexWork.wait() }

  /// Goes on with builds and reclaims that an earlier run of the program left unfinished.
  func resumeIndexWork() {
    let store = parts.reader.store
    let reclaims = try? parts.environment.read { transaction in
      try CatalogRecords.reclaims(store, transaction)
    }
    for number in reclaims ?? [] { reclaimInBackground(number) }
    let unfinished = parts.reader.catalog.state.declared.filter { $0.state == .creating }
    for tree in unfinished {
      parts.indexWork.start("hearth.index", on: options.runtime) { [weak self] in
        try await self?.fill(tree.definition, nil)
      }
    }
    let work = parts.indexWork
    for change in parts.reader.catalog.state.changes {
      let ids: Set = [UTF8String(change.collectionID)]
      work.beginChange(of: ids)
      work.start("hearth.overrides", on: options.runtime) { [weak self] in
        defer { work.endChange(of: ids) }
        try await self?.follow(change, nil)
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
    // A collection that comes later is maintained from its first document on.
    let (collections, total) = try read { transaction in
      let collections = try CatalogRecords.collections(
        withID: definition.collectionID, store, transaction)
      return (collections, try IndexFill.count(collections.map(\.number), store, transaction))
    }
    progress?(0, total)
    var failure: HearthError?
    var done = 0
    for (path, number) in collections {
      var fill = IndexFill(index: declared, path: path, collection: number)
      while !fill.isFinished {
        let next = fill
        fill = try await maintain { group, transaction in
          try next.advanced(&group, transaction)
        }
        failure = failure ?? fill.overBudget
        progress?(done + fill.done, max(total, done + fill.done))
      }
      done += fill.done
    }
    let outcome: IndexState = failure == nil ? .ready : .needsRepair
    try await maintain { group, transaction in
      try IndexFill.checkDeclared(declared, group.catalog.state)
      try group.catalog.change(transaction) { state in
        for position in state.declared.indices
        where state.declared[position].sequence == declared.sequence {
          state.declared[position].state = outcome
        }
      }
    }
    if let failure { throw failure }
  }

  /// Runs work of the engine's own inside one group.
  func maintain<R: Sendable>(
    frees: Bool = false,
    _ body:
      @escaping @Sendable (inout CommitGroup, borrowing WriteTransaction) throws -> R
  ) async throws(HearthError) -> R {
    let result = Lock<R?>(nil)
    let outcome: Result<Void, HearthError> = await withCheckedContinuation { continuation in
      parts.intake.submit(
        MaintenanceRequest(
          frees: frees,
          body: { group, transaction in
            let value = try body(&group, transaction)
            result.withLock { $0 = value }
          },
          reply: { continuation.resume(returning: $0) }))
    }
    try outcome.get()
    guard let value = result.withLock({ $0 }) else {
      throw HearthError(.internal, "MAINTENANCE", "A maintenance step gave no result.")
    }
    return value
  }
}
