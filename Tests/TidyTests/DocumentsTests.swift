import Foundation
import Testing

/// What every decision must say.
private let decisionParts = ["date", "context", "choice", "consequences"]

/// Files of Docs/Decisions that are not decisions.
private let notDecisions = [
  Exception("README.md", because: "the list of decisions")
]

@Suite struct DocumentsTests {
  @Test("Links in documents lead somewhere")
  func links() {
    for file in Repository.documents {
      for (number, target) in links(in: file) where !isExternal(target) {
        let path = target.split(separator: "#", omittingEmptySubsequences: false).first ?? ""
        if path.isEmpty { continue }
        let decoded = String(path).removingPercentEncoding ?? String(path)
        let base = (file.path as NSString).deletingLastPathComponent
        let full =
          decoded.hasPrefix("/")
          ? String(decoded.dropFirst()) : (base as NSString).appendingPathComponent(decoded)
        if !Repository.exists(full) {
          report(file, line: number, "the link '\(target)' leads nowhere; correct or remove it.")
        }
      }
    }
  }

  private func isExternal(_ target: String) -> Bool {
    target.range(of: #"^[a-z][a-z0-9+.-]*:"#, options: .regularExpression) != nil
  }

  /// The targets of inline links and of link definitions, code aside.
  private func links(in file: SourceText) -> [(line: Int, target: String)] {
    var found: [(line: Int, target: String)] = []
    var isFenced = false
    for (index, line) in file.lines.enumerated() {
      if line.drop(while: \.isWhitespace).hasPrefix("```") { isFenced.toggle() }
      if isFenced { continue }
      let text = String(line).replacingOccurrences(
        of: #"`[^`]*`"#, with: "", options: .regularExpression)
      for pattern in [#"\]\(\s*<?([^)>\s]+)"#, #"^\s*\[[^\]]+\]:\s*<?(\S+?)>?\s*$"#] {
        guard let expression = try? NSRegularExpression(pattern: pattern) else { continue }
        let whole = text as NSString
        let range = NSRange(location: 0, length: whole.length)
        for match in expression.matches(in: text, range: range) {
          found.append((index + 1, whole.substring(with: match.range(at: 1))))
        }
      }
    }
    return found
  }

  @Test("Decisions have date, context, choice and consequences")
  func decisions() {
    for file in Repository.documents
    where file.path.hasPrefix("Docs/Decisions/") && !notDecisions.allow(file.path) {
      for part in decisionParts {
        let pattern = "(?i)^[#*\\-\\s|]*\(part)\\b"
        if file.lineNumbers(of: pattern, in: file.text).isEmpty {
          report(file, line: 1, "a decision says its \(part): add a line or heading '\(part)'.")
        }
      }
    }
  }
}
