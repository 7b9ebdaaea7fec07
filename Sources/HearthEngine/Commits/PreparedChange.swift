import HearthEncoding
import HearthModel
import HearthStorage

/// The costly part of a commit, done on the caller's side and in parallel: a document's record
/// and index keys, worked out against the version then stored.
///
/// The committer uses it only where that version is still the one it finds and the commit leaves
/// the same fields; otherwise it works the change out itself. So preparing is never a matter of
/// correctness.
package struct PreparedChange: Sendable {
  /// What the change was worked out against; nil for a missing document.
  var before: CommitVersion?
  /// The fields that the record holds; nil for a delete.
  var fields: Fields?
  /// The catalog that the keys were worked out with.
  var generation: Int
  var delta: DocumentDelta

  /// Whether this is the change at hand.
  func fits(_ change: ChangedDocument, generation: Int) -> Bool {
    self.generation == generation && before == change.before?.updateVersion
      && fields == change.after?.fields
  }
}

/// What was worked out of a commit unit before it came to the committer.
package struct PreparedUnit: Sendable {
  /// The whole unit, as it is if none of its documents has changed meanwhile.
  struct Applied: Sendable {
    /// The documents that it changes, with `unborn` for the version that they will get.
    var changes: [CommitUnit.Change] = []
    var results: [WriteResult]
    /// The versions that its documents had; nil for a missing one.
    var before: [DocumentPath: CommitVersion?]

    /// Stands for the version that only the committer can give.
    static let unborn = CommitVersion(microseconds: .max)

    /// The changes and results with the version that the committer gave the unit.
    func stamped(
      _ version: CommitVersion
    ) -> (changes: [CommitUnit.Change], results: [WriteResult]) {
      var changes = changes
      for position in changes.indices {
        guard changes[position].after != nil else { continue }
        changes[position].after?.updateVersion = version
        if changes[position].after?.createVersion == Applied.unborn {
          changes[position].after?.createVersion = version
        }
      }
      var results = results
      for position in results.indices
      where results[position].updateVersion == Applied.unborn {
        results[position].updateVersion = version
      }
      return (changes, results)
    }
  }

  /// The catalog that everything was worked out with.
  var generation = 0
  var applied: Applied?
  var changes: [DocumentPath: PreparedChange] = [:]
}

extension RecordReader {
  /// Commits with more writes are left to the committer: preparing happens before a call first
  /// suspends, and must not hold up the caller for long.
  static let mostPrepared = 64

  /// Prepares a commit unit.
  ///
  /// Documents that are known to have moved on are left out. What cannot be prepared is left out
  /// as well, and errors are left to the committer, which finds them again.
  func prepare(
    _ writes: [Write], now: Int64, _ environment: Environment,
    leavingOut skipped: Set<DocumentPath> = []
  ) -> PreparedUnit {
    if writes.count > RecordReader.mostPrepared { return PreparedUnit() }
    let state = catalog.state
    let prepared = try? environment.read { transaction in
      var applied = PreparedUnit.Applied(results: [], before: [:])
      let unit = try CommitUnit.apply(
        writes, version: PreparedUnit.Applied.unborn,
        requestTime: CommitVersion(microseconds: now).time
      ) { (path) throws(HearthError) in
        do {
          let stored = try self.document(path, transaction)?.document()
          applied.before[path] = .some(stored?.updateVersion)
          return stored
        } catch {
          throw HearthError.wrapping(error)
        }
      }
      applied.results = unit.results
      var prepared = PreparedUnit(generation: state.generation)
      for change in unit.changes where change.isChange {
        applied.changes.append(change)
        if skipped.contains(change.path) { continue }
        prepared.changes[change.path] = try self.prepare(change, state, transaction)
      }
      let isTimeless = !writes.contains(where: \.dependsOnTime)
      if isTimeless, skipped.isEmpty, isWithinBudget(applied.changes, state) {
        prepared.applied = applied
      }
      return prepared
    }
    return prepared ?? PreparedUnit()
  }

  private func prepare(
    _ change: CommitUnit.Change, _ state: CatalogState, _ transaction: borrowing ReadTransaction
  ) throws -> PreparedChange? {
    // A number that is not there yet can only be given out by the committer.
    guard let number = try catalog.number(of: change.path.collection, transaction) else {
      return nil
    }
    let changed = ChangedDocument(path: change.path, before: change.before, after: change.after)
    let delta = try? DocumentDelta(changed, collection: number, state: state) {
      (key) throws(HearthError) in
      if let number = catalog.cachedNumber(of: key) { return number }
      throw HearthError(.internal, "NOT_CACHED", "Left to the committer.")
    }
    return delta.map {
      PreparedChange(
        before: change.before?.updateVersion, fields: change.after?.fields,
        generation: state.generation, delta: $0)
    }
  }

  private func isWithinBudget(_ changes: [CommitUnit.Change], _ state: CatalogState) -> Bool {
    let configuration = state.fieldConfiguration
    return changes.allSatisfy { change in
      guard let after = change.after else { return true }
      let declared = state.maintained(collectionID: change.path.collection.collectionID)
      return
        (try? IndexEntries.checkBudget(
          fields: after.fields, path: change.path, configuration: configuration,
          declared: declared.map(\.definition))) != nil
    }
  }
}

extension Write {
  /// Whether the time of the commit is part of what it stores.
  fileprivate var dependsOnTime: Bool {
    guard case .update(_, _, let transforms) = operation else { return false }
    return transforms.contains { $0.kind == .serverTimestamp }
  }
}
