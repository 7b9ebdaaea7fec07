package import HearthModel

/// The door of the engine: everything that the rooms above ask of it.
package final class Engine: Sendable {
  package let options: EngineOptions

  private init(options: EngineOptions) { self.options = options }

  /// Opens or creates the database at `options.path`. Blocks for the file system.
  package static func open(_ options: EngineOptions) throws(HearthError) -> Engine {
    Engine(options: options)
  }

  /// Finishes submitted writes, ends listeners without an event, and closes the files.
  package func close() async {}

  /// Refused operations after `close` fail with this reason.
  package var isClosed: Bool { false }

  // MARK: Reading. Synchronous, on the caller's thread; no actor is entered.

  /// Suspends until every write submitted before this call is visible to readers.
  /// Returns at once, without a hop, when there is none.
  package func waitForSubmittedWrites() async {}

  /// The newest version that readers see.
  package var headVersion: CommitVersion { .zero }

  /// A document, nil if it does not exist, and the version read at.
  package func get(
    _ path: DocumentPath
  ) throws(HearthError) -> (document: StoredDocument?, version: CommitVersion) { throw notYet }

  /// Runs a query.
  package func run(_ query: StructuredQuery) throws(HearthError) -> QueryResult { throw notYet }

  /// Plans a query without running it; the same errors as `run`.
  package func explain(_ query: StructuredQuery) throws(HearthError) -> Explanation {
    throw notYet
  }

  // MARK: Writing

  /// Submits a commit unit. Everything up to its place in the order of commits happens before
  /// this returns, so calls from one thread commit in call order. `completion` runs once, on a
  /// thread of the engine's, after the commit is durable (or has failed) and after listeners'
  /// events of it were offered.
  package func submit(
    _ writes: [Write],
    completion: (@Sendable (Result<CommitResult, HearthError>) -> Void)?
  ) {}

  /// Submits a commit unit and suspends until it is durable.
  package func commit(_ writes: [Write]) async throws(HearthError) -> CommitResult {
    throw notYet
  }

  /// Runs `body` until it commits (transactions-and-listeners, 2 and 3). `body` may run several
  /// times. Errors of the body are thrown unchanged.
  package func runTransaction<T: Sendable>(
    _ request: TransactionRequest,
    _ body: @Sendable (TransactionContext) async throws -> T
  ) async throws -> T { throw notYet }

  // MARK: Listening

  /// Registers a listener. `onReady` is called whenever an event can be taken; never before this
  /// returns, and never again until the event was taken. An invalid target or a missing index
  /// comes as the only event.
  package func listen(
    _ target: ListenTarget, onReady: @escaping @Sendable () -> Void
  ) -> Listener { Listener() }

  /// Suspends until every listener was offered the state of the newest commit acknowledged
  /// before the call.
  package func waitForListeners() async {}

  /// Calls `body` after every round in which a listener was offered an event, until cancelled.
  package func onInSync(_ body: @escaping @Sendable () -> Void) -> InSyncRegistration {
    InSyncRegistration()
  }

  // MARK: Indexes

  /// Creates an index and fills it from existing documents; returns when it is READY.
  package func createIndex(
    _ definition: IndexDefinition,
    progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) async throws(HearthError) { throw notYet }

  /// Removes an index from planning at once and reclaims its entries.
  package func dropIndex(_ definition: IndexDefinition) async throws(HearthError) { throw notYet }

  /// Declares what a `firestore.indexes.json` holds; builds what is new.
  package func applyIndexFile(
    _ json: [UInt8], progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) async throws(HearthError) { throw notYet }

  /// The declared indexes and overrides.
  package var indexConfiguration: IndexConfiguration { IndexConfiguration() }

  // MARK: Checking

  /// Walks everything: checksums, every index entry to its document and back, counts.
  package func checkConsistency() throws(HearthError) -> ConsistencyReport { throw notYet }

  /// Counters since opening.
  package var metrics: EngineMetrics { EngineMetrics() }

  private var notYet: HearthError { HearthError(.unimplemented, "NOT_YET", "Not built yet.") }
}

package final class TransactionContext: Sendable {
  /// 1 for the first run.
  package let attempt: Int
  init(attempt: Int) { self.attempt = attempt }

  /// The version that this attempt reads at; set by its first read.
  package var readVersion: CommitVersion? { nil }

  /// Reads a document. Fails with `READ_AFTER_WRITE` once a write was buffered.
  package func get(_ path: DocumentPath) throws(HearthError) -> StoredDocument? { nil }

  /// Runs a query whose result is protected until the commit, phantoms included.
  package func run(_ query: StructuredQuery) throws(HearthError) -> QueryResult {
    throw HearthError(.unimplemented, "NOT_YET", "Not built yet.")
  }

  /// Buffers a write. Only misuse throws; the transaction then fails with the same error.
  package func write(_ write: Write) throws(HearthError) {}
}

package final class Listener: Sendable {
  /// The next event: the newest state against the one taken last. Nil if there is none.
  package func take() -> ListenerEvent? { nil }

  /// Ends the listener; no event follows. Idempotent, callable from anywhere.
  package func remove() {}

  /// Whether `remove`, an error or closing has ended it.
  package var isEnded: Bool { true }
}

package final class InSyncRegistration: Sendable {
  package func remove() {}
}

package struct ConsistencyReport: Sendable {
  package var documents = 0
  package var indexEntries = 0
  /// What is wrong, in words; empty if all is well.
  package var findings: [String] = []
  package init() {}
}

/// Counters since opening.
package struct EngineMetrics: Sendable {
  package var commits = 0
  package var groups = 0
  package var transactionRuns = 0
  package var transactionsCommitted = 0
  package var transactionsFailed = 0
  package var conflicts = 0
  package var turnWaits = 0
  package var gateWaits = 0
  package var snapshotsRaised = 0
  package init() {}
}
