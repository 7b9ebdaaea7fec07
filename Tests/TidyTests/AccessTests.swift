import Testing

/// Targets that users never see.
private let hidden = ["HearthStorage", "HearthEncoding", "HearthPlanner", "HearthEngine"]

/// How often each target goes round the compiler's checks of concurrency; these only go down.
private let unchecked = [
  "HearthStorage": 5,  // environment, reader pool, three locks around pthreads
  "HearthModel": 1,  // HearthError, an NSError
  "Hearth": 6,  // two boxes, and the four classes that Firestore has as open classes
]

@Suite struct AccessTests {
  @Test("Inner targets have nothing public")
  func nothingPublic() {
    for file in Repository.sources where hidden.contains(file.target) {
      let lines =
        file.lineNumbers(of: #"\bpublic\b"#, in: file.code)
        + file.lineNumbers(of: #"^\s*open\s+(class|func|var|subscript)\b"#, in: file.code)
      for line in lines {
        report(file, line: line, "\(file.target) is not for users: say `package` instead.")
      }
    }
  }

  @Test("Every public declaration is documented")
  func documented() {
    let declaration = #"^[ \t]*(@\w+(\([^)]*\))?[ \t]+)*(public|open)\b(?![ \t]+import\b)"#
    for file in Repository.sources {
      let lines = file.lines
      for line in file.lineNumbers(of: declaration, in: file.code) {
        let text = lines[line - 1]
        // An override is described where it comes from; extensions are described by their members.
        if text.contains(" override ") || text.contains("public extension ") { continue }
        if !documentedAbove(line, lines) {
          report(file, line: line, "document this declaration: a `///` sentence above it.")
        }
      }
    }
  }

  /// Whether a `///` stands above a line, attributes and plain comments aside.
  private func documentedAbove(_ line: Int, _ lines: [Substring]) -> Bool {
    for text in lines[..<(line - 1)].reversed() {
      let trimmed = text.drop(while: \.isWhitespace)
      if trimmed.hasPrefix("///") { return true }
      if !trimmed.hasPrefix("@") && !trimmed.hasPrefix("//") && !trimmed.hasPrefix("#") {
        return false
      }
    }
    return false
  }

  @Test("What the compiler does not check has its reason beside it")
  func uncheckedSendable() {
    var counts: [String: Int] = [:]
    for file in Repository.sources {
      let comments = file.commentLines
      let code = file.codeLines
      let pattern = #"@unchecked\s+Sendable|nonisolated\(unsafe\)"#
      for line in file.lineNumbers(of: pattern, in: file.code) {
        counts[file.target, default: 0] += 1
        // The comment block above, this line, or the one below.
        var first = line - 1
        while first > 0,
          code[first - 1].allSatisfy(\.isWhitespace) || code[first - 1].contains("@"),
          !(code[first - 1] + comments[first - 1]).allSatisfy(\.isWhitespace)
        {
          first -= 1
        }
        let beside = comments[first..<min(line + 1, comments.count)]
        if !beside.contains(where: { $0.contains("Sendable") || $0.contains("nonisolated") }) {
          report(
            file, line: line,
            "say above what makes this safe, in a comment that begins with 'Sendable:'.")
        }
      }
    }
    for (target, count) in counts.sorted(by: { $0.key < $1.key })
    where count > unchecked[target, default: 0] {
      Issue.record(
        """
        Sources/\(target):1: \(count) unchecked conformances, \(unchecked[target, default: 0]) \
        are allowed: let the compiler check the new one (an actor, a struct, a lock that exists).
        """)
    }
  }
}
