import HearthModel

/// A JSON value that keeps what Foundation's would lose: numbers as written, and names that differ
/// in bytes only.
enum JSON {
  case null
  case boolean(Bool)
  /// A number's text.
  case number(String)
  case string(String)
  case array([JSON])
  case object([(String, JSON)])
}

extension JSON {
  /// A member of an object.
  subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { UTF8Order.equal($0.0, name) }?.1
  }

  var members: [(String, JSON)] {
    if case .object(let members) = self { return members }
    return []
  }

  var elements: [JSON] {
    if case .array(let elements) = self { return elements }
    return []
  }

  var asString: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  /// A number, or one of the words that stand for the numbers that JSON lacks.
  var asDouble: Double? {
    switch self {
    case .number(let text): Double(text)
    case .string("NaN"): .nan
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    case .string(let text): Double(text)
    default: nil
    }
  }

  var text: String {
    switch self {
    case .null: return "null"
    case .boolean(let x): return x ? "true" : "false"
    case .number(let text): return text
    case .string(let text): return JSON.quoted(text)
    case .array(let elements): return "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      let pairs = members.map { JSON.quoted($0) + ":" + $1.text }
      return "{" + pairs.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\0"..<" ", "\u{7f}":
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}

extension JSON {
  struct SyntaxError: Error {
    var position: Int
  }

  init(_ bytes: [UInt8]) throws {
    var parser = JSONParser(bytes)
    self = try parser.value()
    try parser.end()
  }
}

private struct JSONParser {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var fault: JSON.SyntaxError { JSON.SyntaxError(position: position) }

  private mutating func skipSpace() {
    while position < bytes.count, [9, 10, 13, 32].contains(bytes[position]) { position += 1 }
  }

  mutating func end() throws {
    skipSpace()
    if position < bytes.count { throw fault }
  }

  private mutating func take(_ text: StaticString) -> Bool {
    skipSpace()
    let wanted = "\(text)".utf8
    guard bytes[position...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  mutating func value() throws -> JSON {
    if take("null") { return .null }
    if take("true") { return .boolean(true) }
    if take("false") { return .boolean(false) }
    if take("{") { return .object(try members()) }
    if take("[") { return .array(try elements()) }
    if take("\"") { return .string(try string()) }
    let digits = bytes[position...].prefix { "+-.0123456789eE".utf8.contains($0) }
    if digits.isEmpty { throw fault }
    position += digits.count
    return .number(String(decoding: digits, as: UTF8.self))
  }

  private mutating func members() throws -> [(String, JSON)] {
    var members: [(String, JSON)] = []
    if take("}") { return members }
    repeat {
      guard take("\"") else { throw fault }
      let name = try string()
      guard take(":") else { throw fault }
      members.append((name, try value()))
    } while take(",")
    guard take("}") else { throw fault }
    return members
  }

  private mutating func elements() throws -> [JSON] {
    var elements: [JSON] = []
    if take("]") { return elements }
    repeat { elements.append(try value()) } while take(",")
    guard take("]") else { throw fault }
    return elements
  }

  /// The rest of a string whose opening quote was taken.
  private mutating func string() throws -> String {
    var units: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(into: &units)
      default: units.append(byte)
      }
    }
    throw fault
  }

  private mutating func escape(into units: inout [UInt8]) throws {
    guard position < bytes.count else { throw fault }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "b"): units.append(8)
    case UInt8(ascii: "f"): units.append(12)
    case UInt8(ascii: "n"): units.append(10)
    case UInt8(ascii: "r"): units.append(13)
    case UInt8(ascii: "t"): units.append(9)
    case UInt8(ascii: "u"):
      var unit = try hexadecimal()
      if (0xd800..<0xdc00).contains(unit), take("\\u") {
        unit = 0x10000 + (unit - 0xd800) << 10 + (try hexadecimal() - 0xdc00)
      }
      guard let scalar = Unicode.Scalar(unit) else { throw fault }
      units += Array(String(Character(scalar)).utf8)
    default: units.append(byte)
    }
  }

  private mutating func hexadecimal() throws -> UInt32 {
    let digits = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
    guard digits.utf8.count == 4, let unit = UInt32(digits, radix: 16) else { throw fault }
    position += 4
    return unit
  }
}
