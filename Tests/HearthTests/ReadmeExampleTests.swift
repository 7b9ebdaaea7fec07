import Foundation
import Hearth
import HearthTestSupport
import Testing

@Suite struct ReadmeExampleTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The example's lines as compiled, without the test's indentation.
  private func compiled() throws -> [String] {
    let file = root.appending(path: "Tests/HearthTests/ReadmeExample.swift")
    var lines: [String] = ["import Hearth", ""]
    var section: String?
    for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
      let bare = line.trimmingCharacters(in: .whitespaces)
      if bare == "// README-END" {
        if section == "types" { lines.append("") }
        section = nil
      } else if bare == "// README-TYPES" {
        section = "types"
      } else if bare == "// README-BODY" {
        section = "body"
      } else if let section {
        lines.append(section == "body" && line.hasPrefix("  ") ? String(line.dropFirst(2)) : line)
      }
    }
    return lines
  }

  @Test func `the README's first example is the code that is compiled here`() throws {
    let readme = root.appending(path: "README.md")
    guard let text = try? String(contentsOf: readme, encoding: .utf8) else { return }
    let parts = text.components(separatedBy: "```swift\n")
    let block = try #require(parts.count > 1 ? parts[1].components(separatedBy: "\n```")[0] : nil)
    #expect(block.components(separatedBy: "\n") == (try compiled()))
  }

  @Test func `the README's first example prints what it says`() async throws {
    try await withTemporaryDirectory { path in
      // The example names a relative path; a process has one working directory, so the example's
      // database lands there and is removed again.
      let place = URL(filePath: "eats.hearth")
      try? FileManager.default.removeItem(at: place)
      defer { try? FileManager.default.removeItem(at: place) }
      let printed = Collected<[Double]>()
      try await runReadmeExample { printed.append($0) }
      #expect(printed.all == [[4.5]])
    }
  }
}
