package import HearthModel

extension ValueKey {
  /// Where the component that starts at a position ends.
  package static func componentEnd(
    in key: RawSpan, from start: Int, descending: Bool = false
  ) throws(HearthError) -> Int {
    let end = key.withUnsafeBytes { skip($0, from: start, mask: descending ? 0xff : 0) }
    guard end >= 0 else { throw Corruption.key("a value has no end") }
    return end
  }

  /// Where the component that starts at a position ends.
  package static func componentEnd(
    in key: [UInt8], from start: Int, descending: Bool = false
  ) throws(HearthError) -> Int {
    try componentEnd(in: key.span.bytes, from: start, descending: descending)
  }

  /// The end of a component, or -1 if there is none.
  ///
  /// No recursion: the bodies of arrays, maps and references are all sequences of tagged parts, so
  /// a depth is all that needs remembering.
  ///
  /// Safe: every access is behind a comparison of the position with the count.
  private static func skip(
    _ key: UnsafeRawBufferPointer, from start: Int, mask: UInt8
  ) -> Int {
    let count = key.count
    var position = start
    var depth = 0
    guard position >= 0 else { return -1 }
    repeat {
      guard position < count else { return -1 }
      let tag = key[position] ^ mask
      position += 1
      switch tag {
      case Tag.null, Tag.false, Tag.true, Tag.nan: break
      case Tag.positive, Tag.negative:
        position = skipNumber(key, position, tag == Tag.positive ? mask : ~mask)
      case Tag.timestamp: position += 12
      case Tag.geoPoint: position += 16
      case Tag.string, Tag.bytes:
        var truncated = false
        position = skipText(key, position, mask, &truncated)
        if truncated { return position }
      case Tag.vector:
        var truncated = false
        position = skipVector(key, position, mask, &truncated)
        if truncated { return position }
      case Tag.array, Tag.map, Tag.reference: depth += 1
      case Tag.end where depth > 0: depth -= 1
      case Tag.truncated where depth > 0: return position
      case Tag.numericID where depth > 0: position += 8
      default: return -1
      }
      guard position >= 0 else { return -1 }
    } while depth > 0
    return position <= count ? position : -1
  }

  private static func skipNumber(
    _ key: UnsafeRawBufferPointer, _ start: Int, _ mask: UInt8
  ) -> Int {
    var position = start
    let stop = min(key.count, start + NumberKey.longest)
    while position < stop {
      if (key[position] ^ mask) & 1 == 0 { return position + 1 }
      position += 1
    }
    return -1
  }

  private static func skipText(
    _ key: UnsafeRawBufferPointer, _ start: Int, _ mask: UInt8, _ truncated: inout Bool
  ) -> Int {
    var position = start
    let count = key.count
    while position < count - 1 {
      if key[position] != mask {
        position += 1
        continue
      }
      switch key[position + 1] ^ mask {
      case Escape.end: return position + 2
      case Escape.truncated:
        truncated = true
        return position + 2
      case Escape.zero: position += 2
      default: return -1
      }
    }
    return -1
  }

  private static func skipVector(
    _ key: UnsafeRawBufferPointer, _ start: Int, _ mask: UInt8, _ truncated: inout Bool
  ) -> Int {
    guard key.count - start >= 8 else { return -1 }
    var numbers: UInt64 = 0
    for position in start..<(start + 8) {
      numbers = numbers << 8 | UInt64(key[position] ^ mask)
    }
    let dimension = Int(numbers >> 32)
    let retained = Int(numbers & 0xffff_ffff)
    let end = start + 8 + 8 * retained
    guard retained <= dimension, end <= key.count else { return -1 }
    if retained == dimension { return end }
    guard end < key.count, key[end] ^ mask == Tag.truncated else { return -1 }
    truncated = true
    return end + 1
  }
}
