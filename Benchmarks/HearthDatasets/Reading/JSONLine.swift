import Hearth

/// Reads one JSON text into a ``Value``.
///
/// Foundation's parser gives numbers whose kind (integer, double, boolean) is lost on some
/// platforms; here the spelling decides: a number without fraction and exponent is an integer.
struct JSONLine {
  struct Problem: Error { var text: String }

  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// The one value of the text.
  static func parse(_ bytes: ArraySlice<UInt8>) throws(Problem) -> Value {
    var reader = JSONLine(bytes)
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.position == bytes.endIndex else { throw reader.problem("text after the value") }
    return value
  }

  private func problem(_ text: String) -> Problem {
    Problem(text: "\(text) at byte \(position - bytes.startIndex)")
  }

  private var current: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a {
      position += 1
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(Problem) {
    guard take(character) else { throw problem("expected '\(character)'") }
  }

  private mutating func value(depth: Int) throws(Problem) -> Value {
    guard depth < 32 else { throw problem("nested too deeply") }
    skipSpace()
    switch current {
    case UInt8(ascii: "{"): return .map(try object(depth: depth))
    case UInt8(ascii: "["): return .array(try array(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ word: StaticString, _ value: Value) throws(Problem) -> Value {
    let text = Array("\(word)".utf8)
    guard bytes[position...].starts(with: text) else { throw problem("expected \(word)") }
    position += text.count
    return value
  }

  private mutating func object(depth: Int) throws(Problem) -> Fields {
    try expect("{")
    var pairs: [(String, Value)] = []
    skipSpace()
    if take("}") { return Fields() }
    repeat {
      skipSpace()
      let name = try string()
      skipSpace()
      try expect(":")
      pairs.append((name, try value(depth: depth + 1)))
      skipSpace()
    } while take(",")
    try expect("}")
    return Fields(pairs)
  }

  private mutating func array(depth: Int) throws(Problem) -> [Value] {
    try expect("[")
    var values: [Value] = []
    skipSpace()
    if take("]") { return values }
    repeat {
      values.append(try value(depth: depth + 1))
      skipSpace()
    } while take(",")
    try expect("]")
    return values
  }

  private mutating func number() throws(Problem) -> Value {
    let start = position
    var isInteger = true
    scan: while let byte = current {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"): break
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isInteger = false
      default: break scan
      }
      position += 1
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let integer = Int64(text) { return .integer(integer) }
    if !isInteger, let double = Double(text), double.isFinite { return .double(double) }
    throw problem("not a number: '\(text)'")
  }

  private mutating func string() throws(Problem) -> String {
    try expect("\"")
    var content: [UInt8] = []
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: content, as: UTF8.self) else {
          throw problem("a string that is not UTF-8")
        }
        return text
      case UInt8(ascii: "\\"): content.append(contentsOf: try escape())
      default: content.append(byte)
      }
    }
    throw problem("a string without its end")
  }

  /// The UTF-8 bytes of what follows a backslash.
  private mutating func escape() throws(Problem) -> [UInt8] {
    guard let byte = current else { throw problem("a string without its end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0c]
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      var units = [try hexUnit()]
      if UTF16.isLeadSurrogate(units[0]), take("\\"), take("u") { units.append(try hexUnit()) }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw problem("half of a surrogate pair")
      }
      return Array(text.utf8)
    default: throw problem("an unknown escape")
    }
  }

  private mutating func hexUnit() throws(Problem) -> UInt16 {
    guard bytes.endIndex - position >= 4,
      let unit = UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
    else { throw problem("\\u without four hexadecimal digits") }
    position += 4
    return unit
  }
}
