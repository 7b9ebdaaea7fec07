import Foundation

/// A small, fast, reproducible generator (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// True once in `n` times.
  package mutating func oneIn(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
}

/// The seed of a random test, printed always.
///
/// It comes from `HEARTH_SEED`, to replay a failure, and is fresh otherwise.
package func testSeed(_ name: String) -> UInt64 {
  let seed =
    ProcessInfo.processInfo.environment["HEARTH_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0...UInt64.max)
  print("\(name): HEARTH_SEED=\(seed)")
  return seed
}

/// How much longer than usual random tests should run: `HEARTH_SOAK=20` runs twenty times as much.
package var soakFactor: Int {
  ProcessInfo.processInfo.environment["HEARTH_SOAK"].flatMap { Int($0) } ?? 1
}
