import HearthEngine
import HearthStorage
package import HearthTestSupport

/// What a world has come to.
package struct WorldReport: Sendable {
  /// What is wrong, in words.
  package var findings: [String] = []
  /// How many times the block of each transaction ran that committed.
  package var runs: [Int] = []
  /// One line per operation that took effect.
  package var summary: [String] = []
  /// How often what the world is made for has come about, by name.
  package var reached: [String: Int] = [:]
  package var simulated = SimulatedRun()

  package init() {}
}

/// A kind of world; with a seed it is one world, the same each time.
package enum SimulatedWorld: String, Sendable, CaseIterable {
  case fair, busy, storm, lists

  /// The kind that a seed stands for, where all kinds take part.
  package static func kind(of seed: UInt64) -> SimulatedWorld {
    switch seed % 16 {
    case 0: .fair
    case 1: .busy
    case 2: .storm
    default: .lists
    }
  }

  /// Runs one world on the calling thread; what it could not end with is a finding, too.
  package func report(seed: UInt64) -> WorldReport {
    do {
      return try run(seed: seed)
    } catch {
      var report = WorldReport()
      report.findings = ["\(error)"]
      return report
    }
  }

  /// Runs one world on the calling thread.
  package func run(seed: UInt64) throws -> WorldReport {
    switch self {
    case .fair: try World.run(seed: seed, .fair, mostRuns: 2)
    case .busy: try World.run(seed: seed, .busy, mostRuns: 3)
    case .storm: try World.run(seed: seed, .storm, mostRuns: 5)
    case .lists: try SimulatedWorld.lists(seed: seed)
    }
  }

  private static func lists(seed: UInt64) throws -> WorldReport {
    try report(seed: seed, ListWorldOptions.simulation(seed: seed)) { options in
      try await ListWorld(ListWorldOptions(seed: seed), options).play(seed: seed)
    }
  }

  /// One world in a database of its own.
  static func report(
    seed: UInt64, _ simulation: SimulationOptions,
    _ body: @escaping @Sendable (EngineOptions) async throws -> WorldReport
  ) throws -> WorldReport {
    let report = Lock(WorldReport())
    let simulated = try simulate(seed: seed, options: simulation) { runtime in
      try await withTemporaryDirectory(inMemory: true) { directory in
        var options = EngineOptions(path: directory + "/db", runtime: runtime)
        options.durability = .none
        options.mapSize = 1 << 28
        let found = try await body(options)
        report.withLock { $0 = found }
      }
    }
    var found = report.withLock { $0 }
    found.simulated = simulated
    return found
  }
}
