/// Reads one JSON text (RFC 8259), strictly.
///
/// Foundation's parser is not asked: on some platforms it gives numbers whose kind is lost, and
/// names that differ in their bytes only become one.
package struct JSONParser {
  /// A document nests 20 containers, each of them three levels of an export's JSON.
  private static let deepest = 128

  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The one value of a text.
  package static func parse(_ bytes: [UInt8]) throws(TextFault) -> JSONNode {
    var parser = JSONParser(bytes)
    let node = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.position == bytes.count else { throw parser.fault("text after the value") }
    return node
  }

  private func fault(_ text: String) -> TextFault {
    TextFault("not valid JSON: \(text) at byte \(position + 1)")
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

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

  private mutating func expect(_ character: Unicode.Scalar) throws(TextFault) {
    guard take(character) else { throw fault("expected '\(character)'") }
  }

  private mutating func value(depth: Int) throws(TextFault) -> JSONNode {
    guard depth < Self.deepest else { throw fault("nested too deeply") }
    skipSpace()
    switch current {
    case UInt8(ascii: "{"): return .object(try object(depth: depth))
    case UInt8(ascii: "["): return .array(try array(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func word(_ word: String, _ node: JSONNode) throws(TextFault) -> JSONNode {
    guard bytes[position...].starts(with: word.utf8) else { throw fault("expected \(word)") }
    position += word.utf8.count
    return node
  }

  private mutating func object(depth: Int) throws(TextFault) -> [JSONNode.Member] {
    try expect("{")
    var members: [JSONNode.Member] = []
    skipSpace()
    if take("}") { return members }
    repeat {
      skipSpace()
      let name = try string()
      skipSpace()
      try expect(":")
      members.append(JSONNode.Member(name: name, value: try value(depth: depth + 1)))
      skipSpace()
    } while take(",")
    try expect("}")
    // Sorting finds a name that stands twice without comparing all with all.
    let names = members.map { Array($0.name.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    for (one, next) in zip(names, names.dropFirst()) where one == next {
      throw fault("the name \"\(String(decoding: one, as: UTF8.self))\" stands twice in an object")
    }
    return members
  }

  private mutating func array(depth: Int) throws(TextFault) -> [JSONNode] {
    try expect("[")
    var elements: [JSONNode] = []
    skipSpace()
    if take("]") { return elements }
    repeat {
      elements.append(try value(depth: depth + 1))
      skipSpace()
    } while take(",")
    try expect("]")
    return elements
  }

  /// The spelling of a number, which is checked against JSON's grammar.
  private mutating func number() throws(TextFault) -> String {
    let start = position
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func digits() throws(TextFault) {
    let start = position
    while let byte = current, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
      position += 1
    }
    if position == start { throw fault(current == nil ? "the text ends" : "no value") }
  }

  private mutating func string() throws(TextFault) -> String {
    try expect("\"")
    var start = position
    var content: [UInt8] = []
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        content += bytes[start..<position]
        guard let text = String(validating: content, as: UTF8.self) else {
          throw fault("a string that is not UTF-8 ends")
        }
        position += 1
        return text
      case UInt8(ascii: "\\"):
        content += bytes[start..<position]
        position += 1
        try escape(&content)
        start = position
      case ..<0x20: throw fault("a control character that is not escaped")
      default: position += 1
      }
    }
    throw fault("a string without its end")
  }

  /// Adds the UTF-8 bytes of what follows a backslash.
  private mutating func escape(_ content: inout [UInt8]) throws(TextFault) {
    guard let byte = current else { throw fault("a string without its end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0c)
    case UInt8(ascii: "n"): content.append(0x0a)
    case UInt8(ascii: "r"): content.append(0x0d)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"):
      var units = [try hexUnit()]
      if UTF16.isLeadSurrogate(units[0]), take("\\"), take("u") { units.append(try hexUnit()) }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw fault("half of a surrogate pair")
      }
      content += text.utf8
    default: throw fault("an unknown escape")
    }
  }

  private mutating func hexUnit() throws(TextFault) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = hexDigit(byte) else {
        throw fault("\\u without four hexadecimal digits")
      }
      unit = unit << 4 | digit
      position += 1
    }
    return unit
  }
}

/// The value of an ASCII hexadecimal digit.
private func hexDigit(_ byte: UInt8) -> UInt16? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
  case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
  default: nil
  }
}
