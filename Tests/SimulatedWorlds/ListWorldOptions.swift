import HearthEngine
import HearthStorage
package import HearthTestSupport

/// What a world of lists is like; made from its seed.
package struct ListWorldOptions: Sendable {
  /// How its transactions are run.
  package enum Mode: Sendable, CaseIterable {
    case automatic, optimistic, turns
    /// The first two runs are made to lose, so that the third holds the gate.
    case gate
    /// Each transaction as it likes.
    case mixed
  }

  package var mode: Mode
  package var clients: Int
  /// Of each client, each time the database is open.
  package var operations: Int
  /// How many times the database is opened.
  package var openings = 1
  /// Whether calls of the storage fail now and then, and closing may come in the midst of all.
  package var hasFaults = false
  /// Whether blocks outlast their leases, fail, and are cancelled.
  package var isStormy = false
  /// Whether the file has to grow.
  package var isGrowing = false
  /// Whether blocks take time; on real threads they only let others run.
  package var takesTime = true
  /// Hot ones, and a tail of others.
  package var lists = 12

  package init(mode: Mode, clients: Int, operations: Int) {
    self.mode = mode
    self.clients = clients
    self.operations = operations
  }

  /// The world that a seed stands for.
  package init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let modes = Mode.allCases
    mode = modes[Int.random(in: 0..<modes.count, using: &generator)]
    clients = Int.random(in: 2...5, using: &generator)
    operations = Int.random(in: 2...5, using: &generator)
    isStormy = generator.oneIn(3)
    isGrowing = generator.oneIn(8)
    hasFaults = generator.oneIn(2)
    if hasFaults { openings = Int.random(in: 1...3, using: &generator) }
  }

  /// How time goes in the world of a seed.
  package static func simulation(seed: UInt64) -> SimulationOptions {
    var generator = SeededGenerator(seed: ~seed)
    var options = SimulationOptions()
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: options.wallClockStands = true
    case 1: options.wallClockJumps = true
    default: break
    }
    // Leases may end early by that, too.
    if generator.oneIn(2), ListWorldOptions(seed: seed).mayGiveUp { options.earlyWakes = 400 }
    return options
  }

  /// Whether a transaction may run out of runs: without leases that end, and unless it wants to
  /// be optimistic, it must not.
  var mayGiveUp: Bool { isStormy || hasFaults || mode == .optimistic || mode == .mixed }

  /// Reasons of errors that clients may meet.
  var expectedReasons: Set<String> {
    var reasons: Set<String> = []
    if mayGiveUp { reasons.insert("CONTENTION") }
    if isStormy { reasons.insert("CANCELLED") }
    if hasFaults {
      reasons.formUnion([
        "STORAGE_FAILED", "COMMIT_OUTCOME_UNKNOWN", "DISK_FULL", "MEMORY", "DATABASE_CLOSED",
      ])
    }
    return reasons
  }
}
