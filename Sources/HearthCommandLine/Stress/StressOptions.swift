package import Hearth
import HearthBenchmarkKit

/// Which restaurants are rated.
package enum StressKeys: String, Sendable, CaseIterable {
  /// Each as often as any other.
  case uniform
  /// Few of them very often, most of them rarely: Zipf's law with exponent 0.99.
  case zipf
  /// All ratings go to one.
  case hot
}

/// How transactions deal with one another; the facade's `TransactionMode` in words.
package enum StressMode: String, Sendable, CaseIterable {
  /// Optimistic at first, in turns after a conflict.
  case automatic
  /// In turns from the first run on.
  case turns
  /// Optimistic always.
  case optimistic
}

/// What a stress run is asked to do.
package struct StressOptions: Sendable {
  package enum Length: Sendable, Equatable {
    case seconds(Int)
    case ratings(Int)
  }

  package var restaurants = 10_000
  package var tasks = 64
  package var length = Length.seconds(5)
  package var keys = StressKeys.zipf
  package var mode = StressMode.automatic
  package var maxAttempts = 5
  /// How long a block dawdles between its read and its writes.
  package var delayNanoseconds: UInt64 = 0
  /// Only every so manieth rating of a task dawdles.
  package var delayEvery = 1
  package var durability = Durability.durable
  package var seed: UInt64 = 1
  /// Whether the same puts are done in raw LMDB afterwards.
  package var hasYardstick = false
  /// Whether the bars are measured instead of one run.
  package var isBars = false
  /// How often all of the bars are measured; the median counts.
  package var rounds = 1
  /// Whether standard output is for one JSON object and everything else goes to standard error.
  package var isJSON = false
  /// Where the database stays; nil for a temporary one.
  package var keep: String?

  package init() {}

  static let known = [
    Option(name: "restaurants", value: "N", help: "How many restaurants there are (10000)."),
    Option(name: "tasks", value: "N", help: "How many tasks submit ratings at once (64)."),
    Option(name: "seconds", value: "N", help: "How long to submit ratings (5)."),
    Option(name: "count", value: "N", help: "How many ratings, instead of --seconds."),
    Option(
      name: "keys", value: "WHICH", help: "uniform, zipf (0.99) or hot: one takes all (zipf)."),
    Option(
      name: "mode", value: "MODE", help: "automatic, turns or optimistic (automatic)."),
    Option(name: "max-attempts", value: "N", help: "Runs of a transaction at most (5)."),
    Option(
      name: "block-delay", value: "TIME", help: "A block dawdles so long, like 300ms, 50us (0)."),
    Option(name: "delay-every", value: "N", help: "Only every Nth rating of a task dawdles (1)."),
    Option(name: "durability", value: "MODE", help: "durable, relaxed or none (durable)."),
    Option(name: "seed", value: "N", help: "Seed of restaurants, choices and stars (1)."),
    Option(name: "yardstick", value: nil, help: "Do the same puts in raw LMDB, groups of 100."),
    Option(name: "bars", value: nil, help: "Measure the bars of contention instead."),
    Option(name: "rounds", value: "N", help: "With --bars: measure N times, take medians (1)."),
    Option(name: "keep", value: "PATH", help: "Keep the database, in a new directory PATH."),
    Option(name: "json", value: nil, help: "Print the result as JSON, the rest to stderr."),
    Option(name: "help", value: nil, help: "Print this."),
  ]

  /// Options that say what one run does, and so mean nothing to the bars.
  private static let ofOneRun = [
    "restaurants", "tasks", "count", "keys", "mode", "max-attempts", "block-delay", "delay-every",
    "durability", "yardstick", "keep",
  ]

  /// Reads the words after the scenario's name.
  package init(words: [String]) throws(UsageError) {
    try self.init(Arguments(words, options: Self.known))
  }

  init(_ arguments: Arguments) throws(UsageError) {
    isBars = arguments.has("bars")
    if isBars {
      for name in Self.ofOneRun where arguments.has(name) || arguments.text(name) != nil {
        throw UsageError(text: "--bars measures fixed cases; it takes no --\(name)")
      }
    }
    rounds = try arguments.integer("rounds", in: 1...100, default: 1)
    if arguments.text("rounds") != nil, !isBars {
      throw UsageError(text: "--rounds needs --bars")
    }
    restaurants = try arguments.integer("restaurants", in: 1...1_000_000, default: restaurants)
    tasks = try arguments.integer("tasks", in: 1...100_000, default: tasks)
    length = try Self.length(arguments)
    keys = try arguments.choice("keys", default: keys)
    mode = try arguments.choice("mode", default: mode)
    maxAttempts = try arguments.integer("max-attempts", in: 1...1_000, default: maxAttempts)
    delayNanoseconds = try arguments.duration("block-delay", default: 0)
    delayEvery = try arguments.integer("delay-every", in: 1...1_000_000, default: 1)
    if arguments.text("delay-every") != nil, delayNanoseconds == 0 {
      throw UsageError(text: "--delay-every needs a --block-delay")
    }
    durability = try arguments.choice("durability", default: durability)
    seed = UInt64(try arguments.integer("seed", in: 0...Int.max, default: 1))
    hasYardstick = arguments.has("yardstick")
    isJSON = arguments.has("json")
    keep = arguments.text("keep")
  }

  private static func length(_ arguments: Arguments) throws(UsageError) -> Length {
    if arguments.text("count") != nil {
      if arguments.text("seconds") != nil {
        throw UsageError(text: "give either --seconds or --count")
      }
      return .ratings(try arguments.integer("count", in: 1...20_000_000, default: 0))
    }
    return .seconds(try arguments.integer("seconds", in: 1...600, default: 5))
  }

  /// Whether a transaction may end with CONTENTION and nothing be wrong.
  ///
  /// Turns need three runs to keep their promise.
  var mayFail: Bool { mode == .optimistic || maxAttempts < 3 }

  /// How often a block may run that shares its documents with transactions only.
  var runsAllowed: Int? {
    switch mode {
    case .automatic: 2
    case .turns: 1
    case .optimistic: nil
    }
  }

  /// The case in a few words.
  var title: String {
    let choice =
      switch keys {
      case .uniform: "uniform"
      case .zipf: "zipf 0.99"
      case .hot: "one of them hot"
      }
    return "\(NumberText.grouped(tasks)) tasks, \(NumberText.grouped(restaurants)) "
      + "restaurants (\(choice))"
  }
}

extension Arguments {
  private static let units: [(name: String, nanoseconds: Double)] = [
    ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9),
  ]

  /// The value of an option as a time of at most a minute, in nanoseconds.
  func duration(_ name: String, default standard: UInt64) throws(UsageError) -> UInt64 {
    guard let text = text(name) else { return standard }
    for unit in Self.units where text.hasSuffix(unit.name) {
      let number = text.dropLast(unit.name.count)
      guard let value = Double(number), value >= 0, value * unit.nanoseconds <= 60e9 else {
        continue
      }
      return UInt64(value * unit.nanoseconds)
    }
    throw UsageError(
      text: "--\(name) takes a time of at most 60s, like 300ms, 50us or 1.5s, not '\(text)'")
  }
}
