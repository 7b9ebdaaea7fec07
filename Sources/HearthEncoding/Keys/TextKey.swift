import HearthModel

/// Text inside keys: raw bytes, a zero byte escaped, and an end below every continuation.
enum TextKey {
  /// Appends bytes with zeros escaped, without an end.
  static func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>, to key: inout [UInt8]) {
    var start = 0
    var position = 0
    while position < bytes.count {
      if bytes[position] == 0 {
        key.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...position]))
        key.append(ValueKey.Escape.zero)
        start = position + 1
      }
      position += 1
    }
    if start == 0 {
      key.append(contentsOf: bytes)
    } else {
      key.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
    }
  }

  /// The number of a numeric id.
  ///
  /// The full parse is for the few ids that begin like one.
  static func numericID(_ id: String) -> Int64? {
    let mayBeNumeric = id.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.count >= 7 && bytes[0] == UInt8(ascii: "_") && bytes[1] == UInt8(ascii: "_")
        && bytes[2] == UInt8(ascii: "i")
    }
    return mayBeNumeric == false ? nil : PathRules.numericID(id)
  }
}
