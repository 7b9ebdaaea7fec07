/// Numbers as bytes that sort as the numbers do.
enum NumberKey {
  /// Appends an integer as a number value: equal to the double of the same value.
  static func append(_ number: Int64, to key: inout [UInt8]) {
    let magnitude = number.magnitude
    var double = Double(magnitude)
    var residual: UInt64 = 0
    if magnitude > 1 << 53 {
      // The double toward zero, and how far the integer lies beyond it: 0...1023.
      if UInt64(double) > magnitude { double = double.nextDown }
      residual = magnitude - UInt64(double)
    }
    append(magnitude: double.bitPattern, residual: residual, negative: number < 0, to: &key)
  }

  /// Appends a double as a number value.
  static func append(_ number: Double, to key: inout [UInt8]) {
    if number.isNaN {
      key.append(ValueKey.Tag.nan)
    } else {
      append(magnitude: number.magnitude.bitPattern, residual: 0, negative: number < 0, to: &key)
    }
  }

  /// Appends 63 bits of a double's magnitude in nine groups of seven, then the residual in two.
  ///
  /// The low bit of each byte says whether anything but zeros follows, and what does not is left
  /// out: small numbers and short fractions take two or three bytes. For negative numbers the bytes
  /// are complemented, since a greater magnitude is then a smaller number.
  private static func append(
    magnitude: UInt64, residual: UInt64, negative: Bool, to key: inout [UInt8]
  ) {
    let mask: UInt8 = negative ? 0xff : 0
    key.append(negative ? ValueKey.Tag.negative : ValueKey.Tag.positive)
    var rest = magnitude << 1
    if residual == 0 {
      repeat {
        let group = UInt8(truncatingIfNeeded: rest >> 57)
        rest <<= 7
        key.append((group << 1 | (rest == 0 ? 0 : 1)) ^ mask)
      } while rest != 0
      return
    }
    for _ in 0..<9 {
      key.append((UInt8(truncatingIfNeeded: rest >> 57) << 1 | 1) ^ mask)
      rest <<= 7
    }
    let high = UInt8(truncatingIfNeeded: residual >> 7)
    let low = UInt8(truncatingIfNeeded: residual & 0x7f)
    key.append((high << 1 | (low == 0 ? 0 : 1)) ^ mask)
    if low != 0 { key.append(low << 1 ^ mask) }
  }

  /// The longest number behind its tag.
  static let longest = 11

  /// Appends eight bytes that sort as doubles do, NaN first and -0.0 with 0.0.
  static func appendSortable(_ number: Double, to key: inout [UInt8]) {
    let bits = number == 0 ? 0 : number.bitPattern
    let sortable =
      number.isNaN ? 0 : (bits >> 63 == 0 ? bits | 0x8000_0000_0000_0000 : ~bits)
    appendBigEndian(sortable, to: &key)
  }

  /// Appends eight bytes that sort as signed numbers do.
  static func appendSortable(_ number: Int64, to key: inout [UInt8]) {
    appendBigEndian(UInt64(bitPattern: number) ^ 0x8000_0000_0000_0000, to: &key)
  }

  /// Appends four bytes that sort as signed numbers do.
  static func appendSortable(_ number: Int32, to key: inout [UInt8]) {
    appendBigEndian(UInt32(bitPattern: number) ^ 0x8000_0000, to: &key)
  }

  static func appendBigEndian(_ number: UInt64, to key: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { key.append(contentsOf: $0) }
  }

  static func appendBigEndian(_ number: UInt32, to key: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { key.append(contentsOf: $0) }
  }
}
