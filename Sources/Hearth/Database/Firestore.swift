public import Foundation
import HearthEngine
import HearthModel

/// A database: Firestore's data model, queries and live queries inside your process.
///
/// Get one with ``open(at:settings:)``, or with ``Hearth/configure(storage:settings:)`` and
/// ``firestore()``. A `Firestore` may be used from any thread. Every call that touches data fails
/// with `FAILED_PRECONDITION` once the database is terminated.
public final class Firestore: Sendable {
  enum Phase {
    case unopened(Hearth.Storage)
    case open(Engine, temporary: String?)
    case broken(HearthError)
    case terminated
  }

  struct State {
    var phase: Phase
    var settings: FirestoreSettings.Values
    /// Set when settings were changed too late; every later call fails with it.
    var misuse: HearthError?
    /// Un-awaited writes that are not durable yet.
    var pendingWrites = 0
    var sources: [ObjectIdentifier: WeakSource] = [:]
    /// Whether the files of a terminated database are closed, and who waits for that.
    var hasEnded = false
    var endWaiters: [CheckedContinuation<Void, Never>] = []
  }

  let state: Locked<State>

  init(storage: Hearth.Storage, settings: FirestoreSettings.Values) {
    let storage = settings.isPersistenceEnabled ? storage : .inMemory
    state = Locked(State(phase: .unopened(storage), settings: settings))
  }

  init(engine: sending Engine, settings: FirestoreSettings.Values) {
    state = Locked(State(phase: .open(engine, temporary: nil), settings: settings))
  }

  /// A database whose every call fails with `error`.
  init(broken error: HearthError) {
    state = Locked(State(phase: .broken(error), settings: FirestoreSettings.Values()))
  }

  // MARK: Getting one

  /// The default database, as configured with ``Hearth/configure(storage:settings:)``.
  ///
  /// Without a configuration every call on the result fails with `FAILED_PRECONDITION`, reason
  /// `NOT_CONFIGURED`.
  public static func firestore() -> Firestore { Registry.shared.standardDatabase() }

  /// The default database of an app.
  public static func firestore(app: FirebaseApp) -> Firestore { firestore() }

  /// Opens the database in a directory, or creates it there.
  ///
  /// A database that this process has open already is returned as it is, whatever the settings.
  ///
  /// - Parameters:
  ///   - url: The directory.
  ///   - settings: How the database behaves; copied.
  /// - Throws: ``HearthError`` if the directory cannot be used or holds something else.
  public static func open(
    at url: URL, settings: FirestoreSettings = .init()
  ) async throws -> Firestore {
    let values = settings.values
    let path = try Firestore.path(of: url)
    while true {
      // Opening waits for the disk, so it must not occupy a thread of Swift's tasks.
      let database = try await onBlockingThread { () throws(HearthError) -> Firestore in
        try Registry.shared.database(at: path) { () throws(HearthError) -> Firestore in
          Firestore(engine: try openEngine(at: path, values), settings: values)
        }
      }
      // One that is being terminated is no use; its files can be opened once it has ended.
      guard database.isTerminated else { return database }
      await database.waitUntilEnded()
    }
  }

  private static func openEngine(
    at path: String, _ settings: FirestoreSettings.Values
  ) throws(HearthError) -> Engine {
    try Engine.open(engineOptions(at: path, settings))
  }

  static func engineOptions(
    at path: String, _ settings: FirestoreSettings.Values
  ) -> EngineOptions {
    var options = EngineOptions(path: path, runtime: .system)
    options.createIfMissing = settings.createsIfMissing
    options.durability = settings.durability.engineDurability
    options.mapSize = settings.mapSizeBytes
    options.indexPolicy = settings.indexPolicy
    options.sizeCeiling = settings.maximumSizeBytes
    options.historyNanoseconds = settings.historyWindow.map { $0.clampedNanoseconds }
    return options
  }

  /// The engine, opened now if this is the first use.
  func engine() throws(HearthError) -> Engine {
    var openedPath: String?
    defer { if let openedPath { Registry.shared.remember(self, at: openedPath) } }
    return try state.with { (state) throws(HearthError) -> Engine in
      if let misuse = state.misuse { throw misuse }
      switch state.phase {
      case .open(let engine, _): return engine
      case .broken(let error): throw error
      case .terminated: throw Firestore.terminatedError
      case .unopened(let storage):
        var temporary: String?
        let path: String
        var settings = state.settings
        switch storage {
        case .directory(let url): path = try Firestore.path(of: url)
        case .inMemory:
          path = Firestore.temporaryPath()
          temporary = path
          settings.durability = .none
        }
        let engine = try Firestore.openEngine(at: path, settings)
        state.phase = .open(engine, temporary: temporary)
        openedPath = path
        return engine
      }
    }
  }

