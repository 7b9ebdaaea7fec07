import Testing

private let longestLine = 100
private let longestFile = 500
private let longestFunction = 70

/// Lines, files and functions that may be longer.
private let longLines = [
  Exception("HearthEngine/Runtime.swift", because: "one closure type, one column too long")
]
private let longFiles: [Exception] = []
private let longFunctions: [Exception] = []

@Suite struct SizesTests {
  @Test("Lines have at most 100 columns")
  func lines() {
    for file in Repository.sources where !longLines.allow(file.path) {
      for (index, line) in file.lines.enumerated()
      // Counting bytes first spares counting the characters of nearly all lines.
      where line.utf8.count > longestLine && line.count > longestLine {
        report(file, line: index + 1, "break this line of \(line.count) columns.")
      }
    }
  }

  @Test("Source files have at most 500 lines")
  func files() {
    for file in Repository.sources
    where file.lines.count > longestFile && !longFiles.allow(file.path) {
      report(
        file, line: longestFile,
        "\(file.lines.count) lines: give one of its subjects a file of its own.")
    }
  }

  @Test("Functions have at most 70 lines")
  func functions() {
    for file in Repository.sources where !longFunctions.allow(file.path) {
      for (line, length) in functions(in: file) where length > longestFunction {
        report(
          file, line: line, "a function of \(length) lines: name its parts as functions.")
      }
    }
  }

  /// The first line and the length of every function, by matching braces.
  private func functions(in file: SourceText) -> [(line: Int, length: Int)] {
    let lines = file.codeLines
    let start =
      #"^[ \t]*([\w@()]+[ \t]+)*(func[ \t]+\S|init[?]?[<(]|deinit[ \t]*\{|subscript[<(])"#
    return file.lineNumbers(of: start, in: file.code).compactMap { first in
      var parentheses = 0
      var braces = 0
      for (offset, line) in lines[(first - 1)...].enumerated() {
        for character in line {
          switch character {
          case "(": parentheses += 1
          case ")": parentheses -= 1
          // Braces inside parentheses are closures of default arguments.
          case "{" where parentheses == 0 || braces > 0: braces += 1
          case "}" where parentheses == 0 || braces > 0:
            braces -= 1
            if braces <= 0 { return braces < 0 ? nil : (first, offset + 1) }
          default: break
          }
        }
        // A requirement of a protocol has no body: the next declaration begins.
        if offset > 0, braces == 0, parentheses == 0, line.allSatisfy(\.isWhitespace) {
          return nil
        }
      }
      return nil
    }
  }
}
