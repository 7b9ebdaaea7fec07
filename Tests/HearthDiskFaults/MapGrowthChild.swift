import Foundation
import Hearth
import HearthEngine
import HearthModel
import HearthTestSupport
import Synchronization

/// One database after another, each filled until its map has grown several times.
///
/// Arguments: a directory, a seed, the number of growths, and whether to plant a fault.
final class MapGrowthChild: Sendable {
  static let groups = 12
  static let parts = 4
  private static let smallest = 256 << 10
  private static let largest = 32 << 20

  private let directory: String
  private let seed: UInt64
  private let growths: Int
  private let isPlanted: Bool
  private let voice = ChildVoice()

  init(_ arguments: [String]) {
    directory = arguments[0]
    seed = UInt64(arguments[1]) ?? 0
    growths = Int(arguments[2]) ?? 1
    isPlanted = arguments.last == "planted"
  }

  func run() async throws {
    var generator = SeededGenerator(seed: seed)
    var grown = 0
    for number in 0... {
      if grown >= growths { break }
      let path = "\(directory)/\(number)"
      var options = EngineOptions(path: path, runtime: .system)
      options.durability = .none
      options.mapSize = MapGrowthChild.smallest
      options.mapGrowth = 64 << 10
      let engine = try Engine.open(options)
      do {
        grown += try await live(engine, generator.next(), at: growths - grown)
        for finding in try engine.checkConsistency().findings {
          voice.find(.torn, "verify: \(finding)")
        }
        await engine.close()
      } catch {
        await engine.close()
        throw error
      }
      voice.count("databases", 1)
      try FileManager.default.removeItem(atPath: path)
    }
    voice.done()
  }

  /// Fills one database under readers; how often its map grew.
  private func live(_ engine: Engine, _ seed: UInt64, at most: Int) async throws -> Int {
    let world = GrowthWorld(engine, voice, isPlanted: isPlanted)
    try await world.write(0..<MapGrowthChild.groups, 1)
    let writing = Activity()
    let listeners = try world.listen()
    defer { for listener in listeners { listener.remove() } }
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for reader in 0..<3 {
        group.addTask {
          var generator = SeededGenerator(seed: seed &+ UInt64(reader) &+ 1)
          var watch = GrowthWorld.Watch()
          while writing.goesOn {
            try await world.read(reader, &watch, &generator)
            await Task.yield()
          }
          return 0
        }
      }
      group.addTask {
        defer { writing.end() }
        return try await self.fill(engine, world, seed, most)
      }
      var grown = 0
      for try await count in group { grown += count }
      await engine.waitForListeners()
      world.tellCounts()
      return grown
    }
  }

  private func fill(
    _ engine: Engine, _ world: GrowthWorld, _ seed: UInt64, _ most: Int
  ) async throws -> Int {
    var generator = SeededGenerator(seed: seed)
    var size = try engine.storageSnapshot().mapBytes
    var grown = 0
    for n in 2... {
      if size >= MapGrowthChild.largest || grown >= most { break }
      let first = Int.random(in: 0..<MapGrowthChild.groups - 3, using: &generator)
      try await world.write(first..<first + 3, n)
      try await world.fill(n, Int.random(in: 1000...300_000, using: &generator))
      let now = try engine.storageSnapshot().mapBytes
      if now > size {
        grown += 1
        voice.cycle()
      }
      size = now
    }
    return grown
  }
}
