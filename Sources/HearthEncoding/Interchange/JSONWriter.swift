/// Appends JSON to bytes, on one line.
package struct JSONWriter: Sendable {
  package var bytes: [UInt8] = []

  package init() {}

  /// Appends text as it is.
  package mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends text that is JSON already.
  package mutating func json(_ text: String) { bytes.append(contentsOf: text.utf8) }

  package mutating func integer(_ number: Int) { json(String(number)) }

  /// Appends a string; its bytes come back as they are.
  package mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case UInt8(ascii: "\n"): raw("\\n")
      case UInt8(ascii: "\r"): raw("\\r")
      case UInt8(ascii: "\t"): raw("\\t")
      case ..<0x20:
        raw("\\u00")
        bytes.append(Self.digits[Int(byte >> 4)])
        bytes.append(Self.digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let digits = Array("0123456789abcdef".utf8)

  /// Appends a double so that it is read back with the same bits; what is no number is a string.
  package mutating func double(_ number: Double) {
    if number.isNaN {
      raw("\"NaN\"")
    } else if number.isInfinite {
      if number < 0 { raw("\"-Infinity\"") } else { raw("\"Infinity\"") }
    } else {
      json(number.description)
    }
  }

  /// Appends a comma before every element but the first.
  package mutating func list<C: Collection>(
    _ elements: C, _ element: (inout JSONWriter, C.Element) -> Void
  ) {
    var isFirst = true
    for one in elements {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      element(&self, one)
    }
  }
}
