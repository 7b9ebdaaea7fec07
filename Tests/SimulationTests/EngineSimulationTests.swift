import HearthTestSupport
import SimulatedWorlds
import Testing

/// A few worlds of every kind; `make simulate` runs thousands.
@Suite struct EngineSimulationTests {
  private func check(_ world: SimulatedWorld, seeds: Int, reaching wanted: [String] = []) {
    var generator = SeededGenerator(seed: testSeed("simulation, \(world)"))
    var runs: [Int] = []
    var reached: [String: Int] = [:]
    for _ in 0..<seeds * soakFactor {
      let seed = generator.next()
      let report = world.report(seed: seed)
      #expect(report.findings == [], "make simulate SEED=\(seed) KIND=\(world)")
      if !report.findings.isEmpty { return }
      runs += report.runs
      reached.merge(report.reached, uniquingKeysWith: +)
    }
    let retried = runs.count { $0 > 1 }
    print(
      "\(world): \(seeds * soakFactor) worlds, \(runs.count) transactions, \(retried) of them "
        + "ran again")
    #expect(retried > 0)
    for what in wanted { #expect(reached[what, default: 0] > 0, "\(what)") }
  }

  @Test func `transactions on fixed documents all commit within two runs`() {
    check(.fair, seeds: 40)
  }

  @Test func `with plain writers, queries and indexes all commit within three runs`() {
    check(.busy, seeds: 40)
  }

  @Test func `slow, failing and cancelled clients cause no anomaly`() {
    check(.storm, seeds: 40)
  }

  @Test func `lists appended to in every mode, under storms and storage faults, are serial`() {
    check(
      .lists, seeds: 160,
      reaching: [
        "turns", "gates", "hand-offs", "leases ended", "unknown outcomes", "CANCELLED", "DISK_FULL",
        "STORAGE_FAILED", "DATABASE_CLOSED",
      ])
  }

  @Test(arguments: [SimulatedWorld.storm, .lists])
  func `the same seed gives the same interleaving, another seed another`(
    _ world: SimulatedWorld
  ) throws {
    let seed = testSeed("replay, \(world)")
    let first = try world.run(seed: seed)
    let second = try world.run(seed: seed)
    #expect(second.simulated == first.simulated)
    #expect(second.summary == first.summary)
    #expect(first.summary.count > 1)
    #expect(try world.run(seed: seed &+ 1).simulated != first.simulated)
  }
}
