/// Builds records and catalog values: bytes that need no order.
package struct ByteWriter: Sendable {
  package var bytes: [UInt8]

  package init(capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// One byte.
  package mutating func byte(_ byte: UInt8) { bytes.append(byte) }

  /// An unsigned number in 7-bit groups, low group first, the high bit saying "more".
  package mutating func varint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// A count or length.
  package mutating func count(_ count: Int) { varint(UInt64(count)) }

  /// A signed number, folded so that small magnitudes are short.
  package mutating func signed(_ number: Int64) {
    varint(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }

  /// Eight bytes, little end first.
  package mutating func fixed64(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Four bytes, little end first.
  package mutating func fixed32(_ number: UInt32) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// A string's UTF-8 bytes behind their count.
  package mutating func text(_ string: String) {
    var string = string
    string.withUTF8 {
      count($0.count)
      bytes.append(contentsOf: $0)
    }
  }

  /// Bytes behind their count.
  package mutating func blob(_ blob: [UInt8]) {
    count(blob.count)
    bytes.append(contentsOf: blob)
  }
}
