import HearthModel
import HearthStorage

/// What waits for the committer, and who may pass: a struct, so that its decisions can be tested
/// without threads.
package struct IntakeState {
  /// What the committer is to do next.
  package enum Instruction {
    case group([CommitRequest])
    case maintenance(MaintenanceRequest)
    case stop
  }

  private var queue: [CommitRequest] = []
  private var maintenance: [MaintenanceRequest] = []
  private var gateQueue: [CommitRequest.Owner] = []
  package private(set) var gateHolder: CommitRequest.Owner?
  /// Counts grants, so that the end of one lease is not taken for the end of a later one.
  package private(set) var gateGrants = 0
  /// After each use of the gate at least one ordinary group runs before the next holder.
  private var owesOrdinaryGroup = false
  package private(set) var isStopped = false
  package private(set) var queuedBytes = 0
  package private(set) var mostQueued = 0

  /// Sequence numbers of submitted writes, for readers that must see their own.
  private var nextSequence: UInt64 = 0
  private var firstPending: UInt64 = 0
  private var completedEarly: Set<UInt64> = []

  package init() {}

  package var queuedCount: Int { queue.count }

  /// Adds a request; nil once stopped.
  package mutating func add(_ request: CommitRequest) -> Bool {
    guard !isStopped else { return false }
    queue.append(request)
    queuedBytes += request.byteCount
    mostQueued = max(mostQueued, queue.count)
    return true
  }

  package mutating func add(_ request: MaintenanceRequest) -> Bool {
    guard !isStopped else { return false }
    maintenance.append(request)
    return true
  }

  package mutating func stop() { isStopped = true }

  // MARK: The gate (transactions-and-listeners, 7.6)

  package mutating func requestGate(_ owner: CommitRequest.Owner) { gateQueue.append(owner) }

  /// Gives the gate back, or the place in its queue.
  package mutating func releaseGate(_ owner: CommitRequest.Owner) {
    gateQueue.removeAll { $0 == owner }
    if gateHolder == owner {
      gateHolder = nil
      owesOrdinaryGroup = true
    }
  }

  /// At a group boundary: who gets the gate now.
  package mutating func grantGate() -> CommitRequest.Owner? {
    guard gateHolder == nil, let first = gateQueue.first else { return nil }
    if owesOrdinaryGroup && !queue.isEmpty { return nil }
    owesOrdinaryGroup = false
    gateQueue.removeFirst()
    gateHolder = first
    gateGrants += 1
    return first
  }

  // MARK: Taking

  /// What to do next; nil to wait.
  package mutating func next(limit: Int, byteLimit: Int) -> Instruction? {
    if gateHolder == nil, !maintenance.isEmpty { return .maintenance(maintenance.removeFirst()) }
    let taken = take(limit: limit, byteLimit: byteLimit)
    if !taken.isEmpty { return .group(taken) }
    if isStopped && queue.isEmpty && maintenance.isEmpty { return .stop }
    return nil
  }

  /// Requests that may enter the open group, oldest first.
  package mutating func take(limit: Int, byteLimit: Int) -> [CommitRequest] {
    var taken: [CommitRequest] = []
    var bytes = 0
    func fits(_ request: CommitRequest) -> Bool {
      taken.count < limit && (taken.isEmpty || bytes + request.byteCount <= byteLimit)
    }
    if let holder = gateHolder {
      var kept: [CommitRequest] = []
      for request in queue {
        if fits(request), request.owner == holder || request.passesGate {
          taken.append(request)
          bytes += request.byteCount
        } else {
          kept.append(request)
        }
      }
      queue = kept
    } else {
      for request in queue {
        guard fits(request) else { break }
        taken.append(request)
        bytes += request.byteCount
      }
      queue.removeFirst(taken.count)
      if !taken.isEmpty { owesOrdinaryGroup = false }
    }
    queuedBytes -= bytes
    return taken
  }

  // MARK: Own reads (Swift API, 3.3)

  package mutating func beginWrite() -> UInt64 {
    defer { nextSequence += 1 }
    return nextSequence
  }

  package mutating func completeWrite(_ sequence: UInt64) {
    if sequence != firstPending {
      completedEarly.insert(sequence)
      return
    }
    firstPending += 1
    while completedEarly.remove(firstPending) != nil { firstPending += 1 }
  }

  /// The sequence that has to be reached for every write submitted so far to be applied; nil if
  /// it is already.
  package var pendingTarget: UInt64? { firstPending == nextSequence ? nil : nextSequence }

  package func hasReached(_ target: UInt64) -> Bool { firstPending >= target }
}

