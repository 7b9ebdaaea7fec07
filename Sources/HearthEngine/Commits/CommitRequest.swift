import HearthModel
import HearthStorage

/// A commit unit on its way to the committer.
struct CommitRequest: Sendable {
  /// Names a transaction to the turn queue over all its runs.
  struct Owner: Hashable, Sendable { var number: UInt64 }

  enum Kind: Sendable {
    /// Writes that depend on no read: they never fail for contention.
    case blind
    /// A transaction's writes, and what it read.
    case transaction(Footprint, Owner)
  }

  var kind: Kind
  var writes: [Write]
  /// Changes that the caller's side has worked out already.
  var prepared: [DocumentPath: PreparedChange] = [:]
  /// Estimated size, for the bounds of intake and group.
  var byteCount: Int
  /// Let through although somebody holds the gate: written from inside the holder's block.
  var passesGate = false
  /// Called once with the outcome, on the committer, when it is known for good.
  var reply: @Sendable (Result<CommitResult, CommitFailure>) -> Void
  /// Called once after listeners were offered the events of the commit.
  var published: (@Sendable (Result<CommitResult, HearthError>) -> Void)?

  var owner: Owner? {
    if case .transaction(_, let owner) = kind { return owner }
    return nil
  }
}

/// Why a commit unit was not applied.
enum CommitFailure: Error, Sendable {
  /// What it read has changed; its transaction may run again.
  case conflict(ConflictCause)
  case error(HearthError)
}

/// Work of the engine's own inside one write transaction: index builds, catalog changes.
struct MaintenanceRequest: Sendable {
  var body: @Sendable (inout CommitGroup, borrowing WriteTransaction) throws -> Void
  var reply: @Sendable (Result<Void, HearthError>) -> Void
}
