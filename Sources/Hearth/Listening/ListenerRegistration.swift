import Foundation
import HearthEngine
import HearthModel

/// A listener that can be removed.
///
/// Dropping the object does not remove the listener.
public protocol ListenerRegistration: AnyObject, Sendable {
  /// Ends the listener: no call starts after this returns. May be called from anywhere, from the
  /// listener's own closure too, and any number of times.
  func remove()
}

/// How a listener wants to listen; accepted, nothing of it varies.
public struct SnapshotListenOptions: Sendable, Hashable {
  /// Whether metadata changes are wanted; there are none.
  public private(set) var includeMetadataChanges = false
  /// Where data comes from; always the database.
  public private(set) var source = ListenSource.default

  /// Makes the default options.
  public init() {}

  /// The same options with or without metadata changes.
  public func withIncludeMetadataChanges(_ include: Bool) -> SnapshotListenOptions {
    var copy = self
    copy.includeMetadataChanges = include
    return copy
  }

  /// The same options with another source.
  public func withSource(_ source: ListenSource) -> SnapshotListenOptions {
    var copy = self
    copy.source = source
    return copy
  }
}

/// Where a listener's data comes from; always the database.
public enum ListenSource: UInt, Sendable {
  /// The database.
  case `default`
  /// The database.
  case cache
}

/// A listener that calls a closure on a queue.
final class ClosureListener: ListenerRegistration {
  private struct State {
    var listener: Listener?
    var isRemoved = false
  }

  private let state = Locked(State())
  private let queue: DispatchQueue
  private let deliver: @Sendable (ListenerEvent) -> Void

  init(on queue: DispatchQueue, _ deliver: @escaping @Sendable (ListenerEvent) -> Void) {
    self.queue = queue
    self.deliver = deliver
  }

  /// Begins to listen; an error that is known before comes as the only event.
  func start(_ database: Firestore, _ target: Result<ListenTarget, HearthError>) {
    do throws(HearthError) {
      let target = try target.get()
      let engine = try database.engine()
      guard database.hasPendingWrites else { return attach(engine, target) }
      // The first snapshot must show writes submitted before, also those nobody awaits.
      engine.options.runtime.spawn("hearth listener") {
        await engine.waitForSubmittedWrites()
        self.attach(engine, target)
      }
    } catch {
      queue.async { [self] in
        if !state.with({ $0.isRemoved }) { deliver(.failure(error)) }
      }
    }
  }

  private func attach(_ engine: Engine, _ target: ListenTarget) {
    // The lock is held over the registration, so that an event finds the listener in place.
    state.with { state in
      if state.isRemoved { return }
      state.listener = engine.listen(target) { self.queue.async { self.takeAndDeliver() } }
    }
  }

  private func takeAndDeliver() {
    guard let listener = state.with({ $0.isRemoved ? nil : $0.listener }) else { return }
    if let event = listener.take() { deliver(event) }
  }

  func remove() {
    let listener = state.with { state -> Listener? in
      state.isRemoved = true
      defer { state.listener = nil }
      return state.listener
    }
    listener?.remove()
  }
}

/// A closure that is called after each round of events.
final class InSyncListener: ListenerRegistration {
  private struct State {
    var registration: InSyncRegistration?
    var isRemoved = false
  }

  private let state = Locked(State())
  private let closure: @MainActor () -> Void

  init(_ closure: @escaping @MainActor () -> Void) { self.closure = closure }

  @MainActor func call() {
    if !state.with({ $0.isRemoved }) { closure() }
  }

  func attach(_ registration: InSyncRegistration) {
    let isLate = state.with { state in
      state.registration = registration
      return state.isRemoved
    }
    if isLate { registration.remove() }
  }

  func remove() {
    let registration = state.with { state -> InSyncRegistration? in
      state.isRemoved = true
      defer { state.registration = nil }
      return state.registration
    }
    registration?.remove()
  }
}

extension Firestore {
  /// Whether writes that nobody awaits are still on their way.
  var hasPendingWrites: Bool { state.with { $0.pendingWrites > 0 } }
}
