import Hearth
import HearthBenchmarkKit

/// Step 3: a query that needs an index nobody declared, the error that says which, and the same
/// query after the index was built from the documents that are there.
struct MissingIndexStep {
  struct Result: Sendable {
    var reason: String
    var definition: String
    /// How many documents the index was built from, as far as progress told.
    var documents: Int
    var seconds: Double
    var explained: ExplainedQuery
    var nanoseconds: UInt64
  }

  private static let code = [
    "db.collection(\"restaurants\").whereField(\"category\", isEqualTo: \"Ramen\")",
    "  .order(by: \"avgRating\", descending: true).limit(to: 10)",
  ].joined(separator: "\n")

  let console: Console

  func run(_ db: Firestore) async throws -> Result {
    let query = db.collection("restaurants").whereField("category", isEqualTo: "Ramen")
      .order(by: "avgRating", descending: true).limit(to: 10)
    QueryPrinter(console: console).printCode(Self.code)
    console.line()
    let (error, missing) = try await expectMissingIndex(query)
    printError(error, missing)

    console.line("  Creating it, while the database stays open to everyone:")
    console.line()
    let (documents, seconds) = try await create(missing.definition, in: db)
    console.line()
    console.line("  The same query again:")
    console.line()
    let explained = try await query.explained()
    let stopwatch = Stopwatch()
    _ = try await query.getDocuments()
    let nanoseconds = stopwatch.nanoseconds
    QueryPrinter(console: console).print(
      title: nil, code: Self.code, explained: explained, nanoseconds: nanoseconds,
      results: explained.documents.map { "\($0["name"] ?? "") \($0["avgRating"] ?? "")" })
    return Result(
      reason: error.reason, definition: missing.definition.description, documents: documents,
      seconds: seconds, explained: explained, nanoseconds: nanoseconds)
  }

  private func expectMissingIndex(
    _ query: Query
  ) async throws -> (HearthError, MissingIndexDetails) {
    do {
      _ = try await query.getDocuments()
    } catch let error as HearthError {
      guard case .missingIndex(let missing) = error.details else { throw error }
      return (error, missing)
    }
    throw DemoError(text: "a query that lacks its index ran nevertheless")
  }

  private func printError(_ error: HearthError, _ missing: MissingIndexDetails) {
    let style = console.style
    let title = "\(error.status.name) (code \(error.code)), reason \(error.reason)"
    console.line("  " + style.bad(title))
    // The message ends in the JSON, which reads better as it was written.
    let text = error.message.replacing(missing.json, with: "").split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
    for line in Wrapping.lines(text, width: max(40, console.width - 2)) {
      console.line("  \(line)")
    }
    for line in missing.json.split(separator: "\n") {
      console.line("     " + style.code(String(line)))
    }
    console.line()
  }

  private func create(
    _ definition: IndexDefinition, in db: Firestore
  ) async throws -> (documents: Int, seconds: Double) {
    let stopwatch = Stopwatch()
    // The total is known at the first report only.
    let progress = IndexProgress(console: console)
    try await db.createIndex(definition) { done, total in progress.report(done, of: total) }
    progress.finish()
    return (progress.total, stopwatch.seconds)
  }
}

/// A failure of the demo itself.
struct DemoError: Error, CustomStringConvertible {
  var text: String
  var description: String { text }
}
