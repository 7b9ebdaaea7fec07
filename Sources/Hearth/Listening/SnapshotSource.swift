import Foundation
import HearthEngine
import HearthModel

/// The listener behind one iteration of a snapshot sequence.
///
/// It holds no events: the engine keeps the newest state and the difference from what was taken
/// last, so a slow consumer costs bounded memory and never stalls a commit.
final class SnapshotSource: Sendable {
  private struct State {
    var listener: Listener?
    var waiter: CheckedContinuation<Void, Never>?
    /// The engine has said that an event can be taken since we looked last.
    var isSignaled = false
    var isEnded = false
    /// Delivered instead of events: what was wrong before listening began.
    var failure: HearthError?
  }

  private let database: Firestore
  private let target: Result<ListenTarget, HearthError>
  private let state = Locked(State())

  init(_ database: Firestore, _ target: Result<ListenTarget, HearthError>) {
    self.database = database
    self.target = target
    do throws(HearthError) {
      let target = try target.get()
      let engine = try database.engine()
      database.state.with { $0.sources[ObjectIdentifier(self)] = WeakSource(self) }
      if database.hasPendingWrites {
        engine.options.runtime.spawn("hearth listener") { [weak self] in
          await engine.waitForSubmittedWrites()
          self?.attach(engine, target)
        }
      } else {
        attach(engine, target)
      }
    } catch {
      state.with { $0.failure = error }
    }
  }

  private func attach(_ engine: Engine, _ target: ListenTarget) {
    state.with { state in
      if state.isEnded { return }
      // Weak: the engine keeps the closure, and an abandoned iterator must end its listener.
      state.listener = engine.listen(target) { [weak self] in self?.signal() }
    }
  }

  private func signal() {
    let waiter = state.with { state in
      state.isSignaled = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Ends the listener and wakes who waits for its next event.
  func end() {
    let (listener, waiter) = state.with { state in
      state.isEnded = true
      defer {
        state.listener = nil
        state.waiter = nil
      }
      return (state.listener, state.waiter)
    }
    listener?.remove()
    waiter?.resume()
    database.state.with { $0.sources[ObjectIdentifier(self)] = nil }
  }

  /// The next event; nil once ended, by an error, by cancellation or by terminating.
  func next() async throws -> ListenerSnapshot? {
    try await withTaskCancellationHandler {
      while true {
        if Task.isCancelled { end() }
        let (listener, failure, isEnded) = state.with { state in
          defer { state.failure = nil }
          return (state.listener, state.failure, state.isEnded)
        }
        if isEnded { return nil }
        if let failure {
          end()
          throw failure
        }
        switch listener?.take() {
        case .snapshot(let snapshot)?: return snapshot
        case .failure(let error)?:
          end()
          throw error
        case nil: await wait()
        }
      }
    } onCancel: {
      end()
    }
  }

  private func wait() async {
    await withCheckedContinuation { continuation in
      let resumesNow = state.with { state in
        if state.isSignaled || state.isEnded {
          state.isSignaled = false
          return true
        }
        state.waiter = continuation
        return false
      }
      if resumesNow { continuation.resume() }
    }
  }

  deinit { end() }
}

/// Finds a source without keeping it.
struct WeakSource: Sendable {
  weak let source: SnapshotSource?
  init(_ source: SnapshotSource) { self.source = source }
}