/// The mailbox of the committer: submitting is synchronous and keeps program order.
final class Intake: Sendable {
  private struct Box {
    var state = IntakeState()
    var committer: CheckedContinuation<Void, Never>?
    var gateWaiters: [CommitRequest.Owner: CheckedContinuation<Bool, Never>] = [:]
    /// Whether the committer is at work on a group.
    var isGroupOpen = false
    var boundaryWaiters: [CheckedContinuation<Void, Never>] = []
    /// Who got a turn from the open group and has not committed or given up yet.
    var successors: Set<CommitRequest.Owner> = []
    /// Counts requests, and groups that wait for successors.
    var submitted: UInt64 = 0
    var lingers: UInt64 = 0
    var isLingering = false
    var reads: UInt64 = 0
    var readers: [(target: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private static let readsBetweenYields: UInt64 = 32
  static let groupLimit = 512
  static let groupBytes = 8 << 20
  private static let countLimit = 200_000
  private static let byteLimit = 128 << 20

  private let box = Lock(Box())

  /// Adds a request.
  ///
  /// A refusal (overload, closed) is the result; the request is then the caller's to answer.
  func submit(_ request: CommitRequest) -> HearthError? {
    enum Refusal { case closed, full }
    let (refusal, wake) = box.withLock { box -> (Refusal?, CheckedContinuation<Void, Never>?) in
      if box.state.queuedCount >= Intake.countLimit || box.state.queuedBytes >= Intake.byteLimit {
        return (.full, nil)
      }
      var request = request
      box.submitted &+= 1
      if let owner = request.owner { box.successors.remove(owner) }
      if case .blind = request.kind {
        let sequence = box.state.beginWrite()
        let reply = request.reply
        request.reply = { [weak self] outcome in
          self?.complete(sequence)
          reply(outcome)
        }
        if !box.state.add(request) {
          box.state.completeWrite(sequence)
          return (.closed, nil)
        }
      } else if !box.state.add(request) {
        return (.closed, nil)
      }
      return (nil, take(&box.committer))
    }
    wake?.resume()
    let error: HearthError
    switch refusal {
    case nil: return nil
    case .closed: error = .closed
    case .full:
      error = HearthError(
        .resourceExhausted, "INTAKE_FULL",
        "Too many writes wait for the disk; await earlier writes before submitting more.")
    }
    return error
  }

  func submit(_ request: MaintenanceRequest) {
    let (added, wake) = box.withLock { box in
      (box.state.add(request), take(&box.committer))
    }
    wake?.resume()
    if !added { request.reply(.failure(.closed)) }
  }

  /// How many requests wait now, and waited at most.
  var depth: (now: Int, most: Int) { box.withLock { ($0.state.queuedCount, $0.state.mostQueued) } }

  /// No more requests; the committer stops when it has done those that wait.
  func stop() {
    let (wake, gates) = box.withLock { box in
      box.state.stop()
      let gates = Array(box.gateWaiters.values)
      box.gateWaiters = [:]
      return (take(&box.committer), gates)
    }
    gates.forEach { $0.resume(returning: false) }
    wake?.resume()
  }

  // MARK: The committer's side

  /// The next thing to do; suspends while there is none.
  ///
  /// Called between groups, so the gate is granted here.
  func next() async -> IntakeState.Instruction {
    while true {
      let (instruction, waiters) = box.withLock { box in
        grant(&box)
        let next = box.state.next(limit: Intake.groupLimit, byteLimit: Intake.groupBytes)
        if case .group? = next { box.isGroupOpen = true } else { box.isGroupOpen = false }
        defer { box.boundaryWaiters = [] }
        return (next, box.boundaryWaiters)
      }
      waiters.forEach { $0.resume() }
      if let instruction { return instruction }
      await withCheckedContinuation { continuation in
        let ready = box.withLock { box -> Bool in
          grant(&box)
          if box.state.hasWork { return true }
          box.committer = continuation
          return false
        }
        if ready { continuation.resume() }
      }
    }
  }

  /// More for the open group, without waiting.
  func takeMore(limit: Int, byteLimit: Int) -> [CommitRequest] {
    if limit <= 0 || byteLimit <= 0 { return [] }
    return box.withLock { $0.state.take(limit: limit, byteLimit: byteLimit) }
  }

  // MARK: Waiting for successors (transactions-and-listeners, 7.7)

  /// Who got a turn from the open group is expected to commit in it.
  ///
  /// Gives the number of the wait if this begins it.
  func expect(_ owners: [CommitRequest.Owner]) -> UInt64? {
    box.withLock { box in
      box.successors.formUnion(owners)
      if box.isLingering { return nil }
      box.isLingering = true
      box.lingers &+= 1
      return box.lingers
    }
  }

  /// An expected owner will not commit now.
  func withdraw(_ owner: CommitRequest.Owner) {
    let wake = box.withLock { box -> CheckedContinuation<Void, Never>? in
      guard box.successors.remove(owner) != nil, box.successors.isEmpty, box.isLingering else {
        return nil
      }
      return take(&box.committer)
    }
    wake?.resume()
  }

  /// How many requests were submitted, nil once the wait is over.
  func progress(of linger: UInt64) -> UInt64? {
    box.withLock { $0.isLingering && $0.lingers == linger ? $0.submitted : nil }
  }

  /// Ends a wait: the group is closed without those who dawdle.
  func endLinger(_ linger: UInt64? = nil) {
    let wake = box.withLock { box -> CheckedContinuation<Void, Never>? in
      guard box.isLingering, linger.map({ $0 == box.lingers }) ?? true else { return nil }
      box.isLingering = false
      box.successors = []
      return take(&box.committer)
    }
    wake?.resume()
  }

  /// Suspends the committer until a request comes, all successors have answered or given up, or
  /// the wait is ended; whether it may wait again.
  func waitForSuccessors() async -> Bool {
    func goesOn(_ box: Box) -> Bool {
      box.isLingering && !box.successors.isEmpty && !box.state.isStopped
    }
    await withCheckedContinuation { continuation in
      let ready = box.withLock { box -> Bool in
        if !goesOn(box) || box.state.hasRequests { return true }
        box.committer = continuation
        return false
      }
      if ready { continuation.resume() }
    }
    return box.withLock { goesOn($0) || $0.state.hasRequests }
  }

  /// Suspends until what the open group has taken so far is visible; returns at once between
  /// groups.
  func waitForOpenGroup() async {
    guard box.withLock({ $0.isGroupOpen }) else { return }
    await withCheckedContinuation { continuation in
      let done = box.withLock { box -> Bool in
        if !box.isGroupOpen { return true }
        box.boundaryWaiters.append(continuation)
        return false
      }
      if done { continuation.resume() }
    }
  }

  private func grant(_ box: inout Box) {
    guard let owner = box.state.grantGate() else { return }
    if let waiter = box.gateWaiters.removeValue(forKey: owner) {
      waiter.resume(returning: true)
    } else {
      box.state.releaseGate(owner)
    }
  }

  // MARK: The gate

  /// Waits for the gate; false if cancelled or closed.
  func acquireGate(_ owner: CommitRequest.Owner) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (refused, wake) = box.withLock { box -> (Bool, CheckedContinuation<Void, Never>?) in
          if box.state.isStopped || Task.isCancelled { return (true, nil) }
          box.state.requestGate(owner)
          box.gateWaiters[owner] = continuation
          return (false, take(&box.committer))
        }
        if refused { continuation.resume(returning: false) }
        wake?.resume()
      }
    } onCancel: {
      let waiter = box.withLock { box -> CheckedContinuation<Bool, Never>? in
        guard let waiter = box.gateWaiters.removeValue(forKey: owner) else { return nil }
        box.state.releaseGate(owner)
        return waiter
      }
      waiter?.resume(returning: false)
    }
  }

