import HearthEncoding
package import HearthModel
import HearthStorage

extension Engine {
  /// Declares what a `firestore.indexes.json` holds; builds what is new.
  ///
  /// Indexes and overrides that the file does not name stay.
  package func applyIndexFile(
    _ json: [UInt8], progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) async throws(HearthError) {
    let file = try IndexDefinitionFile(json: json)
    // All entries are looked at before the first is declared: a file is taken whole or not at all.
    for definition in file.composites { try definition.validate() }
    try await changeOverrides(of: file.overrides.map(\.collectionID), progress) { overrides in
      for override in file.overrides { overrides.put(override) }
    }
    for definition in file.composites { try await createIndex(definition, progress: progress) }
  }

  /// Replaces the indexes of a field, or with nil goes back to what the field has without an
  /// override; returns when all documents follow.
  ///
  /// A path of nil means the collection-level override `*`. Queries stop using an index that is
  /// taken away at once, and use a new one when it is complete.
  package func setOverride(
    collectionID: String, path: FieldPath?, indexes: [SingleFieldIndex]?,
    progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) async throws(HearthError) {
    let override = FieldOverride(collectionID: collectionID, path: path, indexes: indexes ?? [])
    // What is stored is checked again at every opening: nothing unsound may get there.
    if indexes != nil { try override.validate() }
    try await changeOverrides(of: [collectionID], progress) { overrides in
      if indexes != nil {
        overrides.put(override)
      } else {
        overrides.removeAll {
          UTF8Order.equal($0.collectionID, collectionID) && $0.path == path
        }
      }
    }
  }

  /// Adds a single-field index to those of its field; one that is there is left as it is.
  func addSingleField(
    _ definition: IndexDefinition, _ progress: (@Sendable (Int, Int) -> Void)?
  ) async throws(HearthError) {
    guard let path = definition.fields.first?.path else { return }
    try await changeOverrides(of: [definition.collectionID], progress) { overrides in
      let existing = IndexConfiguration(overrides: overrides)
        .maintainedIndexes(collectionID: definition.collectionID, path: path)
      let wanted = definition.overrideAdding(to: existing)
      if wanted.indexes != existing { overrides.put(wanted) }
    }
  }

  /// Takes a single-field index away from its field.
  func removeSingleField(_ definition: IndexDefinition) async throws(HearthError) {
    guard let field = definition.fields.first else { return }
    let removed = SingleFieldIndex(mode: field.mode, scope: definition.scope)
    let configuration = IndexConfiguration(overrides: parts.reader.catalog.state.overrides)
    let existing = configuration.maintainedIndexes(
      collectionID: definition.collectionID, path: field.path)
    guard existing.contains(removed) else {
      throw HearthError(
        .notFound, "INDEX_NOT_FOUND",
        "There is no index \(definition) on '\(definition.collectionID)'.")
    }
    try await setOverride(
      collectionID: definition.collectionID, path: field.path,
      indexes: existing.filter { $0 != removed })
  }

  /// Changes the overrides of some collection ids in one commit, and then brings the documents
  /// after them.
  ///
  /// Where they are as wanted already, but documents do not follow yet because somebody else is at
  /// it, this waits for that.
  private func changeOverrides(
    of collectionIDs: [String], _ progress: (@Sendable (Int, Int) -> Void)?,
    _ edit: @escaping @Sendable (inout [FieldOverride]) -> Void
  ) async throws(HearthError) {
    let ids = Set(collectionIDs.map { UTF8String($0) })
    parts.indexWork.beginChange(of: ids)
    let started: [OverrideChange]
    do throws(HearthError) {
      started = try await storeOverrides(edit)
      // Listeners whose query has lost its index end.
      if !started.isEmpty { parts.publisher.indexDropped() }
      // One collection id that cannot follow does not keep the others from it.
      var failure: HearthError?
      for change in started {
        do throws(HearthError) {
          try await follow(change, progress)
        } catch {
          failure = failure ?? error
        }
      }
      if let failure { throw failure }
    } catch {
      parts.indexWork.endChange(of: ids)
      throw error
    }
    parts.indexWork.endChange(of: ids)
    let others = ids.subtracting(started.map { UTF8String($0.collectionID) })
    await parts.indexWork.waitForChanges(of: others)
    if isClosed { throw .closed }
    let configuration = indexConfiguration
    for id in others.sorted() where configuration.change(of: id.string) != nil {
      throw Engine.overridesChanging(id.string)
    }
  }

