/// SipHash-2-4 with 128 bits: a keyed hash, so that nobody who does not know the database's key
/// can prepare long keys that collide.
package struct SipHash: Sendable {
  private let key0: UInt64
  private let key1: UInt64

  /// Takes a key of 16 bytes; a shorter one is filled up with zeros.
  package init(key: [UInt8]) {
    key0 = SipHash.word(key, 0, min(8, key.count))
    key1 = SipHash.word(key, 8, min(16, key.count))
  }

  /// The 16 bytes of the hash.
  package func hash(_ bytes: [UInt8]) -> [UInt8] {
    var state = State(key0, key1)
    let whole = bytes.count & ~7
    var position = 0
    while position < whole {
      // Safe: eight bytes lie at the position, and an integer has no invalid bit pattern.
      let word = bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
      state.compress(UInt64(littleEndian: word))
      position += 8
    }
    state.compress(
      SipHash.word(bytes, whole, bytes.count) | UInt64(truncatingIfNeeded: bytes.count) << 56)
    state.v2 ^= 0xee
    for _ in 0..<4 { state.round() }
    let low = state.folded
    state.v1 ^= 0xdd
    for _ in 0..<4 { state.round() }
    let high = state.folded
    var out: [UInt8] = []
    out.reserveCapacity(16)
    for shift in 0..<8 { out.append(UInt8(truncatingIfNeeded: low >> UInt64(8 * shift))) }
    for shift in 0..<8 { out.append(UInt8(truncatingIfNeeded: high >> UInt64(8 * shift))) }
    return out
  }

  /// The bytes of a range as a number, little end first; at most eight.
  private static func word(_ bytes: [UInt8], _ start: Int, _ end: Int) -> UInt64 {
    var word: UInt64 = 0
    var position = start
    while position < end {
      word |= UInt64(bytes[position]) << UInt64(8 * (position - start))
      position += 1
    }
    return word
  }

  private struct State {
    var v0: UInt64
    var v1: UInt64
    var v2: UInt64
    var v3: UInt64

    init(_ key0: UInt64, _ key1: UInt64) {
      v0 = key0 ^ 0x736f_6d65_7073_6575
      v1 = key1 ^ 0x646f_7261_6e64_6f6d ^ 0xee
      v2 = key0 ^ 0x6c79_6765_6e65_7261
      v3 = key1 ^ 0x7465_6462_7974_6573
    }

    var folded: UInt64 { v0 ^ v1 ^ v2 ^ v3 }

    mutating func compress(_ word: UInt64) {
      v3 ^= word
      round()
      round()
      v0 ^= word
    }

    mutating func round() {
      v0 &+= v1
      v1 = v1 << 13 | v1 >> 51
      v1 ^= v0
      v0 = v0 << 32 | v0 >> 32
      v2 &+= v3
      v3 = v3 << 16 | v3 >> 48
      v3 ^= v2
      v0 &+= v3
      v3 = v3 << 21 | v3 >> 43
      v3 ^= v0
      v2 &+= v1
      v1 = v1 << 17 | v1 >> 47
      v1 ^= v2
      v2 = v2 << 32 | v2 >> 32
    }
  }
}
