import Foundation

/// The `hearth` command.
@main
package struct HearthCommand {
  /// The version of this release.
  static let version = "0.1.0"

  /// Exit codes: a failed check or run, and a command line that makes no sense.
  static let failure: Int32 = 1
  static let usageFailure: Int32 = 64

  package static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    // main() lives on the main thread, and each hop from there to any actor costs 17 µs; measured
    // work has to begin elsewhere.
    let code = await Task.detached { await run(words) }.value
    exit(code)
  }

  /// Does what a command line asks for; gives the exit code.
  package static func run(_ words: [String]) async -> Int32 {
    let rest = Array(words.dropFirst())
    do throws(UsageError) {
      switch words.first {
      case nil:
        Console.standardError.line(help)
        return usageFailure
      case "demo": return try await DemoCommand.run(rest)
      case "stress": return try await StressCommand.run(rest)
      case let word? where Tool.named(word) != nil:
        return try await Tool.named(word)?.run(rest) ?? usageFailure
      case "version", "--version":
        _ = try Arguments(rest, options: [])
        Console.standardOutput.line("hearth \(version)")
        return 0
      case "help", "--help", "-h":
        Console.standardOutput.line(helpText(rest.first))
        return 0
      case let word?:
        let close = closest(
          to: word, among: ["demo", "stress", "version", "help"] + Tool.all.map(\.name))
        let advice = close.map { "did you mean '\($0)'?" } ?? "'hearth help' lists them."
        throw UsageError(text: "unknown command '\(word)'; \(advice)")
      }
    } catch {
      Console.standardError.line("hearth: \(error.text)")
      return usageFailure
    }
  }

  private static func helpText(_ command: String?) -> String {
    switch command {
    case "demo": DemoCommand.help
    case "stress": StressCommand.help
    default: command.flatMap(Tool.named)?.help ?? help
    }
  }

  static let help = """
    hearth: documents, indexes, transactions and live queries inside your process

    USAGE
      hearth <command> [options]

    COMMANDS
      demo       Import real data, query it, rate restaurants, check it all.
      stress     Rate restaurants from many tasks at once, measure and judge.
      verify     Check every document and every index entry of a database.
      stat       Print what a database takes on disk.
      backup     Copy a database, check the copy.
      compact    Give the free pages of a database back to the system.
      export     Write a database as lines of JSON.
      import     Make a database of an export, or of plain JSON objects.
      version    Print the version.
      help       Print this; 'hearth help demo' tells about the demo, and so on.

    A database is open in one process at a time: close it elsewhere first.
    Set NO_COLOR to print without colours.
    """
}
