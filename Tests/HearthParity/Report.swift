import Foundation
import HearthModel

/// What is said on the way and at the end.
struct Report {
  private let isTerminal = isatty(2) == 1
  private var lastProgress = 0

  /// One line that overwrites itself, where somebody looks at it.
  mutating func progress(_ comparison: Comparison, worlds: Int, findings: Int) {
    guard isTerminal, comparison.total / 50 != lastProgress else { return }
    lastProgress = comparison.total / 50
    write("\r\(comparison.total) compared in \(worlds) worlds, \(findings) unexplained ")
  }

  /// Ends the line of the progress.
  func endProgress() { if isTerminal { write("\r\u{1b}[K") } }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

  /// One difference: how to see it again, what was asked in both forms, and both answers.
  func show(_ finding: Program.Finding, isShrunk: Bool, _ emulator: EmulatorSide) {
    let difference = finding.difference
    say("\nUNEXPLAINED in world \(finding.seed), step \(finding.step)")
    say("  again:    make parity ARGS='--seed \(finding.seed) --worlds 1'")
    say("  documents (\(isShrunk ? "shrunk" : "not shrunk; it depends on what came before")):")
    for document in finding.documents {
      say("    \(document.path) \(Wire.fields(document.fields).text)")
    }
    say("  request:  \(Report.short(difference.request))")
    say("  wire:     \(emulator.target(difference.request))")
    say("            \(difference.wire.text)")
    say(
      "  Hearth:   \(difference.hearth.text) \(difference.hearthReason) \(difference.hearthMessage)"
    )
    say("  emulator: \(difference.emulator.text) \(difference.emulatorMessage)")
  }

  /// The request as Hearth takes it, without the names of modules and types.
  private static func short(_ request: Request) -> String {
    var text = "\(request)"
    for word in ["HearthModel.", "QueryFilter.", "FilterOperator.", "Value.", "Write.", "Kind."] {
      text = text.replacingOccurrences(of: word, with: "")
    }
    return text
  }

  /// The counts.
  func summary(_ comparison: Comparison, worlds: Int, seed: UInt64, seconds: Double) {
    let kinds = Request.Kind.allCases.map { "\(comparison.compared[$0, default: 0]) \($0)" }
    say(
      "\(worlds) worlds from seed \(seed) in \(Int(seconds)) s: "
        + kinds.joined(separator: ", ") + "; \(comparison.hearth.indexes) indexes made")
    say("queries that found documents: \(comparison.fruitful)")
    say("refused by both alike, by Hearth's reason:")
    for (reason, count) in comparison.errors.sorted(by: { $0.key < $1.key }) {
      say("  \(count)  \(reason)")
    }
    say("known differences, with how often each was met:")
    for known in KnownDifferences.all {
      say("  \(comparison.known[known.name, default: 0])  \(known.name)")
    }
  }

  func json(_ comparison: Comparison, worlds: Int, seed: UInt64, findings: Int) {
    var members: [(String, JSON)] = [
      ("seed", .number("\(seed)")), ("worlds", .number("\(worlds)")),
      ("compared", .number("\(comparison.total)")), ("unexplained", .number("\(findings)")),
    ]
    for kind in Request.Kind.allCases {
      members.append((kind.rawValue, .number("\(comparison.compared[kind, default: 0])")))
    }
    let known = KnownDifferences.all.map { known in
      (known.name, JSON.number("\(comparison.known[known.name, default: 0])"))
    }
    members.append(("known", .object(known)))
    say(JSON.object(members).text)
  }
}

extension Answer {
  /// For people.
  var text: String {
    switch self {
    case .failure(let status): status
    case .commit(let results):
      results.map { result in
        let time = result.updated.map { "commit \($0)" } ?? "no time"
        return "\(time) \(result.transformResults.map { Wire.value($0).text })"
      }.joined(separator: "; ")
    case .documents(let documents):
      documents.isEmpty
        ? "nothing"
        : documents.map { document in
          guard let document else { return "\n    missing" }
          return "\n    \(document.path) made \(document.created) changed \(document.updated) "
            + Wire.fields(document.fields).text
        }.joined()
    case .aggregates(let values):
      values.map { "\($0.alias) \(Wire.value($0.value).text)" }.joined(separator: ", ")
    }
  }
}

/// Writes a line to standard output at once, also where that is a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
