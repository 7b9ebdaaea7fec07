import HearthStorage

/// Counts what is done about indexes in the background: reclaims, and what an earlier run of the
/// program left unfinished.
final class IndexWork: Sendable {
  private struct State {
    var running = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
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
}
