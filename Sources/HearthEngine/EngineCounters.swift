import HearthModel
import HearthStorage

/// The counters as the engine's parts count them.
///
/// A count is one lock taken and a number added; what needs more than that is kept only for the few
/// transactions that it concerns.
final class EngineCounters: Sendable {
  private struct Box {
    var metrics = EngineMetrics()
    /// Transactions whose right was withdrawn during the present run.
    var expired: Set<CommitRequest.Owner> = []
    /// Documents that plain writes from inside a transaction's block went to.
    var writtenInside: [CommitRequest.Owner: Set<DocumentPath>] = [:]

    mutating func forget(_ owner: CommitRequest.Owner) {
      if !expired.isEmpty { expired.remove(owner) }
      if !writtenInside.isEmpty { writtenInside[owner] = nil }
    }
  }

  private let box = Lock(Box())

  var snapshot: EngineMetrics { box.withLock { $0.metrics } }

  func count(_ body: (inout EngineMetrics) -> Void) { box.withLock { body(&$0.metrics) } }

  /// A group is on disk.
  func countGroup(applied: Int, bytes: Int) {
    guard applied > 0 else { return }
    count {
      $0.commits += applied
      $0.groups += 1
      $0.largestGroup = max($0.largestGroup, applied)
      $0.groupBytes += bytes
    }
  }

  /// How long the storage took to commit what a group had put.
  func countFlush(_ nanoseconds: UInt64) { count { $0.flushTime.add(nanoseconds) } }

  // MARK: Transactions

  /// A run lost; without a cause it was its block that asked for another one.
  func countLost(_ cause: ConflictCause?, of owner: CommitRequest.Owner) {
    box.withLock { box in
      defer { box.forget(owner) }
      guard let cause else { return }
      switch cause {
      case .points: box.metrics.pointConflicts += 1
      case .range: box.metrics.rangeConflicts += 1
      case .turn: box.metrics.turnRefusals += 1
      }
      if let inside = box.writtenInside[owner], isLost(to: inside, cause) {
        box.metrics.doomedRuns += 1
      } else if box.expired.contains(owner) {
        box.metrics.expiredRuns += 1
      }
    }
  }

  /// A query range names no documents; a write from inside is then taken for the reason.
  private func isLost(to inside: Set<DocumentPath>, _ cause: ConflictCause) -> Bool {
    switch cause {
    case .points(let documents): documents.contains { inside.contains($0) }
    case .range: true
    case .turn: false
    }
  }

  /// A transaction committed in its run number `runs`.
  func countCommitted(_ owner: CommitRequest.Owner, runs: Int) {
    box.withLock { box in
      box.metrics.transactionsCommitted += 1
      box.metrics.attempts.add(runs: runs)
      box.forget(owner)
    }
  }

  /// A transaction ended with an error.
  func countFailed(_ owner: CommitRequest.Owner) {
    box.withLock { box in
      box.metrics.transactionsFailed += 1
      box.forget(owner)
    }
  }

  func countTurnWait(_ nanoseconds: UInt64) {
    count {
      $0.turnWaits += 1
      $0.turnWaitTime.add(nanoseconds)
    }
  }

  func countGateWait(_ nanoseconds: UInt64) {
    count {
      $0.gateWaits += 1
      $0.gateWaitTime.add(nanoseconds)
    }
  }

  /// A turn or the gate was withdrawn from a transaction because its lease ended.
  func countExpired(_ owner: CommitRequest.Owner) {
    box.withLock { box in
      box.metrics.leasesExpired += 1
      box.expired.insert(owner)
    }
  }

  /// A plain write was submitted from inside the block of a transaction.
  func noteWrites(_ writes: [Write], inside owner: CommitRequest.Owner) {
    box.withLock { $0.writtenInside[owner, default: []].formUnion(writes.map(\.document)) }
  }
}
