import Foundation
import Hearth
import HearthTestSupport
import Testing

@Suite struct ReadmeExampleTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The example's words as compiled.
  private func compiled() throws -> [String] {
    let file = root.appending(path: "Tests/HearthTests/ReadmeExample.swift")
    var lines: [String] = ["import Hearth"]
    var isInside = false
    var isBody = false
    for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
      switch line.trimmingCharacters(in: .whitespaces) {
      case "// README-END":
        isInside = false
        if isBody { lines.append("}") }
      case "// README-TYPES": isInside = true
      case "// README-BODY":
        isInside = true
        isBody = true
        lines.append(
          "func rateNori() async throws {  // inside a function: see \"Use it\" for the top level")
      default: if isInside { lines.append(line) }
      }
    }
    return words(lines.joined(separator: "\n"))
  }

  /// Everything between white space: inside a function the code is indented and broken otherwise.
  private func words(_ text: String) -> [String] {
    text.components(separatedBy: .whitespacesAndNewlines).filter { !$0.isEmpty }
  }

  @Test func `the README's first example is the code that is compiled here`() throws {
    let readme = root.appending(path: "README.md")
    guard let text = try? String(contentsOf: readme, encoding: .utf8) else { return }
    let parts = text.components(separatedBy: "```swift\n")
    let block = try #require(parts.count > 1 ? parts[1].components(separatedBy: "\n```")[0] : nil)
    #expect(words(block) == (try compiled()))
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
