package import HearthModel

/// Unsigned numbers whose bytes sort as the numbers do, short for small numbers.
///
/// The first byte counts the bytes that follow (0...8), which hold the number, big end first and
/// without leading zeros. More bytes mean a greater number, so the count decides first.
package enum OrderedNumber {
  /// Appends a number.
  package static func append(_ number: UInt64, to key: inout [UInt8]) {
    let count = (64 - number.leadingZeroBitCount + 7) / 8
    key.append(UInt8(count))
    var shift = count * 8
    while shift > 0 {
      shift -= 8
      key.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }

  /// Reads a number and moves the position behind it.
  package static func read(
    from key: RawSpan, at position: inout Int
  ) throws(HearthError) -> UInt64 {
    let end = key.byteCount
    guard position >= 0, position < end else { throw Corruption.key("a number is missing") }
    let count = Int(key.unsafeLoad(fromByteOffset: position, as: UInt8.self))
    guard count <= 8, end - position > count else {
      throw Corruption.key("a number is cut off")
    }
    var number: UInt64 = 0
    var at = position + 1
    let stop = at + count
    while at < stop {
      number = number << 8 | UInt64(key.unsafeLoad(fromByteOffset: at, as: UInt8.self))
      at += 1
    }
    // A second spelling of one number would be a second key for one thing.
    if count > 0, number >> UInt64(8 * (count - 1)) == 0 {
      throw Corruption.key("a number has leading zeros")
    }
    position = stop
    return number
  }

  /// Reads a number and moves the position behind it.
  package static func read(
    from key: [UInt8], at position: inout Int
  ) throws(HearthError) -> UInt64 {
    try read(from: key.span.bytes, at: &position)
  }
}
