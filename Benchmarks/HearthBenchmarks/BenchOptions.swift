import Hearth

/// A command line that makes no sense.
struct BenchUsageError: Error {
  var text: String
}

/// What the benchmark is asked to do.
struct BenchOptions: Sendable {
  var isSmoke = false
  var isJSON = false
  var wantsHelp = false
  /// A part of the names of the scenarios to run.
  var filter: String?
  var durability = Durability.durable
  var seed: UInt64 = 1

  static let help = """
    USAGE
      hearth-bench [options]

    OPTIONS
      --filter TEXT       Run the scenarios whose names contain TEXT.
      --durability MODE   durable, relaxed or none (durable).
      --seed N            Seed of the made-up restaurants (1).
      --smoke             Small sizes: does everything run? The numbers mean nothing.
      --json              Print the report as JSON.
      --help              Print this.
    """

  init(_ words: [String]) throws(BenchUsageError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--smoke": isSmoke = true
      case "--json": isJSON = true
      case "--help", "-h": wantsHelp = true
      case "--filter": filter = try Self.value(of: word, &rest)
      case "--durability":
        let text = try Self.value(of: word, &rest)
        guard let mode = Durability(rawValue: text) else {
          throw BenchUsageError(text: "--durability is durable, relaxed or none, not '\(text)'")
        }
        durability = mode
      case "--seed":
        let text = try Self.value(of: word, &rest)
        guard let number = UInt64(text) else {
          throw BenchUsageError(text: "--seed takes a number, not '\(text)'")
        }
        seed = number
      default:
        throw BenchUsageError(text: "unknown option '\(word)'\n\n\(Self.help)")
      }
    }
  }

  private static func value(
    of option: String, _ rest: inout ArraySlice<String>
  ) throws(BenchUsageError) -> String {
    guard let value = rest.popFirst() else {
      throw BenchUsageError(text: "\(option) needs a value")
    }
    return value
  }

  /// How many restaurants there are.
  var restaurants: Int { isSmoke ? 500 : 20_000 }

  /// What the numbers depend on, besides the machine.
  var settings: [(name: String, value: String)] {
    [
      ("durability", durability.rawValue), ("restaurants", String(restaurants)),
      ("seed", String(seed)), ("size", isSmoke ? "smoke" : "full"),
    ]
  }
}