  private static func overridesChanging(_ collectionID: String) -> HearthError {
    HearthError(
      .failedPrecondition, "OVERRIDES_CHANGING",
      "Field overrides of '\(collectionID)' are being applied to its documents; wait until that is "
        + "done.")
  }

  /// Stores changed overrides beside the old ones; gives what documents now have to follow.
  private func storeOverrides(
    _ edit: @escaping @Sendable (inout [FieldOverride]) -> Void
  ) async throws(HearthError) -> [OverrideChange] {
    try await maintain { group, transaction in
      let old = group.catalog.state.overrides
      var new = old
      edit(&new)
      if new == old { return [] }
      if new.count > IndexRules.mostOverrides {
        throw HearthError.invalid(
          "TOO_MANY_OVERRIDES",
          "The database would have \(new.count) field overrides; "
            + "\(IndexRules.mostOverrides) are the most.")
      }
      var changes: [OverrideChange] = []
      for id in Set((old + new).map { UTF8String($0.collectionID) }).sorted() {
        let before = old.filter { UTF8Order.equal($0.collectionID, id.string) }
        let after = new.filter { UTF8Order.equal($0.collectionID, id.string) }
        if before == after { continue }
        if group.catalog.state.configuration.change(of: id.string) != nil {
          throw Engine.overridesChanging(id.string)
        }
        changes.append(OverrideChange(collectionID: id.string, previous: before))
      }
      try group.catalog.change(transaction) { state in
        state.overrides = new
        state.changes += changes
      }
      return changes
    }
  }

  /// Brings all documents of a collection id after its changed overrides, in chunks, each in a
  /// group of its own, so that commits pass in between.
  ///
  /// Where a document would have more entries than it may (documents-and-queries, 6.6), the change
  /// is taken back and the error thrown.
  func follow(
    _ change: OverrideChange, _ progress: (@Sendable (Int, Int) -> Void)?
  ) async throws(HearthError) {
    guard let failure = try await bringDocuments(after: change, checksBudget: true, progress)
    else { return }
    let reversal = try await maintain { group, transaction in
      let state = group.catalog.state
      let attempted = state.overrides.filter {
        UTF8Order.equal($0.collectionID, change.collectionID)
      }
      let reversal = OverrideChange(collectionID: change.collectionID, previous: attempted)
      try group.catalog.change(transaction) { state in
        state.overrides.removeAll { UTF8Order.equal($0.collectionID, change.collectionID) }
        state.overrides += change.previous
        state.changes = state.changes.map { $0 == change ? reversal : $0 }
      }
      return reversal
    }
    parts.publisher.indexDropped()
    // What was written meanwhile was measured by the overrides that are taken back; should it be
    // too much for the old ones, its next writer is told.
    _ = try await bringDocuments(after: reversal, checksBudget: false, nil)
    throw HearthError(
      failure.status, failure.reason,
      "\(failure.message) The field overrides of '\(change.collectionID)' are as they were.")
  }

  /// Gives the error of a document that would have too many entries; the change then is under way
  /// still.
  private func bringDocuments(
    after change: OverrideChange, checksBudget: Bool,
    _ progress: (@Sendable (Int, Int) -> Void)?
  ) async throws(HearthError) -> HearthError? {
    let store = parts.reader.store
    // A collection that comes later follows from its first document on.
    let (collections, total) = try read { transaction in
      let collections = try CatalogRecords.collections(
        withID: change.collectionID, store, transaction)
      return (collections, try IndexFill.count(collections.map(\.number), store, transaction))
    }
    progress?(0, total)
    var done = 0
    for (path, number) in collections {
      var fill = OverrideFill(change, path: path, collection: number)
      while !fill.isFinished {
        let next = fill
        fill = try await maintain { group, transaction in
          try next.advanced(&group, checksBudget: checksBudget, transaction)
        }
        if let failure = fill.overBudget { return failure }
        progress?(done + fill.done, max(total, done + fill.done))
      }
      done += fill.done
    }
    try await maintain { group, transaction in
      try group.catalog.change(transaction) { state in
        state.changes.removeAll { $0 == change }
      }
    }
    return nil
  }
}

extension [FieldOverride] {
  /// Adds an override in the place of one for the same field.
  fileprivate mutating func put(_ override: FieldOverride) {
    let known = firstIndex {
      UTF8Order.equal($0.collectionID, override.collectionID) && $0.path == override.path
    }
    if let known { self[known] = override } else { append(override) }
  }
}
