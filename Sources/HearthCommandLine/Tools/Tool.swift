import Foundation
import Hearth
import HearthBenchmarkKit

/// A command that does one thing to one database.
struct Tool: Sendable {
  var name: String
  /// The words that must be given, the database first.
  var operands: [String]
  /// What it does, in lines for the help text.
  var text: String
  var options: [Option]
  /// Does it; gives the exit code.
  var body: @Sendable (ToolRun) async throws -> Int32

  static let all = [verify, stat, backup, compact, export, importing]

  static func named(_ name: String) -> Tool? { all.first { $0.name == name } }

  /// Options that every tool has.
  static let json = Option(
    name: "json", value: nil, help: "Print the result as JSON, the rest to stderr.")
  private static let helpOption = Option(name: "help", value: nil, help: "Print this.")

  private var allOptions: [Option] { options + [Self.helpOption] }

  var help: String {
    let lines = allOptions.map { option in
      let name = "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
      return "  \(name)" + String(repeating: " ", count: max(1, 22 - name.count)) + option.help
    }
    return """
      USAGE
        hearth \(name) \(operands.joined(separator: " ")) [options]

      \(text)

      OPTIONS
      \(lines.joined(separator: "\n"))

      EXIT CODES
        0 done, 1 failed, 2 findings of a check, 64 a command line that makes no sense
      """
  }

  func run(_ words: [String]) async throws(UsageError) -> Int32 {
    let arguments: Arguments
    do throws(UsageError) {
      arguments = try Arguments(words, options: allOptions, operands: operands)
    } catch {
      throw UsageError(
        text: "\(error.text); usage: hearth \(name) "
          + "\(operands.joined(separator: " ")) [options], 'hearth help \(name)' tells more")
    }
    if arguments.has("help") {
      Console.standardOutput.line(help)
      return 0
    }
    // A reader of standard output that has gone is noticed where it is written.
    signal(SIGPIPE, SIG_IGN)
    let run = ToolRun(arguments: arguments)
    do {
      return try await body(run)
    } catch let error as UsageError {
      throw error
    } catch {
      run.endProgress()
      let text = (error as? HearthError)?.description ?? "\(error)"
      Console.standardError.line("hearth: \(text)")
      return HearthCommand.failure
    }
  }
}

/// One run of a tool.
final class ToolRun: Sendable {
  /// What a check gives that has found something.
  static let findings: Int32 = 2

  let arguments: Arguments
  private let progress: ToolProgress

  init(arguments: Arguments) {
    self.arguments = arguments
    progress = ToolProgress(Console.standardError)
  }

  var isJSON: Bool { arguments.has("json") }

  /// The database, the first operand.
  var database: URL { Self.file(arguments.operands[0]) }

  /// The second operand: another directory or a file.
  var other: String { arguments.operands[1] }

  static func file(_ path: String) -> URL { URL(filePath: path) }

  /// A tool never makes a database by accident.
  private var settings: FirestoreSettings {
    let settings = FirestoreSettings()
    settings.createsIfMissing = false
    return settings
  }

  /// Opens the database, and closes it after `body`.
  func withDatabase<R>(_ body: (Firestore) async throws -> R) async throws -> R {
    let database = try await Firestore.open(at: database, settings: settings)
    do {
      let result = try await body(database)
      try await database.close()
      return result
    } catch {
      try? await database.close()
      throw error
    }
  }

  /// Shows on a terminal how far something is, on standard error.
  func showing(_ label: String) -> @Sendable (Int, Int?) -> Void {
    let progress = progress
    return { done, total in progress.report(label, done, of: total) }
  }

  func endProgress() { progress.finish() }

  /// Prints a result: as JSON, or as a table under a sentence.
  func print(_ sentence: String, _ rows: [(String, String)], json: JSONText) {
    endProgress()
    let console = Console.standardOutput
    if isJSON { return console.line(json.text) }
    if !sentence.isEmpty { console.line(sentence) }
    let width = rows.map(\.0.count).max() ?? 0
    let numbers = rows.map(\.1.count).max() ?? 0
    for (name, value) in rows {
      let gap = String(repeating: " ", count: width - name.count + numbers - value.count + 2)
      console.line("  \(console.style.dim(name))\(gap)\(value)")
    }
  }

  /// A size for people.
  static func size(_ bytes: Int) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var number = Double(bytes)
    var unit = 0
    while number >= 1024, unit < units.count - 1 {
      number /= 1024
      unit += 1
    }
    let text = unit == 0 ? "\(bytes)" : NumberText.fixed(number, places: 1)
    return "\(text) \(units[unit])"
  }

  static func text(_ time: Timestamp) -> String {
    time.seconds == 0
      ? "none yet" : time.dateValue().formatted(.iso8601.time(includingFractionalSeconds: true))
  }
}
