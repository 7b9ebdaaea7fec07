import HearthEngine
import HearthTestSupport
import SimulatedWorlds
import Testing

/// The worlds of lists on real threads, where the system chooses the interleaving.
@Suite struct ListThreadsTests {
  private func play(_ options: ListWorldOptions, _ name: String) async throws {
    let seed = testSeed(name)
    try await withTemporaryDirectory(inMemory: true) { directory in
      var engine = EngineOptions.test(path: directory + "/db")
      engine.holdLeases()
      let report = try await ListWorld(options, engine).play(seed: seed)
      #expect(report.findings == [])
      #expect(!report.runs.isEmpty)
    }
  }

  @Test(arguments: ListWorldOptions.Mode.allCases)
  func `on real threads the judges find nothing in any mode`(
    _ mode: ListWorldOptions.Mode
  ) async throws {
    for round in 0..<soakFactor {
      var options = ListWorldOptions(mode: mode, clients: 12, operations: 25)
      options.takesTime = false
      try await play(options, "threads, \(mode), \(round)")
    }
  }

  @Test func `on real threads storage faults and reopening lose and tear nothing`() async throws {
    for round in 0..<8 * soakFactor {
      var options = ListWorldOptions(mode: .mixed, clients: 8, operations: 6)
      options.takesTime = false
      options.hasFaults = true
      options.openings = 3
      options.isGrowing = round % 2 == 0
      try await play(options, "threads with faults, \(round)")
    }
  }
}
