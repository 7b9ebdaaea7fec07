import HearthModel
import HearthStorage

/// Runs a transaction's block until it commits (transactions-and-listeners, 3 and 7.6): first
/// optimistically, then with turns, at last with the gate.
struct TransactionRunner: Sendable {
  let parts: EngineParts
  let access: AccessPolicy
  let limits: TransactionLimits

  /// The documents that turns are taken on, at most.
  private static let turnLimit = 64

  private enum Rights: Equatable { case none, turns, gate }

  func run<T: Sendable>(
    _ request: TransactionRequest, owner: CommitRequest.Owner,
    _ body: @Sendable (TransactionContext) async throws -> T
  ) async throws -> (value: T, commit: CommitResult?) {
    guard request.maxAttempts >= 1 else {
      throw HearthError.invalid("MAX_ATTEMPTS", "maxAttempts must be at least 1.")
    }
    if request.readTime != nil, !request.readOnly {
      throw HearthError.invalid(
        "READ_TIME", "Only a read-only transaction can read at an earlier time.")
    }
    let started = parts.runtime.monotonicNanoseconds()
    let allowed = request.timeoutNanoseconds ?? limits.totalNanoseconds
    var documents: Set<DocumentPath> = []
    var rights = Rights.none
    if case .turns(let named) = request.concurrency, !named.isEmpty {
      documents = Set(named)
      rights = .turns
    }
    var attempt = 1
    var asksQueries = false
    let deadline = started.addingReportingOverflow(allowed)
    while true {
      try await acquire(rights, documents, owner, asksQueries: asksQueries)
      let context = TransactionContext(
        attempt: attempt, owner: owner, parts: parts, access: access,
        mode: request.readOnly ? .readOnly(at: request.readTime) : .readWrite, limits: limits,
        deadline: deadline.overflow ? .max : deadline.partialValue,
        seesOpenGroup: rights == .turns && !asksQueries)
      parts.counters.count { $0.transactionRuns += 1 }
      let lost: Lost
      switch await attemptOnce(context, owner, body) {
      case .success(let done):
        parts.counters.countCommitted(owner, runs: attempt)
        return done
      case .failure(.final(let error)):
        parts.counters.countFailed(owner)
        throw error
      case .failure(.lost(let what)): lost = what
      }
      parts.counters.countLost(lost.cause, of: owner)
      asksQueries = asksQueries || lost.askedQueries
      try check(request, attempt, lost, started, allowed)
      attempt += 1
      rights = next(rights, request, lost, &documents, attempt)
    }
  }

  // MARK: One run

  /// A run that may be followed by another.
  private struct Lost: Error {
    enum Why {
      case conflict(ConflictCause)
      /// The block threw a Firestore error whose code is one that SDKs retry (3.4).
      case blockError(any Error)
    }
    var why: Why
    var cause: ConflictCause? { if case .conflict(let cause) = why { cause } else { nil } }
    /// What the run read or wrote.
    var touched: Set<DocumentPath>
    /// Whether the run asked queries, which cannot see the open group.
    var askedQueries: Bool
  }

  private enum Outcome: Error {
    case final(any Error)
    case lost(Lost)
  }

