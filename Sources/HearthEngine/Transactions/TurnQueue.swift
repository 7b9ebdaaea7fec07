package import HearthModel
import HearthStorage

/// Turns of transactions on contended documents (transactions-and-listeners, 7.6): a struct that
/// takes events and returns actions.
///
/// Empty while nothing contends.
///
/// A claim takes its documents one by one in name order and waits first-come-first-served at
/// each; since everybody takes them in the same order there is no deadlock. The lease runs from
/// the moment a claim has all its documents.
package struct TurnState {
  package typealias Owner = CommitRequest.Owner

  package enum Action: Equatable {
    /// The owner holds all documents of its claim.
    case granted(Owner)
  }

  private struct Claim {
    var documents: [DocumentPath]
    /// How many of them, from the start, are held.
    var held = 0
    /// Set when all are held.
    var deadline: UInt64?
  }

  private struct Lane {
    var holder: Owner
    var waiting: [Owner] = []
  }

  private var claims: [Owner: Claim] = [:]
  private var lanes: [DocumentPath: Lane] = [:]
  private let lease: UInt64

  package init(leaseNanoseconds: UInt64) { lease = leaseNanoseconds }

  package var isEmpty: Bool { claims.isEmpty }

  /// The earliest deadline of a lease.
  package var nextDeadline: UInt64? { claims.values.compactMap(\.deadline).min() }

  /// Claims documents; the grant comes as an action, at once or later.
  package mutating func claim(_ documents: [DocumentPath], for owner: Owner, now: UInt64)
    -> [Action]
  {
    var actions = release(owner, now: now)
    claims[owner] = Claim(documents: Array(Set(documents)).sorted())
    actions += advance(owner, now: now)
    return actions
  }

  /// Gives up what is held and waited for.
  package mutating func release(_ owner: Owner, now: UInt64) -> [Action] {
    guard let claim = claims.removeValue(forKey: owner) else { return [] }
    var next: [Owner] = []
    for (position, document) in claim.documents.enumerated() {
      guard var lane = lanes[document] else { continue }
      if position < claim.held {
        if lane.waiting.isEmpty {
          lanes[document] = nil
        } else {
          lane.holder = lane.waiting.removeFirst()
          claims[lane.holder]?.held += 1
          next.append(lane.holder)
          lanes[document] = lane
        }
      } else {
        lane.waiting.removeAll { $0 == owner }
        lanes[document] = lane
      }
    }
    return next.flatMap { advance($0, now: now) }
  }

  /// Takes rights away whose lease has ended.
  ///
  /// Their owners go on without them.
  package mutating func expire(
    now: UInt64, _ told: (Owner) -> Void = { _ in }
  ) -> [Action] {
    let expired = claims.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys
      .sorted { $0.number < $1.number }
    expired.forEach(told)
    return expired.flatMap { release($0, now: now) }
  }

  /// Whether a claim of the owner's has all its documents.
  package func holds(_ owner: Owner) -> Bool { claims[owner]?.deadline != nil }

  /// Which of the documents are another owner's turn, so that `owner` may not commit to them.
  package func refusals(_ owner: Owner, _ documents: [DocumentPath]) -> [DocumentPath] {
    if lanes.isEmpty { return [] }
    return documents.filter { document in
      lanes[document].map { $0.holder != owner } ?? false
    }
  }

  private mutating func advance(_ owner: Owner, now: UInt64) -> [Action] {
    guard var claim = claims[owner], claim.deadline == nil else { return [] }
    while claim.held < claim.documents.count {
      let document = claim.documents[claim.held]
      if lanes[document] != nil {
        if lanes[document]?.holder == owner {
          claim.held += 1
          continue
        }
        lanes[document]?.waiting.append(owner)
        claims[owner] = claim
        return []
      }
      lanes[document] = Lane(holder: owner)
      claim.held += 1
    }
    claim.deadline = now + lease
    claims[owner] = claim
    return [.granted(owner)]
  }
}

/// The turn queue as tasks use it.
final class TurnQueue: Sendable {
  private struct Box {
    var state: TurnState
    var waiters: [TurnState.Owner: CheckedContinuation<Bool, Never>] = [:]
    var isSweeping = false
  }

