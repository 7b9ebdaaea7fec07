/// Bytes as text (RFC 4648, section 4).
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let pad = UInt8(ascii: "=")

  /// Appends the text of some bytes.
  package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
    var position = 0
    while position < bytes.count {
      let rest = bytes.count - position
      let group =
        UInt32(bytes[position]) << 16
        | (rest > 1 ? UInt32(bytes[position + 1]) << 8 : 0)
        | (rest > 2 ? UInt32(bytes[position + 2]) : 0)
      text.append(alphabet[Int(group >> 18)])
      text.append(alphabet[Int(group >> 12 & 63)])
      text.append(rest > 1 ? alphabet[Int(group >> 6 & 63)] : pad)
      text.append(rest > 2 ? alphabet[Int(group & 63)] : pad)
      position += 3
    }
  }

  /// The bytes of a text; nil if it is none of ours.
  package static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    for start in stride(from: 0, to: digits.count, by: 4) {
      let isLast = start + 4 == digits.count
      let pads = isLast ? digits[start..<start + 4].reversed().prefix { $0 == pad }.count : 0
      guard pads <= 2 else { return nil }
      var group: UInt32 = 0
      for digit in digits[start..<start + 4 - pads] {
        guard let value = value(of: digit) else { return nil }
        group = group << 6 | value
      }
      group <<= UInt32(6 * pads)
      // Bits that no byte takes must be zero, or two texts would be the same bytes.
      if pads > 0, group & (1 << UInt32(8 * pads) - 1) != 0 { return nil }
      bytes.append(UInt8(group >> 16))
      if pads < 2 { bytes.append(UInt8(group >> 8 & 0xff)) }
      if pads < 1 { bytes.append(UInt8(group & 0xff)) }
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a") + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0") + 52)
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
