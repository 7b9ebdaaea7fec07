import HearthModel
import HearthStorage

/// The one writer: takes what waits, commits it as a group with one flush, then answers all.
///
/// An actor on the writer's executor; its decisions are `CommitGroup` and `IntakeState`. It runs
/// no user code and waits for nothing but the intake.
actor Committer {
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
  private var log = CommitLog()
  private var lastReaderCheck: UInt64

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ parts: EngineParts, head: CommitVersion, executor: any SerialExecutor) {
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
      case .group(let requests): commit(requests, mayGrow: true)
      case .maintenance(let request): maintain(request)
      case .stop: return
      }
    }
  }

  private typealias Answer = (CommitRequest, Result<CommitResult, CommitFailure>)

  /// A tool that looked into the database and was killed leaves a reader that pins old pages
  /// (LM-23).
  private func checkReaders() {
    let now = runtime.monotonicNanoseconds()
    guard now - lastReaderCheck > 60_000_000_000 else { return }
    lastReaderCheck = now
    _ = try? environment.checkReaders()
  }

  private func commit(_ first: [CommitRequest], mayGrow: Bool) {
    checkReaders()
    if rangeReaders.isActive { log.start(at: head) } else { log.stop() }
    var answers: [Answer] = []
    var taken = first
    do {
      let group = try environment.write { transaction in
        var group = CommitGroup(reader: reader, catalog: reader.catalog, base: head)
        let opened = runtime.monotonicNanoseconds()
        var waiting = first
        while !waiting.isEmpty {
          for request in waiting {
            answers.append((request, try evaluate(request, &group, transaction)))
          }
          // No artificial delay: only what is there already joins, within the bounds.
          let isLong = runtime.monotonicNanoseconds() - opened > 4_000_000
          waiting =
            isLong || !mayGrow
            ? []
            : intake.takeMore(
              limit: Intake.groupLimit - answers.count,
              byteLimit: Intake.groupBytes - group.byteCount)
          taken += waiting
        }
        if !group.isEmpty { try group.flush(&log, transaction) }
        return group
      }
      succeed(group, answers)
    } catch {
      fail(taken, error)
    }
  }

  private func evaluate(
    _ request: CommitRequest, _ group: inout CommitGroup,
    _ transaction: borrowing WriteTransaction
  ) throws -> Result<CommitResult, CommitFailure> {
    try group.apply(
      request, now: runtime.nowMicroseconds(), log: log,
      refuse: { owner, documents in
        intake.holdsGate(owner) ? [] : turns.refusals(owner, documents)
      }, transaction)
  }

  /// The group is on disk: show it, hand on the turns, put it in line for listeners, answer all.
  private func succeed(_ group: CommitGroup, _ answers: [Answer]) {
    group.catalog.publish()
    head = max(head, group.version)
    counters.countGroup(applied: group.applied)
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
  /// all writing.
  private func fail(_ requests: [CommitRequest], _ error: any Error) {
    log.stop()
    if let storage = error as? StorageError, storage.kind == .mapFull {
      do {
        try environment.growMap()
        for request in requests { commit([request], mayGrow: false) }
      } catch {
        refuse(requests, HearthError.wrapping(error))
      }
    } else if requests.count > 1, environment.writesStopped == nil {
      for request in requests { commit([request], mayGrow: false) }
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
      if let storage = error as? StorageError, storage.kind == .mapFull,
        (try? environment.growMap()) != nil
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