  static func path(of url: URL) throws(HearthError) -> String {
    // A relative URL without a scheme is taken as a path, as URL(string: "eats.hearth") is one.
    guard url.isFileURL || url.scheme == nil else {
      throw .invalid(
        "NOT_A_FILE_URL",
        "'\(url)' names no directory; use URL(filePath:) for the place of a database.")
    }
    return url.path(percentEncoded: false)
  }

  private static func temporaryPath() -> String {
    FileManager.default.temporaryDirectory
      .appending(path: "hearth-\(UUID().uuidString)").path(percentEncoded: false)
  }

  static let terminatedError = HearthError(
    .failedPrecondition, "TERMINATED",
    "The client has already been terminated. Get a new Firestore to go on.")

  // MARK: Settings

  /// The settings; assign before first use.
  ///
  /// Assigning different settings later is misuse: every call after that fails with
  /// `FAILED_PRECONDITION`, reason `SETTINGS_AFTER_USE`.
  public var settings: FirestoreSettings {
    get { FirestoreSettings(state.with { $0.settings }) }
    set {
      let values = newValue.values
      let error = state.with { state -> HearthError? in
        if state.settings == values { return nil }
        guard case .unopened(let storage) = state.phase else {
          if case .broken = state.phase { return nil }
          let error = HearthError(
            .failedPrecondition, "SETTINGS_AFTER_USE",
            "Settings must be assigned before the first use of this Firestore.")
          if state.misuse == nil { state.misuse = error }
          return error
        }
        state.settings = values
        state.phase = .unopened(values.isPersistenceEnabled ? storage : .inMemory)
        return nil
      }
      if let error { Hearth.misused(error) }
    }
  }

  /// The app that the database belongs to.
  public var app: FirebaseApp { FirebaseApp.standard }

  /// Receives failures of writes that nobody awaits and that have no completion closure.
  ///
  /// Without a handler they are logged. Called on a thread of the engine's.
  public static var unhandledWriteErrorHandler: (@Sendable (any Error) -> Void)? {
    get { Hearth.unhandledWriteErrorHandler }
    set { Hearth.unhandledWriteErrorHandler = newValue }
  }

  /// Accepted for the SDK's sake; see ``Hearth/logHandler``.
  public static func enableLogging(_ on: Bool) {}

  // MARK: References

  /// The collection at a slash-separated path.
  ///
  /// A malformed path is remembered: calls on the collection fail with `INVALID_ARGUMENT`.
  public func collection(_ path: String) -> CollectionReference {
    CollectionReference(self, text: path) { () throws(HearthError) in try CollectionPath(path) }
  }

  /// The document at a slash-separated path.
  ///
  /// A malformed path is remembered: calls on the document fail with `INVALID_ARGUMENT`.
  public func document(_ path: String) -> DocumentReference {
    DocumentReference(self, text: path) { () throws(HearthError) in try DocumentPath(path) }
  }

  /// A query of all collections with an id, wherever they lie.
  ///
  /// An empty id or one with a slash is remembered: the query fails with `INVALID_ARGUMENT`.
  public func collectionGroup(_ id: String) -> Query {
    do throws(HearthError) {
      try PathRules.checkCollectionID(id)
      return Query(self, .success(StructuredQuery(scope: .collectionGroup(UTF8String(id)))))
    } catch {
      return Query(self, .failure(Hearth.misused(error)))
    }
  }

  /// Starts a batch of writes that are committed together.
  public func batch() -> WriteBatch { WriteBatch(self) }
}

extension Firestore: Hashable {
  /// Whether both are the same database.
  public static func == (a: Firestore, b: Firestore) -> Bool { a === b }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Runs something that waits for the disk away from the threads of Swift's tasks.
func onBlockingThread<T: Sendable>(
  _ body: @escaping @Sendable () throws(HearthError) -> T
) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    Runtime.system.runBlocking {
      do throws(HearthError) {
        continuation.resume(returning: try body())
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}
