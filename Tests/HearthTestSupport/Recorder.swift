package import HearthEngine
package import HearthModel
import HearthStorage

/// Does operations on an engine and writes down what each of them saw.
package final class Recorder: Sendable {
  private struct State {
    var stamp = 0
    var number = 0
    var history = History()
    var listeners: [RecordedListener] = []
    var acknowledged = CommitVersion.zero
    var runs: [Int] = []
    var findings: [String] = []
  }

  package let engine: Engine
  private let state = Lock(State())

  package init(_ engine: Engine) { self.engine = engine }

  /// How many times the block of each transaction ran that committed.
  package var runs: [Int] { state.withLock { $0.runs } }

  /// The newest version that some operation knew of when it returned.
  package var acknowledged: CommitVersion { state.withLock { $0.acknowledged } }

  /// One line per operation that took effect, to compare runs by.
  package var summary: [String] {
    state.withLock { state in
      state.history.operations.map { "\($0.name) \($0.invoked) \($0.returned) \($0.effect)" }
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

  // MARK: Operations

  /// A transaction.
  ///
  /// One that writes leaves an empty document of its own under `log`, whose version tells where
  /// in the order it stands, and whose absence that it did nothing.
  package func transaction(
    _ kind: String, _ request: TransactionRequest = TransactionRequest(),
    _ body: @escaping @Sendable (RecordedRun) async throws -> Void
  ) async throws {
    let name = name(kind)
    let marker = DocumentPath(collection: CollectionPath(unchecked: ["log"]), id: name)
    let last = Lock<RecordedRun?>(nil)
    let invoked = tick()
    do {
      try await engine.runTransaction(request) { context in
        let run = RecordedRun(context)
        last.withLock { $0 = run }
        try await body(run)
        run.end()
        if !run.writes.isEmpty {
          try run.write(
            Write(
              document: marker, operation: .update(fields: [:], mask: nil, transforms: [])))
        }
      }
    } catch {
      if try engine.get(marker).document != nil {
        find("\(name) failed with \(error), and yet it was committed")
      }
      throw error
    }
    guard let run = last.withLock({ $0 }) else { return }
    state.withLock { $0.runs.append(run.attempt) }
    let effect: HistoryOperation.Effect
    if run.writes.isEmpty {
      effect = .read(run.readVersion ?? .zero)
    } else if let document = try engine.get(marker).document {
      effect = .committed(document.createVersion)
    } else {
      return find("\(name) was acknowledged, but it is not there")
    }
    // A run that read nothing stands nowhere.
    if run.writes.isEmpty && run.reads.isEmpty { return }
    record(
      HistoryOperation(
        name, invoked: invoked, returned: tick(), effect: effect, reads: run.reads,
        writes: run.writes))
  }

  /// A batch; failing preconditions are thrown.
  package func commit(_ kind: String, _ writes: [Write]) async throws {
    let name = name(kind)
    let invoked = tick()
    let result = try await engine.commit(writes)
    record(
      HistoryOperation(
        name, invoked: invoked, returned: tick(), effect: .committed(result.version),
        writes: writes, results: result.results))
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

  /// Registers a listener that takes its events `delay` after each is ready.
  package func listen(_ target: ListenTarget, delay: UInt64 = 0) -> RecordedListener {
    let listener = RecordedListener(engine, target, delay: delay, registeredAt: acknowledged)
    state.withLock { $0.listeners.append(listener) }
    return listener
  }

  // MARK: The end

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

  package func write(_ write: Write) throws {
    try context.write(write)
    state.withLock { if !$0.isEnded { $0.writes.append(write) } }
  }
}

/// A listener that writes down what it is told.
package final class RecordedListener: Sendable {
  private struct State {
    var listener: Listener?
    var history: ListenerHistory
    var failure: (any Error)?
    var isRemoved = false
  }

  private let state: Lock<State>
  private let runtime: Runtime
  private let delay: UInt64

  init(
    _ engine: Engine, _ target: ListenTarget, delay: UInt64, registeredAt: CommitVersion
  ) {
    state = Lock(State(history: ListenerHistory(target, registeredAt: registeredAt)))
    runtime = engine.options.runtime
    self.delay = delay
    let listener = engine.listen(target) { [weak self] in self?.ready() }
    state.withLock { $0.listener = listener }
    // On real threads an event can be ready before the listener is known here.
    take()
  }

  private func ready() {
    runtime.spawn("test.take") { [weak self] in
      guard let self else { return }
      if delay > 0 { try? await runtime.sleep(delay) }
      take()
    }
  }

  /// Takes what is there.
  ///
  /// Under the lock, since the order of takes is the order of events.
  private func take() {
    state.withLock { state in
      while !state.isRemoved, let event = state.listener?.take() {
        switch event {
        case .snapshot(let snapshot):
          do {
            state.history.snapshots.append(try ListenerHistory.Snapshot(snapshot))
          } catch {
            state.failure = error
          }
        case .failure(let error): state.failure = error
        }
      }
    }
  }

  /// Whether the first state was taken, or nobody wants it.
  var hasBegun: Bool {
    take()
    return state.withLock { $0.isRemoved || !$0.history.snapshots.isEmpty || $0.failure != nil }
  }

  package func remove() {
    let listener = state.withLock { state in
      state.isRemoved = true
      return state.listener
    }
    listener?.remove()
  }

  /// Takes what the taker has not yet taken, ends, and gives everything.
  package func finish() throws -> ListenerHistory {
    take()
    let (history, failure) = state.withLock { state in
      state.history.isComplete = !state.isRemoved
      return (state.history, state.failure)
    }
    remove()
    if let failure { throw failure }
    return history
  }
}