  func releaseGate(_ owner: CommitRequest.Owner) {
    let wake = box.withLock { box in
      box.state.releaseGate(owner)
      return take(&box.committer)
    }
    wake?.resume()
  }

  /// The number of the grant under which the owner holds the gate, nil if it does not.
  func gateGrant(of owner: CommitRequest.Owner) -> Int? {
    box.withLock { $0.state.gateHolder == owner ? $0.state.gateGrants : nil }
  }

  func holdsGate(_ owner: CommitRequest.Owner) -> Bool {
    box.withLock { $0.state.gateHolder == owner }
  }

  // MARK: Own reads

  private func complete(_ sequence: UInt64) {
    let ready = box.withLock { box -> [CheckedContinuation<Void, Never>] in
      box.state.completeWrite(sequence)
      if box.readers.isEmpty { return [] }
      let ready = box.readers.filter { box.state.hasReached($0.target) }.map(\.continuation)
      box.readers.removeAll { box.state.hasReached($0.target) }
      return ready
    }
    ready.forEach { $0.resume() }
  }

  /// Suspends until every write submitted so far is visible; returns at once if there is none.
  func waitForSubmittedWrites() async {
    let (isPending, yields) = box.withLock { box in
      box.reads &+= 1
      return (box.state.pendingTarget != nil, box.reads % Intake.readsBetweenYields == 0)
    }
    guard isPending else {
      // A read suspends nowhere, so tasks that only read would keep the few threads that run
      // Swift's tasks to themselves.
      if yields { await Task.yield() }
      return
    }
    await withCheckedContinuation { continuation in
      let done = box.withLock { box -> Bool in
        guard let target = box.state.pendingTarget else { return true }
        box.readers.append((target, continuation))
        return false
      }
      if done { continuation.resume() }
    }
  }
}

extension IntakeState {
  /// Whether `next` would give something.
  package var hasWork: Bool {
    if gateHolder == nil && (!maintenanceIsEmpty || isStopped) { return true }
    return hasRequests
  }

  /// Whether `take` would give something.
  package var hasRequests: Bool {
    guard let holder = gateHolder else { return queuedCount > 0 }
    return anyQueued { $0.owner == holder || $0.passesGate }
  }

  private var maintenanceIsEmpty: Bool { maintenance.isEmpty }

  private func anyQueued(_ test: (CommitRequest) -> Bool) -> Bool { queue.contains(where: test) }
}

extension HearthError {
  /// What every call gets after closing.
  static var closed: HearthError {
    HearthError(
      .failedPrecondition, "DATABASE_CLOSED",
      "The database was closed (the client is terminated); open it again.")
  }
}

/// Empties a place and gives what it held.
func take<T>(_ place: inout T?) -> T? {
  defer { place = nil }
  return place
}