  private let box: Lock<Box>
  private let runtime: Runtime
  private let counters: EngineCounters

  init(leaseNanoseconds: UInt64, runtime: Runtime, counters: EngineCounters) {
    box = Lock(Box(state: TurnState(leaseNanoseconds: leaseNanoseconds)))
    self.runtime = runtime
    self.counters = counters
  }

  enum Acquired { case cancelled, atOnce, afterWaiting }

  /// Waits for the turn on all documents.
  func acquire(_ documents: [DocumentPath], for owner: TurnState.Owner) async -> Acquired {
    let atOnce = Lock(false)
    let granted = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let now = runtime.monotonicNanoseconds()
        perform { box in
          if Task.isCancelled {
            continuation.resume(returning: false)
            return []
          }
          box.waiters[owner] = continuation
          let actions = box.state.claim(documents, for: owner, now: now)
          atOnce.withLock { $0 = actions.contains(.granted(owner)) }
          return actions
        }
      }
    } onCancel: {
      let now = runtime.monotonicNanoseconds()
      var waiter: CheckedContinuation<Bool, Never>?
      perform { box in
        waiter = box.waiters.removeValue(forKey: owner)
        return waiter == nil ? [] : box.state.release(owner, now: now)
      }
      waiter?.resume(returning: false)
    }
    guard granted else { return .cancelled }
    sweep()
    return atOnce.withLock { $0 } ? .atOnce : .afterWaiting
  }

  func release(_ owner: TurnState.Owner) {
    if box.withLock({ $0.state.isEmpty }) { return }
    let now = runtime.monotonicNanoseconds()
    perform { $0.state.release(owner, now: now) }
  }

  /// Whether the owner holds turns.
  func holds(_ owner: TurnState.Owner) -> Bool { box.withLock { $0.state.holds(owner) } }

  /// Hands the owner's turns on: its commit is applied, though not on disk yet.
  ///
  /// `next` is told who gets them, before they go on.
  func handOn(_ owner: TurnState.Owner, next: ([TurnState.Owner]) -> Void) {
    if box.withLock({ $0.state.isEmpty }) { return }
    let now = runtime.monotonicNanoseconds()
    perform(next) { $0.state.release(owner, now: now) }
  }

  func refusals(_ owner: TurnState.Owner, _ documents: [DocumentPath]) -> [DocumentPath] {
    box.withLock { $0.state.refusals(owner, documents) }
  }

  /// Runs an event and resumes those it granted, after `announce` was told of them.
  private func perform(
    _ announce: ([TurnState.Owner]) -> Void = { _ in },
    _ event: (inout Box) -> [TurnState.Action]
  ) {
    let ready = box.withLock { box -> [(TurnState.Owner, CheckedContinuation<Bool, Never>)] in
      event(&box).compactMap { action in
        switch action {
        case .granted(let owner): box.waiters.removeValue(forKey: owner).map { (owner, $0) }
        }
      }
    }
    if ready.isEmpty { return }
    announce(ready.map(\.0))
    ready.forEach { $0.1.resume(returning: true) }
  }

  /// One task watches the leases while there are any.
  private func sweep() {
    let start = box.withLock { box -> Bool in
      if box.isSweeping { return false }
      box.isSweeping = true
      return true
    }
    guard start else { return }
    runtime.spawn("hearth.turns") { [self] in
      while true {
        let now = runtime.monotonicNanoseconds()
        perform { $0.state.expire(now: now, counters.countExpired) }
        let wait = box.withLock { box -> UInt64? in
          if box.state.isEmpty {
            box.isSweeping = false
            return nil
          }
          // Claims that still wait have no deadline yet; look again soon.
          return box.state.nextDeadline.map { $0 > now ? $0 - now : 0 } ?? 10_000_000
        }
        guard let wait else { return }
        do {
          try await runtime.sleep(max(wait, 1_000_000))
        } catch {
          box.withLock { $0.isSweeping = false }
          return
        }
      }
    }
  }
}
