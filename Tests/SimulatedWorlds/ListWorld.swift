import Foundation
package import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport

/// Clients that append to few hot lists and a tail of others, and read them, one by one and by
/// predicates; everything they see is judged by three judges that share nothing.
package final class ListWorld: Sendable {
  let options: ListWorldOptions
  let runtime: Runtime
  let faults = StorageFaults()
  private let engineOptions: EngineOptions
  private let numbers = Lock(0)
  private let reached = Lock<[String: Int]>([:])

  static let groups = 2
  private static let hot = 3
  private static let smallMap = 1 << 18

  package init(_ options: ListWorldOptions, _ engineOptions: EngineOptions) {
    self.options = options
    runtime = engineOptions.runtime
    var engineOptions = engineOptions
    engineOptions.faults = options.hasFaults ? faults : nil
    if options.isGrowing { engineOptions.mapSize = Self.smallMap }
    self.engineOptions = engineOptions
  }

  /// Plays the world of a seed; gives what is wrong with it.
  package func play(seed: UInt64) async throws -> WorldReport {
    var generator = SeededGenerator(seed: seed)
    var engine = try Engine.open(engineOptions)
    let recorder = Recorder(engine, marksCommits: true)
    for opening in 0..<options.openings {
      if opening > 0 {
        engine = try Engine.open(engineOptions)
        recorder.use(engine)
      }
      await live(recorder, seed: generator.next())
      faults.clear()
      note(engine)
      // What is found out at the end must be found out from the disk.
      if options.hasFaults { await engine.close() }
    }
    if options.hasFaults {
      engine = try Engine.open(engineOptions)
      recorder.use(engine)
    }
    let report = try await judge(recorder)
    await engine.close()
    return report
  }

  // MARK: Living

  private func live(_ recorder: Recorder, seed: UInt64) async {
    var generator = SeededGenerator(seed: seed)
    let seeds = (0..<options.clients).map { _ in generator.next() }
    let trouble = generator.next()
    await withTaskGroup(of: Void.self) { group in
      for seed in seeds {
        group.addTask {
          var client = ListClient(world: self, recorder: recorder, seed: seed)
          for _ in 0..<self.options.operations { await client.operate() }
        }
      }
      if options.hasFaults {
        group.addTask { await self.makeTrouble(recorder.engine, seed: trouble) }
      }
    }
  }

  // LMDB's own codes, which tests do not import.
  private static let mapFull: Int32 = -30792
  private static let panic: Int32 = -30795

  /// Calls that fail, and what they fail with.
  private static let troubles: [(StorageFaults.Operation, Int32)] = [
    (.commit, ENOSPC), (.commit, ENOSPC), (.commit, EIO), (.commit, panic), (.acknowledge, panic),
    (.acknowledge, panic), (.put, ENOSPC), (.put, ENOMEM), (.put, mapFull), (.beginWrite, ENOMEM),
    (.beginRead, ENOMEM), (.get, ENOMEM),
  ]

  private func makeTrouble(_ engine: Engine, seed: UInt64) async {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      for _ in 0..<Int.random(in: 0...60, using: &generator) { await Task.yield() }
      let index = Int.random(in: 0..<Self.troubles.count, using: &generator)
      let (operation, code) = Self.troubles[index]
      faults.fail(operation, at: Int.random(in: 1...4, using: &generator), with: code)
    }
    guard generator.oneIn(4) else { return }
    for _ in 0..<Int.random(in: 0...100, using: &generator) { await Task.yield() }
    await engine.close()
  }

  /// Takes down what has come about since the database was opened.
  private func note(_ engine: Engine) {
    let metrics = engine.metrics
    count("turns", metrics.turnWaits)
    count("gates", metrics.gateWaits)
    count("hand-offs", metrics.handOffs)
    count("leases ended", metrics.leasesExpired)
    if options.isGrowing, let map = try? engine.storageSnapshot().mapBytes, map > Self.smallMap {
      count("maps grown", 1)
    }
  }

  /// Counts what has come about.
  func count(_ what: String, _ number: Int = 1) {
    if number > 0 { reached.withLock { $0[what, default: 0] += number } }
  }

  // MARK: What clients need

  /// A number that no other append has, not even an earlier run's.
  func fresh() -> Int {
    numbers.withLock { number in
      number += 1
      return number
    }
  }

  func list(_ generator: inout SeededGenerator) -> Int {
    generator.oneIn(4)
      ? Int.random(in: Self.hot..<options.lists, using: &generator)
      : Int.random(in: 0..<Self.hot, using: &generator)
  }

  // MARK: Judging

  /// The judges: replay in the order that the engine claims, dependencies without that claim, and
  /// each list by itself as a register.
  private func judge(_ recorder: Recorder) async throws -> WorldReport {
    try recorder.run(ListDocuments.lists())
    for group in 0..<Self.groups { try recorder.run(ListDocuments.members(of: group)) }
    var findings = try await recorder.findings(reading: ListDocuments.collections)
    let transactions = ListDocuments.transactions(
      of: recorder.operations, lists: options.lists)
    findings += ListHistoryChecker.check(transactions, name: ListDocuments.name)
      .map(\.description)
    let registers = ListTransaction.registers(transactions, counted: ListDocuments.isGroup)
    for (list, operations) in registers.sorted(by: { $0.key < $1.key }) {
      if let stuck = LinearizabilityChecker.check(operations) {
        findings.append("\(ListDocuments.name(list)) is not linearizable: \(stuck)")
      }
    }
    let runs = recorder.runs
    if !options.mayGiveUp, let most = runs.max(), most > 3 {
      findings.append("a transaction ran \(most) times")
    }
    var report = WorldReport()
    report.findings = findings
    report.runs = runs
    report.summary = recorder.summary
    count("unknown outcomes", transactions.count { $0.outcome == .unknown })
    report.reached = reached.withLock { $0 }
    return report
  }
}
