import HearthModel
import HearthStorage

/// The one writer: takes what waits, commits it as a group with one flush, then answers all.
///
/// An actor on the writer's executor; its decisions are `CommitGroup` and `IntakeState`. It runs
/// no user code and waits for nothing but the intake.
actor Committer {
  private let parts: EngineParts
  private let environment: Environment
  private let reader: RecordReader
  private let intake: Intake
  private let turns: TurnQueue
  private let publisher: Publisher
  private let runtime: Runtime
  private let counters: EngineCounters
  private let rangeReaders: RangeReaders
  private let executor: any SerialExecutor
  private var head: CommitVersion
  /// The newest version that a group which failed had given out.
  private var floor = CommitVersion.zero
  private var log = CommitLog()
  private var room = Room()
  private var lastReaderCheck: UInt64

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ parts: EngineParts, head: CommitVersion, executor: any SerialExecutor) {
    self.parts = parts
    environment = parts.environment
    reader = parts.reader
    intake = parts.intake
    turns = parts.turns
    publisher = parts.publisher
    runtime = parts.runtime
    counters = parts.counters
    rangeReaders = parts.rangeReaders
    self.executor = executor
    self.head = head
    lastReaderCheck = parts.runtime.monotonicNanoseconds()
  }

  /// Works until the intake stops and is empty.
  func run() async {
    while true {
      switch await intake.next() {
      case .group(let requests): await commit(requests, isOpen: true)
      case .maintenance(let request): maintain(request)
      case .stop: return
      }
    }
  }

  /// A tool that looked into the database and was killed leaves a reader that pins old pages
  /// (LM-23).
  private func checkReaders() {
    let now = runtime.monotonicNanoseconds()
    guard now - lastReaderCheck > 60_000_000_000 else { return }
    lastReaderCheck = now
    _ = try? environment.checkReaders()
  }

  private typealias Answer = (CommitRequest, Result<CommitResult, CommitFailure>)

  /// What the open group has come to.
  private struct Open {
    var group: CommitGroup
    /// What is told when the group is on disk.
    var answers: [Answer] = []
    /// Whether others may look into the group.
    var isShown = false
  }

  private func commit(_ first: [CommitRequest], isOpen: Bool) async {
    checkReaders()
    room.look(environment)
    if rangeReaders.isActive { log.start(at: head) } else { log.stop() }
    var current = Open(
      group: CommitGroup(reader: reader, catalog: reader.catalog, base: head, floor: floor))
    let opened = runtime.monotonicNanoseconds()
    do {
      var waiting = first
      while !waiting.isEmpty {
        try evaluate(waiting, &current, mayHandOn: isOpen)
        waiting = isOpen ? await more(current, opened) : []
      }
      intake.endLinger()
      if !current.group.isEmpty { try write(&current.group) }
      parts.openGroup.end(committed: true)
      succeed(current.group, current.answers)
    } catch {
      intake.endLinger()
      // What the group gave out is dead, and must never be taken for something else.
      floor = max(floor, current.group.version)
      // Where it may be on disk after all, readers must find what was there before it.
      if (error as? StorageError)?.kind != .outcomeUnknown { parts.history.takeBack(after: head) }
      parts.openGroup.end(committed: false)
      await fail(current.answers.map(\.0), error)
    }
  }

  /// Requests that join the open group: what is there already, and what successors still send.
  ///
  /// No artificial delay for anybody else.
  private func more(_ current: Open, _ opened: UInt64) async -> [CommitRequest] {
    while true {
      if runtime.monotonicNanoseconds() - opened > Committer.longestGroup { return [] }
      let taken = intake.takeMore(
        limit: Intake.groupLimit - current.answers.count,
        byteLimit: Intake.groupBytes - current.group.byteCount)
      if !taken.isEmpty { return taken }
      guard current.answers.count < Intake.groupLimit, await intake.waitForSuccessors() else {
        return []
      }
    }
  }

  /// How long a group stays open at most, and how long for one that does not come.
  private static let longestGroup: UInt64 = 4_000_000
  private static let longestPause: UInt64 = 500_000

  /// Decides about requests against the storage and what the group holds so far.
  ///
  /// Nothing is written before the group is closed, so no storage transaction outlives this.
  private func evaluate(
    _ requests: [CommitRequest], _ current: inout Open, mayHandOn: Bool
  ) throws {
    var refused: [Answer] = []
    var undecided = requests[...]
    do {
      try environment.read { transaction in
        while let request = undecided.first {
          let outcome = try decide(request, &current.group, transaction)
          undecided.removeFirst()
          if case .failure(.conflict) = outcome {
            // Whether or not the group gets to the disk: who lost may queue up at once.
            refused.append((request, outcome))
            continue
          }
          current.answers.append((request, outcome))
          if mayHandOn, case .success = outcome { show(request, &current) }
        }
      }
    } catch {
      // The group is given up; those not looked at or not answered belong to it as well, also if
      // the snapshot could not be opened at all.
      let failure = CommitFailure.error(HearthError.wrapping(error))
      current.answers += refused + undecided.map { ($0, .failure(failure)) }
      throw error
    }
    for (request, outcome) in refused { request.reply(outcome) }
  }

  private func decide(
    _ request: CommitRequest, _ group: inout CommitGroup, _ transaction: borrowing ReadTransaction
  ) throws -> Result<CommitResult, CommitFailure> {
    if room.isShort, let refusal = room.refusal(of: request.writes) {
      counters.count { $0.refusedForRoom += 1 }
      return .failure(.error(refusal))
    }
    return try group.apply(
      request, now: runtime.nowMicroseconds(), log: log,
      refuse: { owner, documents in
        intake.holdsGate(owner) ? [] : turns.refusals(owner, documents)
      }, transaction)
  }

  /// Shows what a request has done, and hands its turns on.
  private func show(_ request: CommitRequest, _ current: inout Open) {
    if current.isShown {
      parts.openGroup.show(
        current.group.documents(request.writes.map(\.document)), current.group)
    }
    guard let owner = request.owner, turns.holds(owner) else { return }
    if !current.isShown {
      current.isShown = true
      parts.openGroup.show(current.group.documents, current.group)
    }
    turns.handOn(owner) { next in
      counters.count { $0.handOffs += next.count }
      guard let linger = intake.expect(next) else { return }
      let (runtime, intake) = (runtime, intake)
      runtime.spawn("hearth.linger") {
        // Until nobody has come for a while; the group itself minds how long it is open.
        var seen = intake.progress(of: linger)
        while seen != nil {
          try? await runtime.sleep(Committer.longestPause)
          let now = intake.progress(of: linger)
          if now == seen { intake.endLinger(linger) }
          seen = now
        }
      }
    }
  }

  /// Writes the group; makes room if the file has to grow.
  private func write(_ group: inout CommitGroup) throws {
    // Whoever sees the group on disk must find what was there before it.
    parts.history.add(group.units)
    while true {
      do {
        var put: UInt64 = 0
        try environment.write { transaction in
          try group.flush(&log, transaction)
          put = runtime.monotonicNanoseconds()
        }
        return counters.countFlush(runtime.monotonicNanoseconds() - put)
      } catch let error as StorageError {
        // What the log has of the attempt may be half of it.
        log.stop()
        try makeRoom(after: error, onlyFrees: group.onlyDeletes)
      }
    }
  }

  /// Returns if there is room now to try again what failed with `error`, else throws it.
  private func makeRoom(after error: StorageError, onlyFrees: Bool) throws {
    let shortage: Shortage
    switch error.kind {
    case .mapFull:
      do throws(StorageError) {
        return try environment.growMap()
      } catch {
        guard error.kind == .mapFull else { throw error }
        shortage = .map
      }
    case .diskFull: shortage = .disk
    default: throw error
    }
    // Others of a group that fails are tried one by one, and will find the reserve open.
    guard room.open(for: shortage, environment), onlyFrees else { throw error }
  }

  /// The group is on disk: show it, hand on the turns, put it in line for listeners, answer all.
  private func succeed(_ group: CommitGroup, _ answers: [Answer]) {
    group.catalog.publish()
    head = max(head, group.version)
    parts.history.settle(at: head)
    counters.countGroup(applied: group.applied, bytes: group.byteCount)
    for (request, _) in answers {
      if let owner = request.owner {
        turns.release(owner)
        intake.releaseGate(owner)
      }
    }
    var completions: [@Sendable () -> Void] = []
    for (request, outcome) in answers {
      guard let published = request.published else { continue }
      completions.append { published(outcome.mapError(\.asError)) }
    }
    // Into the feed before anybody is answered: who then waits for listeners waits for these.
    publisher.publish(
      ChangeBatch(version: group.version, changes: publisher.wantsChanges ? group.changes : []),
      completions)
    // Only now: whoever was answered and then waits for listeners must find the batch in line.
    for (request, outcome) in answers { request.reply(outcome) }
  }

  /// Nothing of the group was written.
  ///
  /// Requests run again one by one, so that only the guilty one fails, unless the storage refuses
  /// all writing. Those that were built on others of the group find these changed, and conflict.
  private func fail(_ requests: [CommitRequest], _ error: any Error) async {
    log.stop()
    if requests.count > 1, environment.writesStopped == nil {
      for request in requests { await commit([request], isOpen: false) }
    } else {
      refuse(requests, HearthError.wrapping(error))
    }
  }

  private func refuse(_ requests: [CommitRequest], _ error: HearthError) {
    for request in requests {
      if let owner = request.owner {
        turns.release(owner)
        intake.releaseGate(owner)
      }
      request.reply(.failure(.error(error)))
      if let published = request.published {
        publisher.publish(ChangeBatch(version: head, changes: []), [{ published(.failure(error)) }])
      }
    }
  }

  private func maintain(_ request: MaintenanceRequest) {
    if !rangeReaders.isActive { log.stop() }
    do {
      room.look(environment)
      if !request.frees, let refusal = room.refusal { throw refusal }
      let group = try environment.write { transaction in
        var group = CommitGroup(reader: reader, catalog: reader.catalog, base: head)
        try request.body(&group, transaction)
        group.hasMaintenance = true
        try group.flush(&log, transaction)
        return group
      }
      group.catalog.publish()
      request.reply(.success(()))
    } catch {
      if let storage = error as? StorageError,
        (try? makeRoom(after: storage, onlyFrees: request.frees)) != nil
      {
        return maintain(request)
      }
      request.reply(.failure(HearthError.wrapping(error)))
    }
  }
}

extension CommitFailure {
  /// As a plain writer is told; it never conflicts.
  var asError: HearthError {
    switch self {
    case .error(let error): error
    case .conflict(let cause):
      HearthError(.aborted, "CONTENTION", "The commit lost against another: \(cause.text).")
    }
  }
}

/// How many transactions with query ranges are under way: while there are any, the committer
/// keeps a log of touched keys.
final class RangeReaders: Sendable {
  private let count = Lock(0)
  var isActive: Bool { count.withLock { $0 > 0 } }
  func enter() { count.withLock { $0 += 1 } }
  func leave() { count.withLock { $0 -= 1 } }
}
