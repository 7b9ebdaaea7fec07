/// A small, fast generator that gives the same numbers for the same seed, on every machine.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  // The standard library's way of drawing from a range may change between releases, and
  // generated data must not: hence a way of our own.

  /// A number in `0..<count`.
  package mutating func below(_ count: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(count)).high)
  }

  /// A number in `0..<1`.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// One element, all equally likely.
  package mutating func pick<T>(_ elements: [T]) -> T { elements[below(elements.count)] }

  /// An id of 20 characters, shaped like those that Firestore draws.
  package mutating func documentID() -> String {
    var id = ""
    for _ in 0..<20 { id.unicodeScalars.append(Self.alphabet[below(62)]) }
    return id
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".unicodeScalars)
}
