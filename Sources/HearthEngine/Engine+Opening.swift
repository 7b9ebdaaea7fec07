import HearthEncoding
package import HearthModel
import HearthPlanner
import HearthStorage

extension Engine {
  /// Opens or creates the database at `options.path`.
  ///
  /// Blocks for the file system.
  package static func open(_ options: EngineOptions) throws(HearthError) -> Engine {
    do {
      return try assemble(options)
    } catch {
      throw HearthError.wrapping(error)
    }
  }

  static func storageOptions(_ options: EngineOptions) -> EnvironmentOptions {
    let runtime = options.runtime
    var storage = EnvironmentOptions(
      tableNames: TableName.allCases.map(\.rawValue), randomBytes: runtime.randomBytes,
      nowMicroseconds: runtime.nowMicroseconds)
    storage.createIfMissing = options.createIfMissing
    storage.mapSize = options.mapSize
    storage.sizeCeiling = options.sizeCeiling
    storage.mapGrowth = options.mapGrowth
    storage.faults = options.faults
    storage.durability =
      switch options.durability {
      case .durable: .durable
      case .relaxed: .relaxed
      case .none: .none
      }
    return storage
  }

  private static func assemble(_ options: EngineOptions) throws -> Engine {
    let environment = try Environment.open(at: options.path, options: storageOptions(options))
    do {
      return try assemble(options, environment)
    } catch {
      // Or the directory would stay taken by an engine that nobody has.
      environment.close()
      throw error
    }
  }

  private static func assemble(
    _ options: EngineOptions, _ environment: Environment
  ) throws -> Engine {
    let runtime = options.runtime
    let store = RecordStore(environment: environment)
    let catalog = try Catalog(store: store, environment: environment)
    let reader = RecordReader(store: store, catalog: catalog)
    let head = try environment.read { transaction in
      try CatalogRecords.head(store, transaction)
    }
    let counters = EngineCounters()
    let intake = Intake()
    let planner = QueryPlanner(catalog: catalog, policy: options.indexPolicy)
    let first = FirstRun(
      environment: environment, reader: reader, planner: planner, runtime: runtime)
    let publisher = Publisher(
      shards: (0..<max(1, options.shardCount)).map { _ in
        Shard(
          counters: counters,
          plan: { (query) throws(HearthError) in
            _ = try planner.plan(query.query)
          },
          fetch: first.query)
      },
      head: head, runtime: runtime, fetch: first.query, fetchDocument: first.document,
      beforeReading: { await intake.waitForSubmittedWrites() },
      currentHead: {
        try? environment.read { transaction in try CatalogRecords.head(store, transaction) }
      })
    let parts = EngineParts(
      environment: environment, reader: reader, planner: planner, intake: intake,
      turns: TurnQueue(
        leaseNanoseconds: options.limits.turnLeaseNanoseconds, runtime: runtime,
        counters: counters),
      openGroup: OpenGroup(),
      publisher: publisher, runtime: runtime, counters: counters, rangeReaders: RangeReaders(),
      history: History(options, head: head),
      indexWork: IndexWork(),
      committerEnded: Ending())
    let executor: any SerialExecutor = try runtime.writerExecutor ?? WriterThread()
    let committer = Committer(parts, head: head, executor: executor)
    runtime.spawn("hearth.committer") {
      await committer.run()
      parts.committerEnded.end()
    }
    runtime.spawn("hearth.publisher") { await publisher.run() }
    let engine = Engine(options: options, parts: parts)
    engine.resumeIndexWork()
    return engine
  }
}

/// The first run of a listener's query, and every later one that a view asks for.
private struct FirstRun: Sendable {
  let environment: Environment
  let reader: RecordReader
  let planner: QueryPlanner
  let runtime: Runtime

  /// The documents of a query in the order of execution, at most `capacity`.
  func query(
    _ normalized: NormalizedQuery, _ capacity: Int?
  ) throws(HearthError) -> Shard.Fetched {
    var query = normalized.query
    query.limit = capacity
    query.offset = 0
    let planned = query
    let start = runtime.monotonicNanoseconds()
    return try QueryPlanning.running { () throws(HearthError) in
      try planner.plan(planned, isRun: true)
    } _: { (planning) throws(HearthError) in
      var fetched = try run(planning, QueryMatcher(normalized))
      fetched.explanation?.statistics?.durationNanoseconds =
        runtime.monotonicNanoseconds() - start
      return fetched
    }
  }

  private func run(
    _ planning: QueryPlanning, _ matcher: QueryMatcher
  ) throws(HearthError) -> Shard.Fetched {
    do {
      return try environment.read { transaction in
        var trace = ExecutionTrace()
        var documents = try Executor(reader: reader, planning: planning).run(transaction, &trace)
        if planning.query.reversesResult { documents.reverse() }
        let entries = try documents.compactMap { document -> ViewEntry? in
          try matcher.sortKey(document.path, document.fields()).map {
            ViewEntry(key: $0, document: document)
          }
        }
        return Shard.Fetched(
          entries: entries, version: try CatalogRecords.head(reader.store, transaction),
          explanation: planning.explanation.measured(trace.statistics))
      }
    } catch {
      throw HearthError.wrapping(error)
    }
  }

  func document(_ path: DocumentPath) throws(HearthError) -> Shard.Fetched {
    do {
      return try environment.read { transaction in
        let document = try reader.document(path, transaction)
        let entries = document.map {
          [ViewEntry(key: SortKey(values: [], path: path), document: $0)]
        }
        return Shard.Fetched(
          entries: entries ?? [], version: try CatalogRecords.head(reader.store, transaction))
      }
    } catch {
      throw HearthError.wrapping(error)
    }
  }
}

/// Something that ends once and can be waited for.
final class Ending: Sendable {
  private struct State {
    var hasEnded = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  func end() {
    let waiters = state.withLock { state in
      state.hasEnded = true
      defer { state.waiters = [] }
      return state.waiters
    }
    waiters.forEach { $0.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let done = state.withLock { state -> Bool in
        if state.hasEnded { return true }
        state.waiters.append(continuation)
        return false
      }
      if done { continuation.resume() }
    }
  }
}
