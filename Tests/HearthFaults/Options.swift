import Foundation

/// What the command line says.
struct Options {
  enum Command: String, CaseIterable {
    case crashStates = "crash-states"
    case ioFaults = "io-faults"
    case recovery
    case memory
    case plants
    case sample
  }

  var command = Command.sample
  var seed = UInt64.random(in: 0...UInt64.max)
  /// At most so many images or faults, chosen at random; nil for all.
  var sample: Int?
  /// How many traces.
  var traces = 5
  /// Rounds of writes.
  var rounds = 40
  var plant: Plant?
  /// One fault to be repeated, as `class:k:mode:errno`.
  var only: String?
  /// One kind of run only.
  var run: Scenario?
  /// A kept trace, and one position in it.
  var trace: String?
  var position: Int?
  var json = false

  static let help = """
    usage: hearth-faults CHECK [options]

      crash-states   every state a crash can leave the disk in, from recorded runs
      io-faults      every call to the file system fails, once and for good
      recovery       the same while a database is opened that was left in the middle of its work
      memory         every allocation inside LMDB fails
      plants         mistakes on purpose, which each check must find
      sample         some of each, in about a minute

      --sample N     at most N states or faults of each kind, chosen by the seed
      --seed N       what is chosen, and what the runs do
      --traces N     recorded runs (5)
      --rounds N     rounds of writes per run and client (40)
      --plant NAME   \(Plant.allCases.map(\.rawValue).joined(separator: ", "))
      --only FAULT   one fault, as it is named in a finding, for instance meta:12:on:EIO
      --run NAME     one kind of run: \(Scenario.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", "))
      --trace PATH   crash states of a kept trace; --position N for those of one operation
      --json         the counts and findings as JSON
    """

  struct Wrong: Error {
    var text: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    guard let name = rest.popFirst(), let command = Command(rawValue: name) else {
      throw Wrong(text: Options.help)
    }
    self.command = command
    while let name = rest.popFirst() {
      func value<T>(_ make: (String) -> T?) throws -> T {
        guard let text = rest.popFirst(), let value = make(text) else {
          throw Wrong(text: "\(name) needs a value\n\n\(Options.help)")
        }
        return value
      }
      switch name {
      case "--sample": sample = try value { Int($0) }
      case "--seed": seed = try value { UInt64($0) }
      case "--traces": traces = try value { Int($0) }
      case "--rounds": rounds = try value { Int($0) }
      case "--plant": plant = try value { Plant(rawValue: $0) }
      case "--only": only = try value { $0 }
      case "--run": run = try value { Scenario(rawValue: $0) }
      case "--trace": trace = try value { $0 }
      case "--position": position = try value { Int($0) }
      case "--json": json = true
      default: throw Wrong(text: "'\(name)' is not known\n\n\(Options.help)")
      }
    }
  }
}
