import Foundation
import HearthEngine
import HearthModel

extension Firestore {
  /// Completes submitted writes, ends listeners without an event, and closes the database.
  ///
  /// Every later call on this object fails with `FAILED_PRECONDITION`, reason `TERMINATED`;
  /// terminating again does nothing. `firestore()` and `open(at:)` give a new object afterwards.
  /// A temporary database is removed.
  public func terminate() async throws {
    let (phase, sources) = state.with { state in
      defer {
        state.phase = .terminated
        state.sources = [:]
      }
      return (state.phase, Array(state.sources.values))
    }
    for source in sources { source.source?.end() }
    if case .open(let engine, let temporary) = phase {
      await engine.close()
      if let temporary { try? FileManager.default.removeItem(atPath: temporary) }
    }
    if case .terminated = phase { return await waitUntilEnded() }
    Registry.shared.forget(self)
    let waiters = state.with { state in
      state.hasEnded = true
      defer { state.endWaiters = [] }
      return state.endWaiters
    }
    waiters.forEach { $0.resume() }
  }

  /// Whether `terminate` was called.
  var isTerminated: Bool {
    state.with {
      if case .terminated = $0.phase { return true }
      return false
    }
  }

  /// Suspends until a terminated database has closed its files.
  func waitUntilEnded() async {
    await withCheckedContinuation { continuation in
      let done = state.with { state -> Bool in
        if state.hasEnded { return true }
        state.endWaiters.append(continuation)
        return false
      }
      if done { continuation.resume() }
    }
  }

  /// Terminates the database and tells a closure on the main queue.
  public func terminate(completion: (@MainActor ((any Error)?) -> Void)?) {
    inBackground(completion) { try await self.terminate() }
  }

  /// The same as ``terminate()``, under the name that embedded databases use.
  public func close() async throws { try await terminate() }

  /// Returns when every write submitted before the call is durable.
  public func waitForPendingWrites() async throws {
    await (try engine()).waitForSubmittedWrites()
  }

  /// Calls a closure on the main queue when every write submitted before is durable.
  public func waitForPendingWrites(completion: @escaping @MainActor ((any Error)?) -> Void) {
    inBackground(completion) { try await self.waitForPendingWrites() }
  }

  /// Returns when every listener that has had its first state was offered that of the newest commit
  /// acknowledged before.
  public func waitForListeners() async throws { await (try engine()).waitForListeners() }

  /// Calls a closure on the main queue once now, and then after each round in which a listener of
  /// this database was offered an event.
  @discardableResult
  public func addSnapshotsInSyncListener(
    _ listener: @escaping @MainActor () -> Void
  ) -> any ListenerRegistration {
    let registration = InSyncListener(listener)
    onMain { registration.call() }
    if let engine = try? engine() {
      registration.attach(engine.onInSync { onMain { registration.call() } })
    }
    return registration
  }

  /// Runs something asynchronous for a caller that passed a closure; the closure comes on main.
  func inBackground(
    _ completion: (@MainActor ((any Error)?) -> Void)?,
    _ body: @escaping @Sendable () async throws -> Void
  ) {
    Runtime.system.spawn("hearth completion") {
      do {
        try await body()
        if let completion { onMain { completion(nil) } }
      } catch {
        if let completion { onMain { completion(error) } }
      }
    }
  }

  /// Runs something asynchronous for a caller that passed a closure for result and error.
  func inBackground<T: Sendable>(
    delivering completion: @escaping @MainActor (T?, (any Error)?) -> Void,
    _ body: @escaping @Sendable () async throws -> T
  ) {
    Runtime.system.spawn("hearth completion") {
      do {
        let value = try await body()
        onMain { completion(value, nil) }
      } catch {
        onMain { completion(nil, error) }
      }
    }
  }
}

/// Submitting writes.
extension Firestore {
  /// Submits writes nobody awaits.
  ///
  /// Their place in the order of commits is taken before this returns; a completion comes on the
  /// main queue, after the listeners' events of the commit.
  func submit(
    _ writes: Result<[Write], HearthError>,
    completion: (@MainActor ((any Error)?) -> Void)?
  ) {
    do throws(HearthError) {
      let writes = try writes.get()
      let engine = try engine()
      state.with { $0.pendingWrites += 1 }
      ExitDrain.register()
      engine.submit(writes) { result in
        self.state.with { $0.pendingWrites -= 1 }
        switch result {
        case .success: if let completion { onMain { completion(nil) } }
        case .failure(let error): Firestore.deliver(error, to: completion)
        }
      }
    } catch {
      Firestore.deliver(error, to: completion)
    }
  }

  private static func deliver(
    _ error: HearthError, to completion: (@MainActor ((any Error)?) -> Void)?
  ) {
    if let completion {
      onMain { completion(error) }
    } else if let handler = unhandledWriteErrorHandler {
      handler(error)
    } else {
      Hearth.log("a write that nobody awaits failed: \(error)")
    }
  }

  /// Commits writes and suspends until they are durable; queued before the first suspension.
  func commit(_ writes: Result<[Write], HearthError>) async throws -> CommitResult {
    let writes = try writes.get()
    return try await engine().commit(writes)
  }
}
