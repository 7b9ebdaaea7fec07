package import HearthEngine
package import HearthModel
import HearthStorage

/// Does operations on an engine and writes down what each of them saw.
package final class Recorder: Sendable {
  private struct State {
    var engine: Engine
    var stamp = 0
    var number = 0
    var history = History()
    var listeners: [RecordedListener] = []
    var acknowledged = CommitVersion.zero
    var runs: [Int] = []
    var findings: [String] = []
    /// Operations whose place in the order, or whose outcome, only their marker tells.
    var open: [(position: Int, marker: DocumentPath)] = []
    /// Markers that must not be there, and why.
    var refused: [(marker: DocumentPath, error: String)] = []
  }

  private let state: Lock<State>
  /// Whether batches leave markers too, so that unknown outcomes can be found out.
  private let marksCommits: Bool

  package init(_ engine: Engine, marksCommits: Bool = false) {
    state = Lock(State(engine: engine))
    self.marksCommits = marksCommits
  }

  /// What operations are done on.
  package var engine: Engine { state.withLock { $0.engine } }

  /// Goes on with the database opened again.
  package func use(_ engine: Engine) { state.withLock { $0.engine = engine } }

  /// How many times the block of each transaction ran that committed.
  package var runs: [Int] { state.withLock { $0.runs } }

  /// The newest version that some operation knew of when it returned.
  package var acknowledged: CommitVersion { state.withLock { $0.acknowledged } }

  /// What was recorded; once `findings` was asked for, also what became of the uncertain ones.
  package var operations: [HistoryOperation] { state.withLock { $0.history.operations } }

  /// One line per operation that took effect, to compare runs by.
  package var summary: [String] {
    state.withLock { state in
      state.history.operations.filter { $0.effect != .nothing }
        .map { "\($0.name) \($0.invoked) \($0.returned) \($0.effect)" }
    }
  }

  private func tick() -> Int {
    state.withLock { state in
      state.stamp += 1
      return state.stamp
    }
  }

  private func name(_ kind: String) -> String {
    state.withLock { state in
      state.number += 1
      return "\(kind)-\(state.number)"
    }
  }

  /// What is wrong with the world apart from the history.
  package func find(_ text: String) { state.withLock { $0.findings.append(text) } }

  private func record(_ operation: HistoryOperation) {
    state.withLock { state in
      state.history.operations.append(operation)
      if let version = operation.version {
        state.acknowledged = max(state.acknowledged, version)
      }
    }
  }

  /// Records an operation that is to be looked up by its marker at the end.
  private func recordOpen(_ operation: HistoryOperation, _ marker: DocumentPath) {
    state.withLock { state in
      state.open.append((state.history.operations.count, marker))
      state.history.operations.append(operation)
    }
  }

  private static func marker(_ name: String) -> DocumentPath {
    DocumentPath(collection: CollectionPath(unchecked: ["log"]), id: name)
  }

  private static func mark(_ marker: DocumentPath) -> Write {
    Write(document: marker, operation: .update(fields: [:], mask: nil, transforms: []))
  }

  private static func isUnknown(_ error: any Error) -> Bool {
    (error as? HearthError)?.reason == "COMMIT_OUTCOME_UNKNOWN"
  }

  // MARK: Operations

  /// A transaction.
  ///
  /// One that writes leaves an empty document of its own under `log`, whose version tells where
  /// in the order it stands, and whose absence that it did nothing. Runs that lost are recorded as
  /// operations without effect.
  package func transaction(
    _ kind: String, _ request: TransactionRequest = TransactionRequest(),
    _ body: @escaping @Sendable (RecordedRun) async throws -> Void
  ) async throws {
    let name = name(kind)
    let marker = Recorder.marker(name)
    let runs = Lock<[RecordedRun]>([])
    let invoked = tick()
    var failure: (any Error)?
    do {
      try await engine.runTransaction(request) { context in
        let run = RecordedRun(context)
        runs.withLock { $0.append(run) }
        try await body(run)
        run.end()
        if !run.writes.isEmpty { try run.write(Recorder.mark(marker)) }
      }
    } catch {
      failure = error
    }
    let all = runs.withLock { $0 }
    let returned = tick()
    for run in all.dropLast() where !run.writes.isEmpty {
      record(
        HistoryOperation(
          "\(name), run \(run.attempt)", invoked: invoked, returned: returned, effect: .nothing,
          reads: run.reads, writes: run.writes))
    }
    guard let run = all.last else {
      if let failure { throw failure }
      return
    }
    var operation = HistoryOperation(
      name, invoked: invoked, returned: returned, effect: .nothing, reads: run.reads,
      writes: run.writes)
    if let failure {
      recordFailed(operation, marker, failure)
      throw failure
    }
    state.withLock { $0.runs.append(run.attempt) }
    if !run.writes.isEmpty {
      // It may have been closed since.
      guard let found = try? engine.get(marker) else { return recordOpen(operation, marker) }
      guard let document = found.document else {
        return find("\(name) was acknowledged, but it is not there")
      }
      operation.effect = .committed(document.createVersion)
    } else {
      // A run that read nothing stands nowhere.
      if run.reads.isEmpty { return }
      operation.effect = .read(run.readVersion ?? .zero)
    }
    record(operation)
  }

  private func recordFailed(
    _ operation: HistoryOperation, _ marker: DocumentPath, _ error: any Error
  ) {
    var operation = operation
    if Recorder.isUnknown(error) {
      operation.isCertain = false
      return recordOpen(operation, marker)
    }
    state.withLock { $0.refused.append((marker, "\(error)")) }
    record(operation)
  }

  /// A batch; failing preconditions are thrown.
  package func commit(_ kind: String, _ writes: [Write]) async throws {
    let name = name(kind)
    let marker = Recorder.marker(name)
    let invoked = tick()
    var operation = HistoryOperation(
      name, invoked: invoked, returned: invoked, effect: .nothing, writes: writes)
    do {
      let result = try await engine.commit(writes + (marksCommits ? [Recorder.mark(marker)] : []))
      operation.returned = tick()
      operation.effect = .committed(result.version)
      operation.results = Array(result.results.prefix(writes.count))
      record(operation)
    } catch {
      operation.returned = tick()
      if marksCommits { recordFailed(operation, marker, error) }
      throw error
    }
  }

  /// A plain read of one document.
  package func get(_ path: DocumentPath) throws {
    let name = name("get")
    let invoked = tick()
    let (document, version) = try engine.get(path)
    record(
      HistoryOperation(
        name, invoked: invoked, returned: tick(), effect: .read(version),
        reads: [.document(path, try document?.document())]))
  }

  /// A plain query.
  package func run(_ query: StructuredQuery) throws {
    let name = name("query")
    let invoked = tick()
    let result = try engine.run(query)
    record(
      HistoryOperation(
        name, invoked: invoked, returned: tick(), effect: .read(result.version),
        reads: [.query(query, try result.documents.map { try $0.document() })]))
  }

  /// A plain count.
  package func count(_ query: StructuredQuery) throws {
    let name = name("count")
    let invoked = tick()
    let result = try engine.aggregate(query, [Aggregation(.count(upTo: nil))])
    record(
      HistoryOperation(
        name, invoked: invoked, returned: tick(), effect: .read(result.version),
        reads: [.count(query, result.firstCount)]))
  }

  /// Registers a listener that takes its events `delay` after each is ready.
  package func listen(_ target: ListenTarget, delay: UInt64 = 0) -> RecordedListener {
    let listener = RecordedListener(engine, target, delay: delay, registeredAt: acknowledged)
    state.withLock { $0.listeners.append(listener) }
    return listener
  }

  // MARK: The end

  /// Looks up what markers tell.
  private func resolve() throws {
    let (open, refused) = state.withLock { state in
      defer { (state.open, state.refused) = ([], []) }
      return (state.open, state.refused)
    }
    for (position, marker) in open {
      let document = try engine.get(marker).document
      state.withLock { state in
        if let document {
          state.history.operations[position].effect = .committed(document.createVersion)
        } else if state.history.operations[position].isCertain {
          state.findings.append("\(marker.id) was acknowledged, but it is not there")
        }
      }
    }
    for (marker, error) in refused where try engine.get(marker).document != nil {
      find("\(marker.id) failed with \(error), and yet it was committed")
    }
  }

  /// Waits for listeners, checks the history and the files; gives what is wrong.
  package func findings(reading collections: [CollectionPath]) async throws -> [String] {
    await engine.waitForSubmittedWrites()
    await engine.waitForListeners()
    // First states are read beside the feed, so that waiting for the feed does not wait for them.
    for _ in 0..<100_000 {
      if state.withLock({ $0.listeners }).allSatisfy(\.hasBegun) { break }
      await engine.waitForListeners()
      await Task.yield()
    }
    try resolve()
    var history = state.withLock { $0.history }
    for listener in state.withLock({ $0.listeners }) {
      try history.listeners.append(listener.finish())
    }
    // The documents under `log` are the recorder's own, not part of what is replayed.
    var final: [Document] = []
    for collection in collections {
      final += try engine.run(StructuredQuery(collection)).documents.map { try $0.document() }
    }
    history.final = final
    var findings = state.withLock { $0.findings }
    findings += HistoryChecker.check(history)
    findings += try engine.checkConsistency().findings
    return findings
  }
}

