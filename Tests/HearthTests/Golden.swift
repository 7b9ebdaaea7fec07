import Hearth
import Testing

/// A text that is checked in and compared line by line (`Tests/Golden`).
///
/// `HEARTH_GOLDEN=write swift test --filter …` writes it anew, for the difference to be reviewed.
struct Golden {
  let name: String

  private var url: URL {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Golden/\(name)").standardized
  }

  func check(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
    if ProcessInfo.processInfo.environment["HEARTH_GOLDEN"] == "write" {
      try Data(text.utf8).write(to: url)
      return
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let expected = String(decoding: try Data(contentsOf: url), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    for (number, (line, wanted)) in zip(lines, expected).enumerated()
    where !line.utf8.elementsEqual(wanted.utf8) {
      Issue.record(
        "\(name), line \(number + 1): '\(line)' instead of '\(wanted)'", sourceLocation: location)
    }
    #expect(lines.count == expected.count, "lines of \(name)", sourceLocation: location)
  }
}
