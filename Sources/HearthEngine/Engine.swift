package import HearthModel
import HearthPlanner
import HearthStorage

/// The door of the engine: everything that the rooms above ask of it.
package final class Engine: Sendable {
  package let options: EngineOptions
  let parts: EngineParts
  private let closing = Lock(Closing())
  private let owners = Lock<UInt64>(0)

  private struct Closing {
    var isClosed = false
    var isFinished = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  init(options: EngineOptions, parts: EngineParts) {
    self.options = options
    self.parts = parts
  }

  /// Refused operations after `close` fail with `DATABASE_CLOSED`.
  package var isClosed: Bool { closing.withLock { $0.isClosed } }

  /// Finishes submitted writes, ends listeners without an event, and closes the files.
  package func close() async {
    let isFirst = closing.withLock { closing in
      defer { closing.isClosed = true }
      return !closing.isClosed
    }
    guard isFirst else {
      return await withCheckedContinuation { continuation in
        let done = closing.withLock { closing -> Bool in
          if closing.isFinished { return true }
          closing.waiters.append(continuation)
          return false
        }
        if done { continuation.resume() }
      }
    }
    parts.operations.cancelAll()
    parts.intake.stop()
    await parts.committerEnded.wait()
    await parts.publisher.stop()
    parts.environment.close()
    let waiters = closing.withLock { closing in
      closing.isFinished = true
      defer { closing.waiters = [] }
      return closing.waiters
    }
    waiters.forEach { $0.resume() }
  }

  // MARK: Reading. Synchronous, on the caller's thread; no actor is entered.

  /// Suspends until every write submitted before this call is visible to readers.
  ///
  /// Returns at once, without a hop, when there is none.
  package func waitForSubmittedWrites() async { await parts.intake.waitForSubmittedWrites() }

  /// The newest version that readers see; zero in a new database.
  package func headVersion() throws(HearthError) -> CommitVersion {
    let store = parts.reader.store
    return try read { transaction in try CatalogRecords.head(store, transaction) }
  }

  /// A document, nil if it does not exist, and the version read at.
  package func get(
    _ path: DocumentPath
  ) throws(HearthError) -> (document: StoredDocument?, version: CommitVersion) {
    let reader = parts.reader
    try authorize(.get(path))
    return try read { transaction in
      (
        try reader.document(path, transaction), try CatalogRecords.head(reader.store, transaction)
      )
    }
  }

  /// Runs a query at the newest version.
  package func run(_ query: StructuredQuery) throws(HearthError) -> QueryResult {
    try runPlanned(query, configuration: nil)
  }

  /// Runs a query as it would be planned with other indexes than those of the catalog: for checks
  /// that every plan gives the same.
  package func runPlanned(
    _ query: StructuredQuery, configuration: IndexConfiguration?
  ) throws(HearthError) -> QueryResult {
    let reader = parts.reader
    try authorize(.list(query))
    return try measured { () throws(HearthError) in
      try planner.plan(query, configuration: configuration, isRun: true)
    } _: { planning, transaction, trace in
      let documents = try Executor(reader: reader, planning: planning).run(transaction, &trace)
      return QueryResult(
        documents: try documents.map { try $0.projected(to: query.projection) },
        version: try CatalogRecords.head(reader.store, transaction),
        explanation: planning.explanation.measured(trace.statistics))
    }
  }

  /// Counts, sums and averages over the documents that a query returns, at the newest version.
  ///
  /// A document takes part only if it has every summed and averaged field.
  package func aggregate(
    _ query: StructuredQuery, _ aggregations: [Aggregation]
  ) throws(HearthError) -> AggregationResult {
    try aggregatePlanned(query, aggregations, configuration: nil)
  }

  /// Aggregates as it would be planned with other indexes than those of the catalog.
  package func aggregatePlanned(
    _ query: StructuredQuery, _ aggregations: [Aggregation], configuration: IndexConfiguration?,
    isAdvised: Bool = true
  ) throws(HearthError) -> AggregationResult {
    let list = try AggregationList(aggregations)
    let reader = parts.reader
    try authorize(.list(query))
    return try measured { () throws(HearthError) in
      try planner.plan(
        query, aggregating: list.paths, configuration: configuration, isRun: isAdvised)
    } _: { planning, transaction, trace in
      let values = try Executor(reader: reader, planning: planning)
        .aggregate(list, transaction, &trace)
      return AggregationResult(
        values: Array(zip(list.aliases, values)),
        version: try CatalogRecords.head(reader.store, transaction),
        explanation: planning.explanation.measured(trace.statistics))
    }
  }

  /// Plans, opens a snapshot and runs there, with the time that all of it takes.
  private func measured<R>(
    _ plan: () throws(HearthError) -> QueryPlanning,
    _ body: (QueryPlanning, borrowing ReadTransaction, inout ExecutionTrace) throws -> R
  ) throws(HearthError) -> R where R: Explained {
    let start = options.runtime.monotonicNanoseconds()
    return try QueryPlanning.running { () throws(HearthError) in
      if isClosed { throw .closed }
      return try plan()
    } _: { (planning) throws(HearthError) in
      try read { transaction in
        var trace = ExecutionTrace()
        var result = try body(planning, transaction, &trace)
        result.explanation.statistics?.durationNanoseconds =
          options.runtime.monotonicNanoseconds() - start
        return result
      }
    }
  }

  /// Plans a query without running it; the same errors as `run`.
  package func explain(_ query: StructuredQuery) throws(HearthError) -> Explanation {
    if isClosed { throw .closed }
    return try planner.plan(query).explanation
  }

  /// Plans an aggregation without running it; the same errors as `aggregate`.
  package func explain(
    _ query: StructuredQuery, _ aggregations: [Aggregation]
  ) throws(HearthError) -> Explanation {
    if isClosed { throw .closed }
    let list = try AggregationList(aggregations)
    return try planner.plan(query, aggregating: list.paths).explanation
  }

  /// The indexes that queries would have wanted under the policy `advise`, with how often, most
  /// wanted first.
  package var advisedIndexes: [(definition: IndexDefinition, queries: Int)] {
    planner.advice.all
  }

  var planner: QueryPlanner { parts.planner }

  /// One read transaction; every error leaves as a `HearthError`.
  func read<R>(
    _ body: (borrowing ReadTransaction) throws -> R
  ) throws(HearthError) -> R {
    if isClosed { throw .closed }
    do {
      return try parts.environment.read(body)
    } catch {
      throw HearthError.wrapping(error)
    }
  }

  /// Asks access control about a plain read; its own reads are snapshots of their own.
  private func authorize(_ request: AccessRequest) throws(HearthError) {
    guard let decide = options.access.decide else { return }
    let reader = parts.reader
    do {
      try decide(request) { path in
        try self.read { transaction in try reader.document(path, transaction) }?.document()
      }
    } catch {
      throw HearthError.wrapping(error)
    }
  }

  // MARK: Writing

  /// Submits a commit unit.
  ///
  /// Everything up to its place in the order of commits happens before this returns, so calls from
  /// one thread commit in call order. `completion` runs once, on a thread of the engine's, after
  /// the commit is durable (or has failed) and after listeners' events of it were offered.
  package func submit(
    _ writes: [Write],
    completion: (@Sendable (Result<CommitResult, HearthError>) -> Void)?
  ) {
    if options.access.decide != nil {
      // Judged writes read first, so they are transactions.
      let publisher = parts.publisher
      return options.runtime.spawn("hearth.write") { [self] in
        let outcome: Result<CommitResult, HearthError>
        do throws(HearthError) {
          outcome = .success(try await commit(writes))
        } catch {
          outcome = .failure(error)
        }
        publisher.publish(ChangeBatch(version: .zero, changes: []), [{ completion?(outcome) }])
      }
    }
    submit(writes, reply: { _ in }, published: completion)
  }

  /// Submits a commit unit and suspends until it is durable.
  package func commit(_ writes: [Write]) async throws(HearthError) -> CommitResult {
    if options.access.decide != nil { return try await commitJudged(writes) }
    let outcome: Result<CommitResult, HearthError> = await withCheckedContinuation { continuation in
      submit(writes, reply: { continuation.resume(returning: $0) }, published: nil)
    }
    return try outcome.get()
  }

  private func commitJudged(_ writes: [Write]) async throws(HearthError) -> CommitResult {
    do {
      let done = try await run(TransactionRequest()) { context in
        for write in writes { try context.write(write) }
      }
      let version = try headVersion()
      return done.commit ?? CommitResult(version: version, results: [])
    } catch {
      throw HearthError.wrapping(error)
    }
  }

  private func submit(
    _ writes: [Write], reply: @escaping @Sendable (Result<CommitResult, HearthError>) -> Void,
    published: (@Sendable (Result<CommitResult, HearthError>) -> Void)?
  ) {
    do throws(HearthError) {
      if isClosed { throw .closed }
      for write in writes { try write.validate() }
      let size = writes.reduce(0) { $0 + $1.requestSize }
      if size > options.limits.commitBytes {
        throw .tooLarge(size, options.limits.commitBytes)
      }
      let prepared = parts.reader.prepare(
        writes, now: options.runtime.nowMicroseconds(), parts.environment)
      var request = CommitRequest(
        kind: .blind, writes: writes, prepared: prepared, byteCount: size,
        reply: { reply($0.mapError(\.asError)) }, published: published)
      if let context = TransactionContext.current, !context.isFinished {
        parts.counters.noteWrites(writes, inside: context.owner)
        // A write from inside a block: letting it wait for the block's own gate would deadlock.
        if parts.intake.holdsGate(context.owner) { request.passesGate = true }
      }
      if let refusal = parts.intake.submit(request) { throw refusal }
    } catch {
      reply(.failure(error))
      parts.publisher.publish(
        ChangeBatch(version: .zero, changes: []), [{ published?(.failure(error)) }])
    }
  }

  /// Runs `body` until it commits (transactions-and-listeners, 2 and 3).
  ///
  /// `body` may run several times. Errors of the body are thrown unchanged.
  package func runTransaction<T: Sendable>(
    _ request: TransactionRequest = TransactionRequest(),
    _ body: @Sendable (TransactionContext) async throws -> T
  ) async throws -> T {
    try await run(request, body).value
  }

  private func run<T: Sendable>(
    _ request: TransactionRequest, _ body: @Sendable (TransactionContext) async throws -> T
  ) async throws -> (value: T, commit: CommitResult?) {
    if isClosed { throw HearthError.closed }
    await waitForSubmittedWrites()
    let number = owners.withLock { owners in
      owners += 1
      return owners
    }
    let runner = TransactionRunner(
      parts: parts, access: options.access, limits: options.limits)
    return try await runner.run(request, owner: CommitRequest.Owner(number: number), body)
  }

  // MARK: Listening

  /// Registers a listener.
  ///
  /// `onReady` is called whenever an event can be taken, on a thread of the engine's, and not again
  /// until the event was taken. An invalid target or a missing index comes as the only event.
  package func listen(
    _ target: ListenTarget, onReady: @escaping @Sendable () -> Void
  ) -> Listener {
    let publisher = parts.publisher
    do throws(HearthError) {
      if isClosed { throw .closed }
      switch target {
      case .document(let path):
        let key = ShardState.ViewKey.document(path)
        let listener = Listener(
          target: target, order: { _, _ in 0 }, onReady: onReady,
          onRemove: { publisher.detach($0, key) })
        publisher.attach(listener, key)
        return listener
      case .query(let query):
        // What is shown of a document does not matter to who shares a view.
        var shared = query
        shared.projection = nil
        let normalized = try planner.plan(shared).query
        let key = ShardState.ViewKey.query(normalized)
        let matcher = QueryMatcher(normalized)
        let sign = normalized.reversesResult ? -1 : 1
        let listener = Listener(
          target: target, order: { matcher.compare($0, $1) * sign }, onReady: onReady,
          onRemove: { publisher.detach($0, key) })
        publisher.attach(listener, key)
        return listener
      }
    } catch {
      let listener = Listener(
        target: target, order: { _, _ in 0 }, onReady: onReady, onRemove: { _ in })
      let failure = error
      options.runtime.spawn("hearth.listen") { listener.fail(failure) }
      return listener
    }
  }

  /// Suspends until every listener was offered the state of the newest commit acknowledged
  /// before the call.
  package func waitForListeners() async { await parts.publisher.drain() }

  /// Calls `body` after every round in which a listener was offered an event, until removed.
  package func onInSync(_ body: @escaping @Sendable () -> Void) -> InSyncRegistration {
    InSyncRegistration(publisher: parts.publisher, number: parts.publisher.addInSync(body))
  }

  // MARK: Indexes

  /// The declared indexes and overrides.
  package var indexConfiguration: IndexConfiguration { parts.reader.catalog.configuration }

  // MARK: Checking

  /// Walks everything: checksums, every index entry to its document and back, counts.
  package func checkConsistency(
    _ operation: Operation = Operation()
  ) throws(HearthError) -> ConsistencyReport {
    let reader = parts.reader
    return try running(operation) {
      try read { transaction in
        try ConsistencyCheck(reader: reader, step: operation.step).run(transaction)
      }
    }
  }

  /// Counters since opening.
  package var metrics: EngineMetrics {
    var metrics = parts.counters.snapshot
    (metrics.intakeDepth, metrics.intakeDepthMax) = parts.intake.depth
    (metrics.historyStates, metrics.historyBytes, metrics.oldestReaderNanoseconds) =
      parts.history.measure
    metrics.openSnapshots = parts.environment.openSnapshots
    return metrics
  }
}

/// A hook that runs after each round; see `Engine.onInSync`.
package final class InSyncRegistration: Sendable {
  private let publisher: Publisher
  private let number: Int

  init(publisher: Publisher, number: Int) {
    self.publisher = publisher
    self.number = number
  }

  package func remove() { publisher.removeInSync(number) }
}
