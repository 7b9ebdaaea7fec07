import Foundation
import Hearth

/// What the demo is asked to do.
struct DemoOptions: Sendable {
  /// Where the database stays; nil for a temporary one.
  var keep: String?
  var restaurants: Int
  var seconds: Int
  var tasks: Int
  var seed: UInt64
  var durability: Durability
  /// Whether standard output is for one JSON object and everything else goes to standard error.
  var isJSON: Bool
}

/// `hearth demo`: the whole of Hearth on real data, in about a minute.
enum DemoCommand {
  private static let options = [
    Option(name: "keep", value: "PATH", help: "Keep the database, in a new directory PATH."),
    Option(name: "restaurants", value: "N", help: "How many restaurants to make (20000)."),
    Option(name: "seconds", value: "N", help: "How long to submit ratings (5)."),
    Option(name: "tasks", value: "N", help: "How many tasks submit ratings at once (64)."),
    Option(name: "seed", value: "N", help: "Seed of the made-up restaurants (1)."),
    Option(
      name: "durability", value: "MODE", help: "durable, relaxed or none (durable)."),
    Option(name: "json", value: nil, help: "Print the results as JSON, the rest to stderr."),
    Option(name: "help", value: nil, help: "Print this."),
  ]

  static var help: String {
    let lines = options.map { option in
      let name = "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
      return "  \(name)" + String(repeating: " ", count: max(1, 20 - name.count)) + option.help
    }
    return """
      USAGE
        hearth demo [options]

      Imports cities, earthquakes, ZIP codes and restaurants into a temporary
      database, runs a tour of queries, creates a missing index, lets many tasks
      rate restaurants while a live query watches, and checks that everything adds
      up. Exits with 1 if it does not.

      OPTIONS
      \(lines.joined(separator: "\n"))
      """
  }

  static func run(_ words: [String]) async throws(UsageError) -> Int32 {
    let arguments = try Arguments(words, options: options)
    if arguments.has("help") {
      Console.standardOutput.line(help)
      return 0
    }
    let demoOptions = DemoOptions(
      keep: arguments.text("keep"),
      restaurants: try arguments.integer("restaurants", in: 100...5_000_000, default: 20_000),
      seconds: try arguments.integer("seconds", in: 1...3_600, default: 5),
      tasks: try arguments.integer("tasks", in: 1...10_000, default: 64),
      seed: UInt64(try arguments.integer("seed", in: 0...Int.max, default: 1)),
      durability: try arguments.choice("durability", default: Durability.durable),
      isJSON: arguments.has("json"))
    let place = try DemoPlace(keeping: demoOptions.keep)
    let console = demoOptions.isJSON ? Console.standardError : .standardOutput
    Interruption.install()
    Interruption.setTemporaryDirectory(place.temporaryDirectory)
    defer { place.removeIfTemporary() }
    do {
      return try await Demo(options: demoOptions, place: place, console: console).run()
    } catch {
      console.line()
      Console.standardError.line("hearth: the demo failed: \(describe(error))")
      return HearthCommand.failure
    }
  }

  private static func describe(_ error: any Error) -> String {
    (error as? HearthError)?.description ?? "\(error)"
  }
}
