import Foundation
import Synchronization

/// Something that must not be.
struct Finding: Codable, Sendable {
  enum Kind: String, Codable, Sendable, CaseIterable {
    /// What was acknowledged is not there.
    case lost
    /// What belongs together is there in part.
    case torn
    /// An answer that was never true.
    case wrong
    /// A damage that had an effect and that `verify` does not name.
    case unnamed
    /// An error, an end or a silence that is not documented.
    case failure
  }

  var kind: Kind
  var text: String

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}

/// What one check has come to.
struct Report: Codable, Sendable {
  var harness: String
  var seed: UInt64
  /// What one cycle is called.
  var noun: String
  /// The kinds of findings that the last line always counts.
  var kinds: [Finding.Kind]
  var cycles = 0
  /// The first column names the row.
  var header: [String] = []
  var rows: [[String]] = []
  var findings: [Finding] = []
  var skipped: [String] = []

  init(_ harness: String, _ options: Options, noun: String, kinds: [Finding.Kind]) {
    self.harness = harness
    seed = options.seed
    self.noun = noun
    self.kinds = kinds
  }

  mutating func find(_ kind: Finding.Kind, _ text: String) {
    findings.append(Finding(kind, text))
    if findings.count <= 20 {
      Progress.end()
      say("FOUND \(kind.rawValue): \(text)")
    }
  }

  /// The last line: cycles, and how many findings of each kind.
  var summary: String {
    let counted = Finding.Kind.allCases.compactMap { kind -> String? in
      let count = findings.count { $0.kind == kind }
      return kinds.contains(kind) || count > 0 ? "\(count) \(kind.rawValue)" : nil
    }
    return (["\(cycles) \(noun)"] + counted).joined(separator: ", ")
  }

  /// The rows under each other, numbers to the right.
  var table: String {
    let all = [header] + rows
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 ? row[column] + space : space + row[column]
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  func print(json: Bool) {
    Progress.end()
    if !rows.isEmpty { say(table) }
    for reason in skipped { say("\(harness): skipped, since \(reason).") }
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      if let text = try? encoder.encode(self) { say(String(decoding: text, as: UTF8.self)) }
    }
  }
}

/// Where a run stands: a line that overwrites itself, or where nobody looks, a line now and then.
enum Progress {
  private static let isTerminal = isatty(2) == 1
  private static let last = Mutex<UInt64>(DispatchTime.now().uptimeNanoseconds)

  /// Shows it, or not, if something was shown a moment ago.
  static func show(_ text: String) {
    let pause: UInt64 = isTerminal ? 100_000_000 : 20_000_000_000
    let isDue = last.withLock { last in
      let now = DispatchTime.now().uptimeNanoseconds
      guard now - last > pause else { return false }
      last = now
      return true
    }
    if isDue { write(isTerminal ? "\r\u{1b}[K\(text)" : "\(text)\n") }
  }

  /// Makes room for other lines.
  static func end() {
    if isTerminal { write("\r\u{1b}[K") }
  }

  private static func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}

/// Writes a line to standard output at once, also where that is a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
