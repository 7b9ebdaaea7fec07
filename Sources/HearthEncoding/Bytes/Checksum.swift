/// XXH64, fed piece by piece: a fast hash that finds damage (it does not resist forgery).
package struct Checksum: Sendable {
  private static let prime1: UInt64 = 0x9e37_79b1_85eb_ca87
  private static let prime2: UInt64 = 0xc2b2_ae3d_27d4_eb4f
  private static let prime3: UInt64 = 0x1656_67b1_9e37_79f9
  private static let prime4: UInt64 = 0x85eb_ca77_c2b2_ae63
  private static let prime5: UInt64 = 0x27d4_eb2f_1656_67c5

  private var lanes: (UInt64, UInt64, UInt64, UInt64)
  /// Bytes that do not fill a stripe of 32 yet.
  private var pending: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  private var pendingCount = 0
  private var total: UInt64 = 0
  private let seed: UInt64

  package init(seed: UInt64 = 0) {
    self.seed = seed
    lanes = (
      seed &+ Checksum.prime1 &+ Checksum.prime2, seed &+ Checksum.prime2, seed,
      seed &- Checksum.prime1
    )
  }

  /// The hash of some bytes.
  package static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    var checksum = Checksum(seed: seed)
    checksum.add(bytes.span.bytes)
    return checksum.finish()
  }

  /// Adds a byte.
  package mutating func add(_ byte: UInt8) {
    withUnsafeBytes(of: byte) { add($0) }
  }

  /// Adds bytes.
  package mutating func add(_ bytes: RawSpan) {
    bytes.withUnsafeBytes { add($0) }
  }

  /// Adds bytes.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    total &+= UInt64(bytes.count)
    var position = 0
    if pendingCount > 0 {
      let taken = min(32 - pendingCount, bytes.count)
      let offset = pendingCount
      // Safe: pendingCount + taken is at most the 32 bytes of `pending`.
      withUnsafeMutableBytes(of: &pending) { buffer in
        for i in 0..<taken { buffer[offset + i] = bytes[i] }
      }
      pendingCount += taken
      position = taken
      if pendingCount < 32 { return }
      stripe(
        UInt64(littleEndian: pending.0), UInt64(littleEndian: pending.1),
        UInt64(littleEndian: pending.2), UInt64(littleEndian: pending.3))
      pendingCount = 0
    }
    while bytes.count - position >= 32 {
      stripe(
        Checksum.load64(bytes, position), Checksum.load64(bytes, position + 8),
        Checksum.load64(bytes, position + 16), Checksum.load64(bytes, position + 24))
      position += 32
    }
    let left = bytes.count - position
    if left > 0 {
      // Safe: fewer than 32 bytes are left, and `pending` is empty here.
      withUnsafeMutableBytes(of: &pending) { buffer in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position...]))
      }
      pendingCount = left
    }
  }

  /// The hash of everything added.
  package func finish() -> UInt64 {
    var hash: UInt64
    if total >= 32 {
      hash =
        Checksum.rotate(lanes.0, 1) &+ Checksum.rotate(lanes.1, 7)
        &+ Checksum.rotate(lanes.2, 12) &+ Checksum.rotate(lanes.3, 18)
      hash = Checksum.merge(hash, lanes.0)
      hash = Checksum.merge(hash, lanes.1)
      hash = Checksum.merge(hash, lanes.2)
      hash = Checksum.merge(hash, lanes.3)
    } else {
      hash = seed &+ Checksum.prime5
    }
    hash &+= total
    // Safe: all reads stay below pendingCount, which is less than 32.
    hash = withUnsafeBytes(of: pending) { tail in
      var hash = hash
      var position = 0
      while pendingCount - position >= 8 {
        hash ^= Checksum.round(0, Checksum.load64(tail, position))
        hash = Checksum.rotate(hash, 27) &* Checksum.prime1 &+ Checksum.prime4
        position += 8
      }
      if pendingCount - position >= 4 {
        let word = tail.loadUnaligned(fromByteOffset: position, as: UInt32.self)
        hash ^= UInt64(UInt32(littleEndian: word)) &* Checksum.prime1
        hash = Checksum.rotate(hash, 23) &* Checksum.prime2 &+ Checksum.prime3
        position += 4
      }
      while position < pendingCount {
        hash ^= UInt64(tail[position]) &* Checksum.prime5
        hash = Checksum.rotate(hash, 11) &* Checksum.prime1
        position += 1
      }
      return hash
    }
    hash ^= hash >> 33
    hash = hash &* Checksum.prime2
    hash ^= hash >> 29
    hash = hash &* Checksum.prime3
    return hash ^ (hash >> 32)
  }

  @inline(__always)
  private mutating func stripe(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) {
    lanes.0 = Checksum.round(lanes.0, a)
    lanes.1 = Checksum.round(lanes.1, b)
    lanes.2 = Checksum.round(lanes.2, c)
    lanes.3 = Checksum.round(lanes.3, d)
  }

  /// The caller has checked that eight bytes lie at the position.
  @inline(__always)
  private static func load64(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  @inline(__always)
  private static func rotate(_ x: UInt64, _ n: UInt64) -> UInt64 { x << n | x >> (64 - n) }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }
}
