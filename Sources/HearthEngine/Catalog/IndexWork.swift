import HearthModel
import HearthStorage

/// Counts what is done about indexes in the background: reclaims, and what an earlier run of the
/// program left unfinished; and knows whose overrides are being changed.
final class IndexWork: Sendable {
  private struct State {
    var running = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// How many are at work on the overrides of a collection id.
    var changes: [UTF8String: Int] = [:]
    var changeWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  /// Starts a piece of work; its errors are those of a database that closes, and a restart goes on.
  func start(
    _ name: String, on runtime: Runtime, _ body: @escaping @Sendable () async throws -> Void
  ) {
    state.withLock { $0.running += 1 }
    runtime.spawn(name) { [self] in
      try? await body()
      let waiters = state.withLock { state in
        state.running -= 1
        if state.running > 0 { return [] as [CheckedContinuation<Void, Never>] }
        defer { state.waiters = [] }
        return state.waiters
      }
      waiters.forEach { $0.resume() }
    }
  }

  /// Suspends until nothing is under way.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state -> Bool in
        if state.running == 0 { return true }
        state.waiters.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  // MARK: Changes of overrides

  /// Notes that somebody is at work on the overrides of some collection ids.
  func beginChange(of ids: Set<UTF8String>) {
    state.withLock { state in
      for id in ids { state.changes[id, default: 0] += 1 }
    }
  }

  /// Notes that they have done, or given up.
  func endChange(of ids: Set<UTF8String>) {
    let waiters = state.withLock { state in
      for id in ids {
        let left = (state.changes[id] ?? 1) - 1
        state.changes[id] = left > 0 ? left : nil
      }
      // They look for themselves whether it was theirs.
      defer { state.changeWaiters = [] }
      return state.changeWaiters
    }
    waiters.forEach { $0.resume() }
  }

  /// Suspends until nobody is at work on the overrides of any of these.
  func waitForChanges(of ids: Set<UTF8String>) async {
    while isChanging(ids) {
      await withCheckedContinuation { continuation in
        let isIdle = state.withLock { state -> Bool in
          if ids.allSatisfy({ state.changes[$0] == nil }) { return true }
          state.changeWaiters.append(continuation)
          return false
        }
        if isIdle { continuation.resume() }
      }
    }
  }

  private func isChanging(_ ids: Set<UTF8String>) -> Bool {
    state.withLock { state in ids.contains { state.changes[$0] != nil } }
  }
}
