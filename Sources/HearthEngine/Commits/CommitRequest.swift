package import HearthModel
package import HearthStorage

/// A commit unit on its way to the committer.
package struct CommitRequest: Sendable {
  /// Names a transaction to the turn queue over all its runs.
  package struct Owner: Hashable, Sendable {
    package var number: UInt64

    package init(number: UInt64) { self.number = number }
  }

  package enum Kind: Sendable {
    /// Writes that depend on no read: they never fail for contention.
    case blind
    /// A transaction's writes, and what it read.
    case transaction(Footprint, Owner)
  }

  package var kind: Kind
  package var writes: [Write]
  /// What the caller's side has worked out already.
  var prepared = PreparedUnit()
  /// Estimated size, for the bounds of intake and group.
  package var byteCount: Int
  /// Let through although somebody holds the gate: written from inside the holder's block.
  package var passesGate = false
  /// Called once with the outcome, on the committer, when it is known for good.
  package var reply: @Sendable (Result<CommitResult, CommitFailure>) -> Void
  /// Called once after listeners were offered the events of the commit.
  package var published: (@Sendable (Result<CommitResult, HearthError>) -> Void)?

  package init(
    kind: Kind, writes: [Write], prepared: PreparedUnit = PreparedUnit(), byteCount: Int,
    passesGate: Bool = false,
    reply: @escaping @Sendable (Result<CommitResult, CommitFailure>) -> Void,
    published: (@Sendable (Result<CommitResult, HearthError>) -> Void)? = nil
  ) {
    self.kind = kind
    self.writes = writes
    self.prepared = prepared
    self.byteCount = byteCount
    self.passesGate = passesGate
    self.reply = reply
    self.published = published
  }

  package var owner: Owner? {
    if case .transaction(_, let owner) = kind { return owner }
    return nil
  }
}

/// Why a commit unit was not applied.
package enum CommitFailure: Error, Sendable {
  /// What it read has changed; its transaction may run again.
  case conflict(ConflictCause)
  case error(HearthError)
}

/// Work of the engine's own inside one write transaction: index builds, catalog changes.
package struct MaintenanceRequest: Sendable {
  /// Whether it makes room, so that it is admitted also where room is short.
  package var frees: Bool
  package var body: @Sendable (inout CommitGroup, borrowing WriteTransaction) throws -> Void
  package var reply: @Sendable (Result<Void, HearthError>) -> Void

  package init(
    frees: Bool = false,
    body: @escaping @Sendable (inout CommitGroup, borrowing WriteTransaction) throws -> Void,
    reply: @escaping @Sendable (Result<Void, HearthError>) -> Void
  ) {
    self.frees = frees
    self.body = body
    self.reply = reply
  }
}
