import Foundation
import Hearth
import HearthBenchmarkKit

/// `hearth stress`: many tasks against one database, and a judge.
enum StressCommand {
  static var help: String {
    let lines = StressOptions.known.map { option in
      let name = "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
      return "  \(name)" + String(repeating: " ", count: max(1, 20 - name.count)) + option.help
    }
    return """
      USAGE
        hearth stress ratings [options]

      Many tasks rate restaurants, each rating in a transaction: read the
      restaurant, add a rating document, update count and average. Then everything
      is checked: counts and averages against the rating documents, every index
      entry, and the recorded history against the order of commits (serializable?).
      Exits with 1 if anything is wrong, or a bar is missed.

      OPTIONS
      \(lines.joined(separator: "\n"))

      Docs/Guides/Stress.md tells how to read the report.
      """
  }

  static func run(_ words: [String]) async throws(UsageError) -> Int32 {
    guard let scenario = words.first, scenario != "--help" else {
      if words.isEmpty { throw UsageError(text: "stress what? There is 'hearth stress ratings'") }
      Console.standardOutput.line(help)
      return 0
    }
    guard scenario == "ratings" else {
      throw UsageError(
        text: "unknown scenario '\(scenario)'; there is 'hearth stress ratings'")
    }
    let arguments = try Arguments(Array(words.dropFirst()), options: StressOptions.known)
    if arguments.has("help") {
      Console.standardOutput.line(help)
      return 0
    }
    let options = try StressOptions(arguments)
    let console = options.isJSON ? Console.standardError : .standardOutput
    Interruption.install()
    do {
      let (json, isGood) =
        options.isBars
        ? try await bars(options, console) : try await one(options, console)
      if options.isJSON { Console.standardOutput.line(json) }
      return isGood ? 0 : HearthCommand.failure
    } catch let error as UsageError {
      throw error
    } catch {
      console.line()
      let text = (error as? HearthError)?.description ?? "\(error)"
      Console.standardError.line("hearth: the stress run failed: \(text)")
      return HearthCommand.failure
    }
  }

  private static func one(
    _ options: StressOptions, _ console: Console
  ) async throws -> (json: String, isGood: Bool) {
    StressHeader(console: console).print(options)
    let report = try await StressRun(options: options, console: console).measured()
    report.print(to: console)
    return (report.json.text, report.isGood)
  }

  private static func bars(
    _ options: StressOptions, _ console: Console
  ) async throws -> (json: String, isGood: Bool) {
    let report = try await StressBars(options: options, console: console).run()
    report.print(to: console)
    return (report.json.text, report.isGood)
  }
}
