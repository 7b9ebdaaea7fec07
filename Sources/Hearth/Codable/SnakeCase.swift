/// Conversion of names between camel case and snake case.
enum SnakeCase {
  /// `myURLProperty` becomes `my_url_property`; underscores at both ends stay.
  static func encode(_ name: String) -> String {
    let characters = Array(name)
    var result = ""
    for (position, character) in characters.enumerated() {
      let previous = position > 0 ? characters[position - 1] : "_"
      let next = position + 1 < characters.count ? characters[position + 1] : "_"
      let startsWord =
        character.isUppercase && previous != "_"
        && (!previous.isUppercase || next.isLowercase)
      if startsWord { result += "_" }
      result += character.lowercased()
    }
    return result
  }

  /// `one_two_three` becomes `oneTwoThree`; underscores at both ends stay.
  static func decode(_ name: String) -> String {
    guard let first = name.firstIndex(where: { $0 != "_" }),
      let last = name.lastIndex(where: { $0 != "_" })
    else { return name }
    let parts = name[first...last].split(separator: "_")
    let joined =
      parts.count == 1
      ? String(name[first...last])
      : parts[0].lowercased() + parts.dropFirst().map(\.capitalizedFirst).joined()
    return name[..<first] + joined + name[name.index(after: last)...]
  }
}

extension Substring {
  fileprivate var capitalizedFirst: String {
    prefix(1).uppercased() + dropFirst().lowercased()
  }
}
