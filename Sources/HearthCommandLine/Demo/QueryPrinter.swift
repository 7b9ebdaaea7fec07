import Hearth
import HearthBenchmarkKit

/// Prints a query: its code, how it was served, what it touched, and some of what it gave.
struct QueryPrinter {
  private static let resultsShown = 3

  let console: Console

  func print(
    title: String?, code: String, explained: ExplainedQuery, nanoseconds: UInt64,
    results: [String]
  ) {
    let style = console.style
    if let title { console.line("  " + style.bold(title)) }
    printCode(code)
    for line in explained.plan { item("plan", line) }
    item(
      "read",
      "\(count(explained.entriesScanned, "entry", "entries")), "
        + "\(count(explained.documentsRead, "document", "documents")), gave "
        + style.bold(count(explained.documents.count, "result", "results"))
        + " in \(NumberText.duration(nanoseconds))")
    var shown = results.prefix(Self.resultsShown).joined(separator: " · ")
    if results.count > Self.resultsShown { shown += " …" }
    if !shown.isEmpty { item("gave", style.dim(shown)) }
  }

  /// Prints Swift code, indented.
  func printCode(_ code: String) {
    for line in code.split(separator: "\n") {
      console.line("     " + console.style.code(String(line)))
    }
  }

  /// Prints a labelled text; long ones go on in the next line.
  private func item(_ label: String, _ text: String) {
    let indent = String(repeating: " ", count: 11)
    var prefix = "     " + label + String(repeating: " ", count: max(1, 6 - label.count))
    for line in Wrapping.lines(text, width: max(40, console.width - 11)) {
      console.line(prefix + line)
      prefix = indent
    }
  }

  private func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(NumberText.grouped(number)) \(number == 1 ? one : many)"
  }
}
