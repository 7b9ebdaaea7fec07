import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport

extension World {
  /// One world from opening to closing.
  static func run(seed: UInt64, _ weather: Weather, mostRuns: Int) throws -> WorldReport {
    var options = SimulationOptions()
    options.wallClockJumps = weather == .storm
    // Not always: where time passes by itself, waiting cannot be told from it at the end.
    let wakesEarly = weather == .storm && seed % 2 == 0
    options.earlyWakes = wakesEarly ? 400 : nil
    return try SimulatedWorld.report(seed: seed, options) { options in
      let engine = try Engine.open(options)
      let world = World(engine, weather)
      try await world.populate()
      var generator = SeededGenerator(seed: seed)
      var listeners: [RecordedListener] = []
      if weather != .fair {
        for _ in 0..<3 { listeners.append(world.listen(&generator)) }
      }
      let seeds = (0..<6).map { _ in generator.next() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for seed in seeds {
          group.addTask {
            try await world.client(seed: seed, operations: weather == .fair ? 5 : 6)
          }
        }
        try await group.waitForAll()
      }
      try await world.checkEnd(isTimed: !wakesEarly)
      var report = WorldReport()
      report.findings = try await world.recorder.findings(reading: World.collections)
      report.runs = world.recorder.runs
      report.summary = world.recorder.summary
      if let most = report.runs.max(), most > mostRuns {
        report.findings.append("a transaction ran \(most) times")
      }
      await engine.close()
      return report
    }
  }

  /// Nobody left a turn or the gate behind: one more transaction on all the hot documents runs
  /// at once, and plain writers pass.
  private func checkEnd(isTimed: Bool) async throws {
    let before = runtime.monotonicNanoseconds()
    let all =
      (0..<2).map { World.path(World.restaurants, "r", $0) }
      + (0..<4).map { World.path(World.accounts, "a", $0) }
    var request = TransactionRequest()
    request.concurrency = .turns(all)
    let recorder = recorder
    try await recorder.transaction("last", request) { run in
      for path in all {
        _ = try run.get(path)
        if run.attempt > 1 { recorder.find("the last transaction ran more than once") }
      }
      for path in all { try run.write(World.increment(path, "last")) }
    }
    try await recorder.commit("last", [World.increment(all[0], "last")])
    if isTimed, runtime.monotonicNanoseconds() - before > 1_000_000 {
      recorder.find("the last transaction had to wait")
    }
  }
}
