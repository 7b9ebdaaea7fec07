package import HearthModel

extension ValueKey {
  /// The number that a component holds, nil if it holds no number.
  ///
  /// - Parameter isWholeDouble: Whether a number without a fraction is a double; the key alone
  ///   cannot tell (see ``NumberKinds``).
  package static func number(
    in key: [UInt8], from start: Int, descending: Bool, isWholeDouble: Bool
  ) throws(HearthError) -> Value? {
    guard start < key.count else { throw Corruption.key("a value is missing") }
    let mask: UInt8 = descending ? 0xff : 0
    switch key[start] ^ mask {
    case Tag.nan: return .double(.nan)
    case Tag.positive: return try number(key, start + 1, mask, 1, isWholeDouble)
    case Tag.negative: return try number(key, start + 1, ~mask, -1, isWholeDouble)
    default: return nil
    }
  }

  /// Reads the groups that `NumberKey` wrote.
  private static func number(
    _ key: [UInt8], _ start: Int, _ mask: UInt8, _ sign: Int64, _ isWholeDouble: Bool
  ) throws(HearthError) -> Value {
    var bits: UInt64 = 0
    var residual: UInt64 = 0
    var group = 0
    var more = true
    while more {
      guard group < NumberKey.longest, start + group < key.count else {
        throw Corruption.key("a number has no end")
      }
      let byte = key[start + group] ^ mask
      switch group {
      case 0..<9: bits |= UInt64(byte >> 1) << UInt64(57 - 7 * group)
      case 9: residual = UInt64(byte >> 1) << 7
      default: residual |= UInt64(byte >> 1)
      }
      more = byte & 1 == 1
      group += 1
    }
    let magnitude = Double(bitPattern: bits >> 1)
    if residual > 0 {
      guard let whole = UInt64(exactly: magnitude),
        let number = Int64(exactly: Int128(sign) * (Int128(whole) + Int128(residual)))
      else { throw Corruption.key("a number is out of range") }
      return .integer(number)
    }
    let double = sign < 0 ? -magnitude : magnitude
    if !isWholeDouble, let number = Int64(exactly: double) { return .integer(number) }
    return .double(double)
  }
}
