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
  ) -> [DocumentPath: PreparedChange] {
    if writes.count > RecordReader.mostPrepared { return [:] }
    let state = catalog.state
    let version = CommitVersion(microseconds: now)
    let prepared = try? environment.read { transaction in
      let unit = try CommitUnit.apply(writes, version: version, requestTime: version.time) {
        (path) throws(HearthError) in
        do {
          return try self.document(path, transaction)?.document()
        } catch {
          throw HearthError.wrapping(error)
        }
      }
      var prepared: [DocumentPath: PreparedChange] = [:]
      for change in unit.changes
      where change.before != change.after && !skipped.contains(change.path) {
        guard let number = try catalog.number(of: change.path.collection, transaction) else {
          continue
        }
        // A number that is not there yet can only be given out by the committer.
        let changed = ChangedDocument(
          path: change.path, before: change.before, after: change.after)
        let delta = try? DocumentDelta(changed, collection: number, state: state) {
          (key) throws(HearthError) in
          if let number = catalog.cachedNumber(of: key) { return number }
          throw HearthError(.internal, "NOT_CACHED", "Left to the committer.")
        }
        guard let delta else { continue }
        prepared[change.path] = PreparedChange(
          before: change.before?.updateVersion, fields: change.after?.fields,
          generation: state.generation, delta: delta)
      }
      return prepared
    }
    return prepared ?? [:]
  }
}
