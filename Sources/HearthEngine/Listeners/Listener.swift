import HearthModel
import HearthStorage

/// One registration: the state last delivered, and at most one that waits to be taken.
///
/// A slow consumer costs one pending state and never stalls a commit; what it takes next is the
/// newest state, with the difference from what it took last.
package final class Listener: Sendable {
  private struct State {
    var delivered: ViewSnapshot?
    var pending: ViewSnapshot?
    var failure: HearthError?
    var isEnded = false
    var isSignalled = false
  }

  let target: ListenTarget
  private let state = Lock(State())
  private let onReady: @Sendable () -> Void
  private let onRemove: @Sendable (Listener) -> Void
  /// Orders keys as the listener's user sees them.
  private let order: (@Sendable (SortKey, SortKey) -> Int)

  init(
    target: ListenTarget, order: @escaping @Sendable (SortKey, SortKey) -> Int,
    onReady: @escaping @Sendable () -> Void, onRemove: @escaping @Sendable (Listener) -> Void
  ) {
    self.target = target
    self.order = order
    self.onReady = onReady
    self.onRemove = onRemove
  }

  /// The next event: the newest state against the one taken last.
  ///
  /// Nil if there is none.
  package func take() -> ListenerEvent? {
    enum Taken {
      case nothing
      case failure(HearthError)
      case states(old: ViewSnapshot?, new: ViewSnapshot)
    }
    let taken = state.withLock { state -> Taken in
      state.isSignalled = false
      if let pending = state.pending {
        let old = state.delivered
        state.delivered = pending
        state.pending = nil
        // A failure behind a state is the next event.
        if state.failure != nil { state.isSignalled = true }
        return .states(old: old, new: pending)
      }
      if let failure = HearthEngine.take(&state.failure) { return .failure(failure) }
      return .nothing
    }
    switch taken {
    case .nothing: return nil
    case .failure(let error): return .failure(error)
    case .states(let old, let new):
      if hasFailure { onReady() }
      let changes = ChangeList.changes(
        from: old?.entries ?? [], to: new.entries, compare: order)
      // What changed and changed back between two deliveries is no event.
      if old != nil && changes.isEmpty { return take() }
      do {
        return .snapshot(
          ListenerSnapshot(
            version: new.version,
            documents: try new.entries.map { try $0.document.projected(to: target.projection) },
            changes: try changes.map { try $0.projected(to: target.projection) },
            explanation: new.explanation))
      } catch {
        return .failure(HearthError.wrapping(error))
      }
    }
  }

  private var hasFailure: Bool { state.withLock { $0.failure != nil } }

  /// Ends the listener; no event follows.
  ///
  /// Idempotent, callable from anywhere.
  package func remove() {
    let wasEnded = state.withLock { state in
      defer {
        state.isEnded = true
        state.pending = nil
        state.failure = nil
      }
      return state.isEnded
    }
    if !wasEnded { onRemove(self) }
  }

  /// Whether `remove`, an error or closing has ended it.
  package var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Offers a newer state.
  func offer(_ snapshot: ViewSnapshot) {
    let signal = state.withLock { state -> Bool in
      if state.isEnded { return false }
      state.pending = snapshot
      defer { state.isSignalled = true }
      return !state.isSignalled
    }
    if signal { onReady() }
  }

  /// Ends the listener with an error, its last event.
  func fail(_ error: HearthError) {
    let signal = state.withLock { state -> Bool? in
      if state.isEnded { return nil }
      state.isEnded = true
      state.failure = error
      defer { state.isSignalled = true }
      return !state.isSignalled
    }
    guard let signal else { return }
    onRemove(self)
    if signal { onReady() }
  }
}
