import Foundation

/// What a check has seen, and how it says so.
struct Report: Codable {
  var check: String
  var seed: UInt64
  var checked = 0
  var findings: [Finding] = []
  /// Findings beyond those that are kept.
  var counts: [Finding.Kind: Int] = [:]
  var head: [String] = []
  var rows: [[String]] = []
  /// Below the table.
  var notes: [String] = []
  var seconds = 0.0

  init(_ check: String, seed: UInt64) {
    self.check = check
    self.seed = seed
  }

  mutating func find(_ finding: Finding) {
    counts[finding.kind, default: 0] += 1
    if findings.count < 50 { findings.append(finding) }
  }

  var total: Int { counts.values.reduce(0, +) }

  /// The last line.
  var totals: String {
    let kinds = Finding.Kind.allCases.filter { $0 != .waived }.map {
      "\(counts[$0, default: 0]) \($0.rawValue)"
    }
    return "\(check): \(checked) checked, " + kinds.joined(separator: ", ")
  }

  /// Columns of equal width, numbers to the right.
  var table: [String] {
    let lines = [head] + rows
    let widths = head.indices.map { column in
      lines.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return lines.map { line in
      line.enumerated().map { column, text in
        let space = String(repeating: " ", count: max(0, widths[column] - text.count))
        return column == 0 ? text + space : space + text
      }.joined(separator: "  ")
    }
  }

  func show(_ options: Options) {
    if options.json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      if let data = try? encoder.encode(self) { say(String(decoding: data, as: UTF8.self)) }
    } else {
      table.forEach(say)
      for note in notes { say("  " + note) }
      for finding in findings.prefix(20) { say("  \(finding.kind.rawValue): \(finding.text)") }
      if total > 20 { say("  … and \(total - 20) more") }
      if total > 0 {
        let sample = options.sample.map { " --sample \($0)" } ?? ""
        say("  again: hearth-faults \(check) --seed \(seed) --rounds \(options.rounds)\(sample)")
      }
    }
    say(totals + String(format: " (%.0f s)", seconds))
  }
}

/// Writes a line to standard output at once, also where that is a pipe.
func say(_ line: String) {
  // Nobody need read to the end.
  try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
}

/// One line that overwrites itself, where somebody looks at it.
struct Progress {
  private static let isTerminal = isatty(2) == 1

  let name: String
  let total: Int
  private var last = 0

  init(_ name: String, _ total: Int) {
    self.name = name
    self.total = total
  }

  mutating func show(_ done: Int) {
    guard Progress.isTerminal, done / 20 != last / 20 else { return }
    last = done
    FileHandle.standardError.write(Data("\r\(name): \(done) of \(total) ".utf8))
  }

  func end() {
    if Progress.isTerminal { FileHandle.standardError.write(Data("\r\u{1b}[K".utf8)) }
  }
}
