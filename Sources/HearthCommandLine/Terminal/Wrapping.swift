/// Breaks text at spaces.
enum Wrapping {
  /// Gives lines of at most `width` characters.
  ///
  /// A longer word has a line to itself. Escape sequences for colours take no room.
  static func lines(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var columns = 0
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let wordColumns = visibleCount(word)
      if columns > 0, columns + 1 + wordColumns > width {
        lines.append(trimmed(line))
        line = String(word)
        columns = wordColumns
      } else if line.isEmpty {
        line = String(word)
        columns = wordColumns
      } else {
        line += " " + word
        columns += 1 + wordColumns
      }
    }
    lines.append(trimmed(line))
    return lines
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }

  private static func visibleCount(_ text: Substring) -> Int {
    var count = 0
    var isEscape = false
    for character in text {
      if character == "\u{1b}" {
        isEscape = true
      } else if isEscape {
        isEscape = character != "m"
      } else {
        count += 1
      }
    }
    return count
  }
}
