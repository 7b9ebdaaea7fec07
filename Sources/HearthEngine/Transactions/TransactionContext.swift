package import HearthModel
import HearthStorage

/// One run of a transaction's block: its reads at one version, and its buffered writes.
///
/// No storage transaction is held between reads. Each read opens a snapshot of its own; where
/// something was committed since the last one, everything read so far is checked against the new
/// snapshot first. If it is unchanged, the run's version moves on to the newer one, else the run
/// has lost. So all reads of a run equal one point in time, and a block may suspend for as long
/// as it likes. A read-only run stays at its first version instead, with the help of the history.
package final class TransactionContext: Sendable {
  /// The run that the current task belongs to, so that plain writes from inside a block are
  /// recognised (transactions-and-listeners, 3.8).
  @TaskLocal package static var current: TransactionContext?

  /// 1 for the first run.
  package let attempt: Int
  let owner: CommitRequest.Owner
  let parts: EngineParts
  private let access: AccessPolicy
  let mode: Mode
  private let limits: TransactionLimits
  /// When the whole transaction has to be over.
  private let deadline: UInt64
  /// Whether documents are read from the open group, where it has them: only under a turn.
  private let seesOpenGroup: Bool
  let state: Lock<State>

  enum Mode: Sendable, Equatable {
    case readWrite
    /// At the newest version, or at that of a moment in microseconds.
    case readOnly(at: Int64?)
  }

  struct State {
    var footprint: Footprint?
    /// Documents read, so that reading one twice gives the same thing.
    var documents: [DocumentPath: StoredDocument?] = [:]
    var writes: [Write] = []
    var written: Set<DocumentPath> = []
    var byteCount = 0
    /// The first misuse; the transaction fails with it even if the block swallows it.
    var failure: HearthError?
    var conflict: ConflictCause?
    /// Why the run is over although its block may not know: it took too long.
    var expiry: HearthError?
    var lastCall: UInt64
    /// What a read-only run holds its version with.
    var pin: History.Pin?
    var isFinished = false
    var holdsRangeReader = false
    /// The open group that something was read in, and what.
    var openGroup: UInt64?
    var seenInGroup: Set<DocumentPath> = []
  }

  init(
    attempt: Int, owner: CommitRequest.Owner, parts: EngineParts, access: AccessPolicy,
    mode: Mode, limits: TransactionLimits, deadline: UInt64, seesOpenGroup: Bool = false
  ) {
    self.attempt = attempt
    self.owner = owner
    self.parts = parts
    self.access = access
    self.mode = mode
    self.limits = limits
    self.deadline = deadline
    self.seesOpenGroup = seesOpenGroup
    state = Lock(State(lastCall: parts.runtime.monotonicNanoseconds()))
  }

  var isFinished: Bool { state.withLock { $0.isFinished } }

  /// The version that this run reads at; set by its first read.
  package var readVersion: CommitVersion? { state.withLock { $0.footprint?.readVersion } }

  /// Reads a document, nil if it is missing.
  ///
  /// Throws `READ_AFTER_WRITE` once a write was buffered, `TRANSACTION_FINISHED` outside the
  /// block, and a conflict if what was read before has changed (the run is then lost).
  package func get(_ path: DocumentPath) throws(HearthError) -> StoredDocument? {
    try judge(.get(path))
    return try state.withLock { (state) throws(HearthError) in
      try admitRead(&state)
      return try document(path, &state)
    }
  }

  /// Reads for access control: also after writes, which it does not see.
  private func readForAccess(_ path: DocumentPath) throws(HearthError) -> Document? {
    try state.withLock { (state) throws(HearthError) in
      try document(path, &state)?.document()
    }
  }

  private func judge(_ request: AccessRequest) throws(HearthError) {
    guard let decide = access.decide else { return }
    do {
      try decide(request) { path in try self.readForAccess(path) }
    } catch {
      throw HearthError.wrapping(error)
    }
  }

  /// Asks access control about the net effect of the buffered writes.
  ///
  /// What it reads joins the footprint, so no write is allowed by a document that has changed
  /// meanwhile.
  func judgeWrites(at now: Int64) throws(HearthError) {
    guard access.decide != nil else { return }
    let writes = state.withLock { $0.writes }
    if writes.isEmpty { return }
    let version = CommitVersion(microseconds: now)
    let unit = try CommitUnit.apply(writes, version: version, requestTime: version.time) {
      (path) throws(HearthError) in try self.readForAccess(path)
    }
    try judge(
      .write(
        unit.changes.map { AccessChange(path: $0.path, before: $0.before, after: $0.after) }))
  }

  private func document(
    _ path: DocumentPath, _ state: inout State
  ) throws(HearthError) -> StoredDocument? {
    if let known = state.documents[path] { return known }
    let reader = parts.reader
    if mode != .readWrite {
      return try readHistory(&state) { history, transaction in
        try history.document(path, transaction)
      }
    }
    let document: StoredDocument?
    if seesOpenGroup, !state.holdsRangeReader,
      let view = parts.openGroup.view(
        of: path, and: (state.footprint?.points ?? [:]).keys)
    {
      document = try readInGroup(path, view, &state)
    } else {
      document = try read(&state) { transaction, _ in try reader.document(path, transaction) }
    }
    state.footprint?.add(path, document?.updateVersion)
    state.documents[path] = .some(document)
    try checkReads(&state)
    return document
  }

  /// Runs a query.
  ///
  /// Its predicate is protected until the commit, phantoms included.
  package func run(_ query: StructuredQuery) throws(HearthError) -> QueryResult {
    try judge(.list(query))
    let reader = parts.reader
    return try QueryPlanning.running { () throws(HearthError) in
      try parts.planner.plan(query, isRun: true)
    } _: { (planning) throws(HearthError) in
      try execute { history, transaction, trace in
        try history?.run(planning, transaction, &trace)
          ?? Executor(reader: reader, planning: planning).run(transaction, &trace)
      } _: { documents, statistics, state in
        if mode == .readWrite {
          for document in documents { state.documents[document.path] = .some(document) }
        }
        return QueryResult(
          documents: try documents.map { try $0.projected(to: query.projection) },
          version: state.footprint?.readVersion ?? .zero,
          explanation: planning.explanation.measured(statistics))
      }
    }
  }

  /// Counts, sums and averages; what they come from is protected like a query's result.
  package func aggregate(
    _ query: StructuredQuery, _ aggregations: [Aggregation]
  ) throws(HearthError) -> AggregationResult {
    try judge(.list(query))
    let list = try AggregationList(aggregations)
    let reader = parts.reader
    return try QueryPlanning.running { () throws(HearthError) in
      try parts.planner.plan(query, aggregating: list.paths, isRun: true)
    } _: { (planning) throws(HearthError) in
      try execute { history, transaction, trace in
        try history?.aggregate(planning, list, transaction, &trace)
          ?? Executor(reader: reader, planning: planning).aggregate(list, transaction, &trace)
      } _: { values, statistics, state in
        AggregationResult(
          values: Array(zip(list.aliases, values)),
          version: state.footprint?.readVersion ?? .zero,
          explanation: planning.explanation.measured(statistics))
      }
    }
  }

  /// One execution inside the transaction: admitted, at its version, with what it read kept.
  private func execute<R, T>(
    _ body: (HistoricalReader?, borrowing ReadTransaction, inout ExecutionTrace) throws -> T,
    _ result: (T, ExecutionStatistics, inout State) throws -> R
  ) throws(HearthError) -> R {
    try state.withLock { (state) throws(HearthError) in
      try admitRead(&state)
      var trace = ExecutionTrace()
      let found: T
      if mode == .readWrite {
        try holdRanges(&state)
        found = try read(&state) { transaction, footprint in
          trace.footprint = footprint
          return try body(nil, transaction, &trace)
        }
        if let footprint = trace.footprint { state.footprint = footprint }
        try checkReads(&state)
      } else {
        found = try readHistory(&state) { history, transaction in
          try body(history, transaction, &trace)
        }
      }
      do {
        return try result(found, trace.statistics, &state)
      } catch {
        throw HearthError.wrapping(error)
      }
    }
  }

  /// Has the committer keep a log of keys, before the first snapshot that ranges are read from.
  private func holdRanges(_ state: inout State) throws(HearthError) {
    if state.holdsRangeReader { return }
    parts.rangeReaders.enter()
    state.holdsRangeReader = true
    if state.openGroup != nil {
      // Ranges cannot be read in the open group; the next run waits for its end.
      state.conflict = .range
      throw .conflict(.range)
    }
  }

  /// Buffers a write.
  ///
  /// Misuse throws, and the transaction then fails with the same error.
  package func write(_ write: Write) throws(HearthError) {
    try state.withLock { (state) throws(HearthError) in
      try admitCall(&state)
      do throws(HearthError) {
        if state.isFinished { throw TransactionContext.finished }
        if mode != .readWrite {
          throw .invalid("READ_ONLY", "A read-only transaction must not write.")
        }
        try write.validate()
        try admitUpdate(write, state)
      } catch {
        if state.failure == nil { state.failure = error }
        throw error
      }
      state.writes.append(write)
      state.written.insert(write.document)
      state.byteCount += write.requestSize
    }
  }

  /// Records a misuse that the caller cannot throw: the transaction fails with it.
  package func fail(_ error: HearthError) {
    state.withLock { if $0.failure == nil { $0.failure = error } }
  }

  /// Ends the run: no call is admitted any more.
  ///
  /// Gives what it read and wrote.
  func finish() -> State {
    let state = state.withLock { state in
      let was = state
      state.isFinished = true
      state.holdsRangeReader = false
      return was
    }
    return state
  }

  // MARK: Reading at one version

  private static let finished = HearthError(
    .failedPrecondition, "TRANSACTION_FINISHED",
    "A transaction can only be used inside its block.")

  private func admitRead(_ state: inout State) throws(HearthError) {
    if state.isFinished { throw TransactionContext.finished }
    try admitCall(&state)
    if let conflict = state.conflict { throw .conflict(conflict) }
    if !state.writes.isEmpty {
      let error = HearthError.invalid(
        "READ_AFTER_WRITE",
        "In a transaction all reads come before all writes; move this read up.")
      if state.failure == nil { state.failure = error }
      throw error
    }
  }

  /// Each call checks the time that the block and the whole transaction have taken (2.7).
  private func admitCall(_ state: inout State) throws(HearthError) {
    if state.isFinished { return }
    let now = parts.runtime.monotonicNanoseconds()
    if let expiry = expiry(state, at: now) {
      state.expiry = expiry
      throw expiry
    }
    state.lastCall = now
  }

  /// Why the run is over at a moment, nil if it is not.
  func expiry(_ state: State, at now: UInt64) -> HearthError? {
    if let expiry = state.expiry { return expiry }
    if now > deadline { return .transactionTimeout }
    return now - state.lastCall > limits.idleNanoseconds ? .transactionExpired : nil
  }

  /// Whether what the transaction has to remember stays within its bounds (2.7).
  private func checkReads(_ state: inout State) throws(HearthError) {
    guard let footprint = state.footprint,
      footprint.count > limits.reads || footprint.byteCount > limits.readBytes
    else { return }
    let error = HearthError(
      .resourceExhausted, "TRANSACTION_READS",
      "The transaction has read \(footprint.count) documents and index ranges, which take about "
        + "\(footprint.byteCount) bytes to remember; \(limits.reads) and \(limits.readBytes) are "
        + "the most. Read less, or use a read-only transaction.")
    if state.failure == nil { state.failure = error }
    throw error
  }

  /// A first write that updates a document which was read as missing can only fail (2.4).
  private func admitUpdate(_ write: Write, _ state: State) throws(HearthError) {
    guard case .exists(true) = write.precondition, case .update = write.operation,
      let known = state.documents[write.document], known == nil,
      !state.written.contains(write.document)
    else { return }
    throw .invalid(
      "UPDATE_OF_MISSING_READ",
      "'\(write.document)' was read as missing and cannot be updated; use setData to create it.")
  }

  /// Reads a document as the open group leaves it; everything read before must still stand there.
  ///
  /// If the group has got to the disk meanwhile, a read of the newest version is the same.
  private func readInGroup(
    _ path: DocumentPath, _ view: OpenGroup.View, _ state: inout State
  ) throws(HearthError) -> StoredDocument? {
    let reader = parts.reader
    var lost: [DocumentPath] = []
    let footprint = state.footprint ?? Footprint(readVersion: view.version)
    var found: StoredDocument??
    do {
      found = try parts.environment.read { transaction -> StoredDocument?? in
        let head = try CatalogRecords.head(reader.store, transaction)
        guard head == view.base else { return nil }
        if footprint.readVersion != view.version {
          for (path, version) in footprint.points {
            let current =
              try view.touched[path] ?? reader.version(of: path, transaction)
            if current != version { lost.append(path) }
          }
        }
        if let known = view.document { return .some(known.map(StoredDocument.init)) }
        return .some(try reader.document(path, transaction))
      }
    } catch {
      throw HearthError.wrapping(error)
    }
    guard let found else {
      return try read(&state) { transaction, _ in try reader.document(path, transaction) }
    }
    if !lost.isEmpty {
      state.conflict = .points(lost.sorted())
      throw .conflict(.points(lost.sorted()))
    }
    state.footprint = footprint
    state.footprint?.readVersion = view.version
    state.openGroup = view.number
    if view.document != nil { state.seenInGroup.insert(path) }
    return found
  }

  private func read<R>(
    _ state: inout State,
    _ body: (borrowing ReadTransaction, Footprint) throws -> R
  ) throws(HearthError) -> R {
    let reader = parts.reader
    var footprint = state.footprint
    var lost: ConflictCause?
    do {
      let result = try parts.environment.read { transaction -> R? in
        let head = try CatalogRecords.head(reader.store, transaction)
        var current = footprint ?? Footprint(readVersion: head)
        if current.readVersion != head {
          lost = try reader.conflict(current, transaction)
          if lost != nil { return nil }
          current.readVersion = head
        }
        footprint = current
        return try body(transaction, current)
      }
      if let result {
        state.footprint = footprint
        return result
      }
    } catch {
      throw HearthError.wrapping(error)
    }
    let cause = lost ?? .range
    state.conflict = cause
    throw .conflict(cause)
  }
}

extension HearthError {
  /// What a read gets in a run that has lost; the runner starts the next run.
  static func conflict(_ cause: ConflictCause) -> HearthError {
    HearthError(
      .aborted, "CONFLICT", "What the transaction read has changed (\(cause.text)); it runs again.")
  }
}
