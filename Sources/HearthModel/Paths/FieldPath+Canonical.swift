extension FieldPath {
  /// Parses the canonical form of index files and messages (documents-and-queries, 3.1).
  ///
  /// Names are joined by `.`; a name that is not a plain identifier stands in backticks, with
  /// `` ` `` and `\` escaped by a backslash.
  package init(canonical string: String) throws(HearthError) {
    var bytes = Array(string.utf8)[...]
    var names: [String] = []
    repeat {
      names.append(try FieldPath.name(from: &bytes, of: string))
    } while try FieldPath.dot(from: &bytes, of: string)
    self.init(names)
  }

  /// Takes one name from the front.
  private static func name(
    from bytes: inout ArraySlice<UInt8>, of string: String
  ) throws(HearthError) -> String {
    if bytes.first == tick { return try quoted(from: &bytes, of: string) }
    let name = bytes.prefix { $0 != period }
    bytes = bytes.dropFirst(name.count)
    if name.isEmpty { throw canonicalSyntax(string, "it has an empty name") }
    guard isBare(name) else {
      let text = String(decoding: name, as: UTF8.self)
      throw canonicalSyntax(string, "write the name '\(text)' in backticks")
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// Takes a name in backticks from the front.
  private static func quoted(
    from bytes: inout ArraySlice<UInt8>, of string: String
  ) throws(HearthError) -> String {
    var name: [UInt8] = []
    bytes = bytes.dropFirst()
    while let byte = bytes.popFirst() {
      switch byte {
      case tick:
        if name.isEmpty { throw canonicalSyntax(string, "it has an empty name") }
        return String(decoding: name, as: UTF8.self)
      case backslash:
        guard let next = bytes.popFirst() else {
          throw canonicalSyntax(string, "nothing follows its last backslash")
        }
        name.append(next)
      default: name.append(byte)
      }
    }
    throw canonicalSyntax(string, "a backtick is not closed")
  }

  /// Takes a dot from the front; false at the end.
  private static func dot(
    from bytes: inout ArraySlice<UInt8>, of string: String
  ) throws(HearthError) -> Bool {
    guard let byte = bytes.popFirst() else { return false }
    guard byte == period else {
      throw canonicalSyntax(string, "only '.' may follow a closing backtick")
    }
    return true
  }

  private static let period = UInt8(ascii: ".")
  private static let tick = UInt8(ascii: "`")
  private static let backslash = UInt8(ascii: "\\")

  private static func canonicalSyntax(_ string: String, _ fault: String) -> HearthError {
    .invalid("FIELD_PATH_SYNTAX", "'\(string)' is not a canonical field path: \(fault).")
  }
}
