import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// The engine against its naive twin: at least 100,000 random operations, one after another.
@Suite struct ModelTests {
  private static let worlds = 4
  private static let operations = 25_500

  @Test(arguments: 0..<Self.worlds)
  func `the engine and its naive twin always agree`(world: Int) throws {
    let seed = testSeed("model, world \(world)")
    var generator = SeededGenerator(seed: seed &+ UInt64(world))
    let inner = generator.next()
    let counts = Lock<[String: Int]>([:])
    try simulate(seed: inner, options: Self.endless) { runtime in
      try await withTemporaryDirectory(inMemory: true) { directory in
        var options = EngineOptions(path: directory + "/db", runtime: runtime)
        options.durability = .none
        options.mapSize = 1 << 28
        var run = try ModelRun(seed: inner, options)
        try await run.run(Self.operations * soakFactor)
        let done = run.counts
        counts.withLock { $0 = done }
      }
    }
    let done = counts.withLock { $0 }
    let text = done.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: ", ")
    print("model, world \(world): \(text)")
    for what in ["indexes created", "indexes dropped", "reopened", "refused commits"] {
      #expect(done[what, default: 0] > 0, "\(what)")
    }
  }

  /// One task that works for long is no livelock.
  private static var endless: SimulationOptions {
    var options = SimulationOptions()
    options.mostSteps = .max
    return options
  }
}