extension AggregationResult {
  fileprivate var firstCount: Int {
    if case .integer(let count)? = values.first?.value { return Int(count) }
    return -1
  }
}

/// One run of a recorded transaction's block.
package final class RecordedRun: Sendable {
  private struct State {
    var reads: [HistoryRead] = []
    var writes: [Write] = []
    var isEnded = false
    var readVersion: CommitVersion?
  }

  private let context: TransactionContext
  private let state = Lock(State())

  init(_ context: TransactionContext) { self.context = context }

  package var attempt: Int { context.attempt }
  var reads: [HistoryRead] { state.withLock { $0.reads } }
  var writes: [Write] { state.withLock { $0.writes } }
  var readVersion: CommitVersion? { state.withLock { $0.readVersion } }

  /// The block is over: the recorder's own write is not part of it.
  func end() {
    let version = context.readVersion
    state.withLock { state in
      state.readVersion = version
      state.isEnded = true
    }
  }

  package func get(_ path: DocumentPath) throws -> Document? {
    let document = try context.get(path)?.document()
    state.withLock { $0.reads.append(.document(path, document)) }
    return document
  }

  package func run(_ query: StructuredQuery) throws -> [Document] {
    let documents = try context.run(query).documents.map { try $0.document() }
    state.withLock { $0.reads.append(.query(query, documents)) }
    return documents
  }

  package func count(_ query: StructuredQuery) throws -> Int {
    let count = try context.aggregate(query, [Aggregation(.count(upTo: nil))]).firstCount
    state.withLock { $0.reads.append(.count(query, count)) }
    return count
  }

  package func write(_ write: Write) throws {
    try context.write(write)
    state.withLock { if !$0.isEnded { $0.writes.append(write) } }
  }
}
