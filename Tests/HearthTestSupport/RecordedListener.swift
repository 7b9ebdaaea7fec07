import HearthEngine
import HearthModel
import HearthStorage

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
