import Foundation
@testable import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// Versions that a group gave out and took to its grave.
@Suite struct DeadVersionTests {
  /// What the second transaction and those around it have come to.
  private struct Story {
    var sawDeadValue = false
    var runs = 0
    var final: Value?
  }

  /// The first transaction's commit reaches the open group and fails at the disk; the second has
  /// read it there, and a plain write comes in between.
  private func story(seed: UInt64) throws -> Story {
    // Time that passes would give the plain write a version of its own by itself.
    var simulation = SimulationOptions()
    simulation.wallClockStands = true
    let story = Lock(Story())
    try simulate(seed: seed, options: simulation) { runtime in
      try await withTemporaryDirectory(inMemory: true) { directory in
        let faults = StorageFaults()
        var options = EngineOptions(path: directory + "/db", runtime: runtime)
        options.durability = .none
        options.mapSize = 1 << 28
        options.faults = faults
        let engine = try Engine.open(options)
        try await engine.set("x", ["n": 0])
        var request = TransactionRequest()
        request.concurrency = .turns([doc("x")])
        let settings = request
        let isRefused = Lock(false)
        async let first: Void = {
          let why = await reason {
            _ = try await engine.runs(settings) { context in
              _ = try context.get(doc("x"))
              // The other one must be in line by the time this one commits.
              for _ in 0..<20 { await Task.yield() }
              try context.write(.set("r/x", ["n": 1]))
            }
          }
          isRefused.withLock { $0 = why == "DISK_FULL" }
        }()
        let runs = try await engine.runs(settings) { context in
          let seen = try context.get(doc("x"))?.value(at: field("n"))
          if seen == 1, context.attempt == 1 {
            story.withLock { $0.sawDeadValue = true }
            faults.fail(.commit, with: ENOSPC)
            while !isRefused.withLock({ $0 }) { await Task.yield() }
            try await engine.set("x", ["n": 10])
          }
          guard case .integer(let n)? = seen else { return }
          try context.write(.set("r/x", ["n": .integer(n + 100)]))
        }
        await first
        let final = try engine.get(doc("x")).document?.value(at: field("n"))
        story.withLock { story in
          story.runs = runs
          story.final = final
        }
        await engine.close()
      }
    }
    return story.withLock { $0 }
  }

  @Test func `a version that died with its group is never taken for another's`() throws {
    var generator = SeededGenerator(seed: testSeed("dead versions"))
    var told = 0
    for _ in 0..<40 * soakFactor {
      let seed = generator.next()
      let story = try story(seed: seed)
      guard story.sawDeadValue else { continue }
      told += 1
      // The second one runs again, on what the plain write has left.
      #expect(story.runs == 2, "world \(seed)")
      #expect(story.final == 110, "world \(seed)")
    }
    #expect(told > 0)
  }
}
