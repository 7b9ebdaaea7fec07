import HearthModel
import HearthStorage

extension TransactionContext {
  /// One read of a read-only run: at the version of its first, whatever has been committed since.
  func readHistory<R>(
    _ state: inout State, _ body: (HistoricalReader, borrowing ReadTransaction) throws -> R
  ) throws(HearthError) -> R {
    // Before the first snapshot opens, so that nothing is forgotten which that does not show.
    let pin = state.pin ?? parts.history.pin()
    state.pin = pin
    let known = state.footprint?.readVersion
    guard parts.history.isHeld(pin) else { throw TransactionContext.snapshotExpired }
    var version = CommitVersion.zero
    do {
      let result = try parts.environment.read { transaction in
        let head = try CatalogRecords.head(parts.reader.store, transaction)
        version = try known ?? self.version(head)
        if known == nil, !parts.history.hold(version, for: pin) {
          throw TransactionContext.tooOld
        }
        let reader = HistoricalReader(
          reader: parts.reader, planner: parts.planner, history: parts.history, version: version,
          head: head)
        return try body(reader, transaction)
      }
      // A snapshot that lost what it needs while it was read may have seen later states.
      guard parts.history.isHeld(pin) else { throw TransactionContext.snapshotExpired }
      if known == nil { state.footprint = Footprint(readVersion: version) }
      return result
    } catch {
      throw HearthError.wrapping(error)
    }
  }

  /// The version that a run reads at, which finds `head` as the newest.
  private func version(_ head: CommitVersion) throws(HearthError) -> CommitVersion {
    guard case .readOnly(let time?) = mode else { return head }
    guard time <= parts.runtime.nowMicroseconds() else {
      throw .invalid("READ_TIME", "A read time must not be in the future.")
    }
    return min(head, CommitVersion(microseconds: time))
  }

  private static let snapshotExpired = HearthError(
    .aborted, "SNAPSHOT_EXPIRED",
    "The read-only transaction took too long, or too much has been written meanwhile, to stay at "
      + "its version; run it again, and read faster or less.")

  private static let tooOld = HearthError(
    .failedPrecondition, "READ_TIME_TOO_OLD",
    "The database does not know its state at that time any more; open it with a longer history.")
}
