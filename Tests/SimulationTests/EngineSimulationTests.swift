import Foundation
import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

@Suite struct EngineSimulationTests {
  /// One world from opening to closing; gives its recorder's findings.
  private func run(
    seed: UInt64, _ weather: Weather, clients: Int, operations: Int, findings: Lock<[String]>,
    outcome: Lock<[Int]> = Lock([]), summary: Lock<[String]> = Lock([])
  ) throws -> SimulatedRun {
    var options = SimulationOptions()
    options.wallClockJumps = weather == .storm
    // Not always: where time passes by itself, waiting cannot be told from it at the end.
    let wakesEarly = weather == .storm && seed % 2 == 0
    options.earlyWakes = wakesEarly ? 400 : nil
    return try simulate(seed: seed, options: options) { runtime in
      try await withTemporaryDirectory(inMemory: true) { directory in
        var options = EngineOptions(path: directory + "/db", runtime: runtime)
        options.durability = .none
        options.mapSize = 1 << 28
        let engine = try Engine.open(options)
        let world = World(engine, weather)
        try await world.populate()
        var generator = SeededGenerator(seed: seed)
        var listeners: [RecordedListener] = []
        if weather != .fair {
          for _ in 0..<3 { listeners.append(world.listen(&generator)) }
        }
        let seeds = (0..<clients).map { _ in generator.next() }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for seed in seeds {
            group.addTask { try await world.client(seed: seed, operations: operations) }
          }
          try await group.waitForAll()
        }
        try await checkEnd(world, isTimed: !wakesEarly)
        let found = try await world.recorder.findings(reading: World.collections)
        findings.withLock { $0 = found }
        outcome.withLock { $0 = world.recorder.runs }
        summary.withLock { $0 = world.recorder.summary }
        await engine.close()
      }
    }
  }

  /// Nobody left a turn or the gate behind: one more transaction on all the hot documents runs
  /// at once, and plain writers pass.
  private func checkEnd(_ world: World, isTimed: Bool) async throws {
    let before = world.runtime.monotonicNanoseconds()
    let all =
      (0..<2).map { World.path(World.restaurants, "r", $0) }
      + (0..<4).map { World.path(World.accounts, "a", $0) }
    var request = TransactionRequest()
    request.concurrency = .turns(all)
    try await world.recorder.transaction("last", request) { run in
      for path in all {
        let fields = try run.get(path)?.fields
        if run.attempt > 1 { world.recorder.find("the last transaction ran more than once") }
        _ = fields
      }
      for path in all { try run.write(World.increment(path, "last")) }
    }
    try await world.recorder.commit("last", [World.increment(all[0], "last")])
    if isTimed, world.runtime.monotonicNanoseconds() - before > 1_000_000 {
      world.recorder.find("the last transaction had to wait")
    }
  }

  private func check(
    _ weather: Weather, seeds: Int, clients: Int, operations: Int, mostRuns: Int
  ) throws {
    var generator = SeededGenerator(seed: testSeed("simulation, \(weather)"))
    var transactions = 0
    var retried = 0
    for _ in 0..<seeds * soakFactor {
      let seed = generator.next()
      let findings = Lock<[String]>([])
      let outcome = Lock<[Int]>([])
      do {
        _ = try run(
          seed: seed, weather, clients: clients, operations: operations, findings: findings,
          outcome: outcome)
      } catch {
        Issue.record("world \(seed) (\(weather)): \(error)")
        return
      }
      let found = findings.withLock { $0 }
      #expect(found == [], "world \(seed) (\(weather))")
      if !found.isEmpty { return }
      let runs = outcome.withLock { $0 }
      transactions += runs.count
      retried += runs.filter { $0 > 1 }.count
      let most = runs.max() ?? 0
      #expect(most <= mostRuns, "world \(seed) (\(weather)): a transaction ran \(most) times")
    }
    print(
      "\(weather): \(seeds * soakFactor) worlds, \(transactions) transactions, "
        + "\(retried) of them ran again")
    #expect(retried > 0)
  }

  @Test func `transactions on fixed documents all commit within two runs`() throws {
    try check(.fair, seeds: 100, clients: 6, operations: 5, mostRuns: 2)
  }

  @Test func `with plain writers, queries and indexes all commit within three runs`() throws {
    try check(.busy, seeds: 120, clients: 6, operations: 6, mostRuns: 3)
  }

  @Test func `slow, failing and cancelled clients cause no anomaly`() throws {
    try check(.storm, seeds: 120, clients: 6, operations: 6, mostRuns: 5)
  }

  @Test func `the same seed gives the same interleaving, another seed another`() throws {
    let seed = testSeed("replay")
    func trace(_ seed: UInt64) throws -> (run: SimulatedRun, history: [String]) {
      let summary = Lock<[String]>([])
      let done = try run(
        seed: seed, .storm, clients: 5, operations: 5, findings: Lock([]), summary: summary)
      return (done, summary.withLock { $0 })
    }
    let first = try trace(seed)
    let second = try trace(seed)
    #expect(second.run == first.run)
    #expect(second.history == first.history)
    #expect(first.history.count > 10)
    #expect(try trace(seed &+ 1).run != first.run)
  }
}
