import Foundation

/// A source file, with its code and its comments told apart.
struct SourceText {
  /// The path below the repository's root.
  let path: String
  /// The whole text.
  let text: String
  /// The text with comments and the contents of string literals blanked; same lines.
  let code: String
  /// The text with everything but comments blanked; same lines.
  let comments: String

  init(path: String, text: String) {
    self.path = path
    self.text = text
    var splitter = CodeSplitter(text)
    splitter.run()
    code = String(decoding: splitter.code, as: UTF8.self)
    comments = String(decoding: splitter.comments, as: UTF8.self)
  }

  /// The target: the directory below `Sources` or another top directory.
  var target: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }

  var lines: [Substring] { SourceText.lines(of: text) }
  var codeLines: [Substring] { SourceText.lines(of: code) }
  var commentLines: [Substring] { SourceText.lines(of: comments) }

  private static func lines(of text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The line numbers, from 1, where a pattern matches in `part`.
  func lineNumbers(of pattern: String, in part: String) -> [Int] {
    guard
      let expression = try? NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    else { return [] }
    let whole = part as NSString
    return expression.matches(in: part, range: NSRange(location: 0, length: whole.length)).map {
      whole.substring(to: $0.range.location).utf8.count { $0 == UInt8(ascii: "\n") } + 1
    }
  }
}

/// Splits Swift source into code and comments, well enough for searching words.
private struct CodeSplitter {
  private let source: [UInt8]
  private var position = 0
  private(set) var code: [UInt8] = []
  private(set) var comments: [UInt8] = []

  init(_ text: String) { source = Array(text.utf8) }

  private enum Kind { case code, comment, literal }

  mutating func run() {
    while position < source.count { step() }
  }

  private mutating func step() {
    if follows("//") {
      while position < source.count, source[position] != UInt8(ascii: "\n") { take(.comment) }
    } else if follows("/*") {
      takeBlockComment()
    } else if let hashes = literalStart {
      takeLiteral(hashes: hashes)
    } else {
      take(.code)
    }
  }

  private func follows(_ text: String) -> Bool {
    source[position...].starts(with: text.utf8)
  }

  /// Copies one byte to where it belongs; the other text gets a blank, or the line's end.
  private mutating func take(_ kind: Kind, _ count: Int = 1) {
    for byte in source[position..<min(position + count, source.count)] {
      let blank = byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " ")
      code.append(kind == .code ? byte : blank)
      comments.append(kind == .comment ? byte : blank)
    }
    position += count
  }

  private mutating func takeBlockComment() {
    var depth = 0
    repeat {
      if follows("/*") {
        depth += 1
        take(.comment, 2)
      } else if follows("*/") {
        depth -= 1
        take(.comment, 2)
      } else {
        take(.comment)
      }
    } while depth > 0 && position < source.count
  }

  /// The number of `#` before a string literal that starts here, nil if none does.
  private var literalStart: Int? {
    var end = position
    while end < source.count, source[end] == UInt8(ascii: "#") { end += 1 }
    guard end < source.count, source[end] == UInt8(ascii: "\"") else { return nil }
    return end - position
  }

  private mutating func takeLiteral(hashes: Int) {
    let pounds = String(repeating: "#", count: hashes)
    take(.code, hashes)
    let quote = follows("\"\"\"") ? "\"\"\"" : "\""
    take(.code, quote.utf8.count)
    while position < source.count {
      if follows(quote + pounds) {
        return take(.code, quote.utf8.count + hashes)
      } else if follows("\\" + pounds + "(") {
        take(.literal, 1 + hashes)
        takeInterpolation()
      } else if follows("\\" + pounds) {
        take(.literal, 2 + hashes)
      } else {
        take(.literal)
      }
    }
  }

  /// The code inside `\(…)`.
  private mutating func takeInterpolation() {
    var depth = 0
    repeat {
      if source[position] == UInt8(ascii: "(") { depth += 1 }
      if source[position] == UInt8(ascii: ")") { depth -= 1 }
      step()
    } while depth > 0 && position < source.count
  }
}
