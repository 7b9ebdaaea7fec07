package import HearthModel

/// Reads what ``ByteWriter`` wrote.
///
/// Every read checks its bounds and throws where they end.
package struct ByteReader: Sendable {
  package let bytes: [UInt8]
  /// Where the next read starts.
  package var position: Int
  /// Where reading must stop; at most `bytes.count`.
  package private(set) var limit: Int

  /// Reads from a position to the end of the bytes.
  package init(_ bytes: [UInt8], from position: Int = 0) {
    self.bytes = bytes
    self.position = min(max(position, 0), bytes.count)
    limit = bytes.count
  }

  /// How many bytes are left.
  package var remaining: Int { limit - position }

  /// Whether everything was read.
  package var isAtEnd: Bool { position == limit }

  /// Confines reading to a part of what can be read now.
  mutating func confine(to range: Range<Int>) throws(HearthError) {
    guard range.lowerBound >= position, range.upperBound <= limit else {
      throw Corruption.malformed("a part reaches beyond its whole")
    }
    position = range.lowerBound
    limit = range.upperBound
  }

  /// Gives back the limit that `confine` took away.
  mutating func widen(to limit: Int) { self.limit = min(limit, bytes.count) }

  /// One byte.
  package mutating func byte() throws(HearthError) -> UInt8 {
    guard position < limit else { throw Corruption.malformed("it ends too early") }
    let byte = bytes[position]
    position += 1
    return byte
  }

  /// An unsigned number in 7-bit groups.
  package mutating func varint() throws(HearthError) -> UInt64 {
    let first = try byte()
    if first < 0x80 { return UInt64(first) }
    var number = UInt64(first & 0x7f)
    var shift: UInt64 = 7
    while true {
      let next = try byte()
      // The tenth byte has room for one bit only.
      if shift == 63, next > 1 { throw Corruption.malformed("a number is too long") }
      number |= UInt64(next & 0x7f) << shift
      if next < 0x80 { return number }
      shift += 7
    }
  }

  /// A signed number.
  package mutating func signed() throws(HearthError) -> Int64 {
    let folded = try varint()
    return Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
  }

  /// The number of things that take at least `size` bytes each, so that a damaged count can
  /// neither overflow nor reserve memory for more than is there.
  package mutating func count(of size: Int = 1) throws(HearthError) -> Int {
    let number = try varint()
    guard number <= UInt64(remaining / size) else {
      throw Corruption.malformed("a count exceeds what is there")
    }
    return Int(number)
  }

  /// Eight bytes, little end first.
  package mutating func fixed64() throws(HearthError) -> UInt64 {
    guard remaining >= 8 else { throw Corruption.malformed("it ends too early") }
    // Safe: eight bytes were just found to lie inside, and an integer has no invalid bit pattern.
    let number = bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
    position += 8
    return UInt64(littleEndian: number)
  }

  /// Four bytes, little end first.
  package mutating func fixed32() throws(HearthError) -> UInt32 {
    guard remaining >= 4 else { throw Corruption.malformed("it ends too early") }
    // Safe: four bytes were just found to lie inside, and an integer has no invalid bit pattern.
    let number = bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt32.self)
    position += 4
    return UInt32(littleEndian: number)
  }

  /// A string; bytes that are not UTF-8 are damage, never repaired.
  package mutating func text() throws(HearthError) -> String {
    let range = try textRange()
    guard let string = String(validating: bytes[range], as: UTF8.self) else {
      throw Corruption.malformed("a string is not UTF-8")
    }
    return string
  }

  /// Where the bytes of a string lie; moves behind it.
  mutating func textRange() throws(HearthError) -> Range<Int> {
    let count = try count()
    let start = position
    position += count
    return start..<position
  }

  /// Bytes behind their count.
  package mutating func blob() throws(HearthError) -> [UInt8] { Array(bytes[try textRange()]) }
}