  private func attemptOnce<T: Sendable>(
    _ context: TransactionContext, _ owner: CommitRequest.Owner,
    _ body: @Sendable (TransactionContext) async throws -> T
  ) async -> Result<(value: T, commit: CommitResult?), Outcome> {
    let result: Result<T, any Error>
    do {
      let value = try await TransactionContext.$current.withValue(context) {
        try await body(context)
      }
      try context.judgeWrites(at: parts.runtime.nowMicroseconds())
      result = .success(value)
    } catch {
      result = .failure(error)
    }
    let state = context.finish()
    defer {
      if state.holdsRangeReader { parts.rangeReaders.leave() }
      state.pin.map(parts.history.unpin)
    }
    let touched = Set(state.documents.keys).union(state.written)
    func lost(_ why: Lost.Why) -> Result<(value: T, commit: CommitResult?), Outcome> {
      release(owner)
      return .failure(
        .lost(Lost(why: why, touched: touched, askedQueries: state.holdsRangeReader)))
    }
    func final(_ error: any Error) -> Result<(value: T, commit: CommitResult?), Outcome> {
      release(owner)
      return .failure(.final(error))
    }

    if let conflict = state.conflict { return lost(.conflict(conflict)) }
    if let group = state.openGroup, state.writes.isEmpty || state.failure != nil || result.isFailure
    {
      // Nothing leaves the transaction that rests on what may yet fail.
      release(owner)
      if await !parts.openGroup.wasCommitted(group) {
        return lost(.conflict(.points(touched.sorted())))
      }
    }
    if let failure = state.failure {
      if case .failure(let error) = result { return final(error) }
      return final(failure)
    }
    let value: T
    switch result {
    case .success(let success): value = success
    case .failure(let error):
      return TransactionRunner.isRetryable(error) ? lost(.blockError(error)) : final(error)
    }
    // Also where the block has swallowed it, or made its last call long ago.
    if let expiry = context.expiry(state, at: parts.runtime.monotonicNanoseconds()) {
      return lost(.blockError(expiry))
    }
    if state.writes.isEmpty {
      // Nothing to apply: the transaction stands at its snapshot and cannot conflict.
      release(owner)
      return .success((value, nil))
    }
    if Task.isCancelled { return final(HearthError.cancelledTransaction) }
    if state.byteCount > limits.commitBytes {
      return final(HearthError.tooLarge(state.byteCount, limits.commitBytes))
    }
    let footprint = state.footprint ?? Footprint(readVersion: .zero)
    switch await submit(state, footprint, owner) {
    case .success(let commit): return .success((value, commit))
    case .failure(.conflict(let cause)): return lost(.conflict(cause))
    case .failure(.error(let error)): return final(error)
    }
  }

  private func submit(
    _ state: TransactionContext.State, _ footprint: Footprint, _ owner: CommitRequest.Owner
  ) async -> Result<CommitResult, CommitFailure> {
    let prepared = parts.reader.prepare(
      state.writes, now: parts.runtime.nowMicroseconds(), parts.environment,
      leavingOut: state.seenInGroup)
    return await withCheckedContinuation { continuation in
      let refusal = parts.intake.submit(
        CommitRequest(
          kind: .transaction(footprint, owner), writes: state.writes, prepared: prepared,
          byteCount: state.byteCount,
          reply: { continuation.resume(returning: $0) }))
      if let refusal { continuation.resume(returning: .failure(.error(refusal))) }
    }
  }

  // MARK: Rights

  private func acquire(
    _ rights: Rights, _ documents: Set<DocumentPath>, _ owner: CommitRequest.Owner,
    asksQueries: Bool
  ) async throws {
    switch rights {
    case .none: return
    case .turns:
      let asked = parts.runtime.monotonicNanoseconds()
      defer { parts.counters.countTurnWait(parts.runtime.monotonicNanoseconds() - asked) }
      switch await parts.turns.acquire(Array(documents), for: owner) {
      case .cancelled: throw HearthError.cancelledTransaction
      case .afterWaiting:
        // The turn was always somebody's; nobody else has written. What its holder did may be in
        // the open group only, which documents can be read from, and query ranges cannot.
        if asksQueries {
          parts.intake.withdraw(owner)
          await parts.intake.waitForOpenGroup()
        }
      case .atOnce:
        // The open group may hold a commit that was taken before the turn was.
        await parts.intake.waitForOpenGroup()
      }
    case .gate:
      let asked = parts.runtime.monotonicNanoseconds()
      defer { parts.counters.countGateWait(parts.runtime.monotonicNanoseconds() - asked) }
      guard await parts.intake.acquireGate(owner) else {
        throw Task.isCancelled ? HearthError.cancelledTransaction : HearthError.closed
      }
      watchGate(owner)
    }
  }

  /// The gate stops everybody else, so its lease is watched from the grant.
  private func watchGate(_ owner: CommitRequest.Owner) {
    let parts = parts
    let lease = limits.gateLeaseNanoseconds
    guard let grant = parts.intake.gateGrant(of: owner) else { return }
    parts.runtime.spawn("hearth.gate") {
      try? await parts.runtime.sleep(lease)
      // The owner may hold the gate again by now, in a later run with a lease of its own.
      if parts.intake.gateGrant(of: owner) == grant {
        parts.counters.countExpired(owner)
        parts.intake.releaseGate(owner)
      }
    }
  }

  private func release(_ owner: CommitRequest.Owner) {
    parts.turns.release(owner)
    parts.intake.withdraw(owner)
    if parts.intake.holdsGate(owner) { parts.intake.releaseGate(owner) }
  }

  /// What the next run holds.
  private func next(
    _ rights: Rights, _ request: TransactionRequest, _ lost: Lost,
    _ documents: inout Set<DocumentPath>, _ attempt: Int
  ) -> Rights {
    if case .optimistic = request.concurrency { return .none }
    guard case .conflict(let cause) = lost.why else { return rights }
    // All that the run touched, so that its next run does not lose on another document. The
    // set grows over the runs and never shrinks.
    let all = documents.union(lost.touched)
    documents =
      all.count <= TransactionRunner.turnLimit ? all : documents.union(cause.documents)
    if cause == .range || rights != .none || documents.isEmpty
      || documents.count > TransactionRunner.turnLimit
    {
      return .gate
    }
    return .turns
  }

  // MARK: Giving up

  private func check(
    _ request: TransactionRequest, _ attempt: Int, _ lost: Lost, _ started: UInt64,
    _ allowed: UInt64
  ) throws {
    func fail(_ error: any Error) -> any Error {
      parts.counters.count { $0.transactionsFailed += 1 }
      return error
    }
    if Task.isCancelled { throw fail(HearthError.cancelledTransaction) }
    if parts.runtime.monotonicNanoseconds() - started > allowed {
      throw fail(HearthError.transactionTimeout)
    }
    // A read-only transaction cannot lose, so nothing would come of running it again.
    guard attempt >= request.maxAttempts || request.readOnly else { return }
    switch lost.why {
    case .blockError(let error): throw fail(error)
    case .conflict(let cause):
      throw fail(
        HearthError(
          .aborted, "CONTENTION",
          "Too much contention on these documents. Please try again. "
            + "(\(attempt) runs; the last one lost: \(cause.text))",
          details: .contention(
            attempts: attempt, lost: cause.documents.map(\.description))))
    }
  }

  /// Whether an error that the block raised leads to another run (3.4).
  static func isRetryable(_ error: any Error) -> Bool {
    guard let status = error.firestoreStatus else { return false }
    if let error = error as? HearthError, error.reason.hasPrefix("INDEX_") { return false }
    switch status {
    case .cancelled, .unknown, .deadlineExceeded, .alreadyExists, .resourceExhausted,
      .failedPrecondition, .aborted, .internal, .unavailable, .unauthenticated:
      return true
    default:
      return false
    }
  }
}

extension HearthError {
  static var cancelledTransaction: HearthError {
    HearthError(
      .cancelled, "CANCELLED", "The transaction's task was cancelled; nothing was written.")
  }

  static var transactionTimeout: HearthError {
    HearthError(
      .deadlineExceeded, "TRANSACTION_TIMEOUT",
      "The transaction took longer than allowed in all its runs; nothing was written.")
  }

  static var transactionExpired: HearthError {
    HearthError(
      .aborted, "TRANSACTION_EXPIRED",
      "The transaction's block was idle for longer than allowed; nothing was written.")
  }

  static func tooLarge(_ size: Int, _ limit: Int) -> HearthError {
    .invalid(
      "REQUEST_TOO_LARGE",
      "A commit may have \(limit) bytes; this one has about \(size). Split it into several.")
  }
}

extension Result {
  fileprivate var isFailure: Bool {
    if case .failure = self { return true }
    return false
  }
}
