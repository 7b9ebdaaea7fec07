import SimulatedWorlds

/// What the command line says.
struct Arguments {
  /// How many worlds to run.
  var seeds = 2000
  /// The one world to run.
  var seed: UInt64?
  /// Where the seeds come from; fresh each time.
  var first = UInt64.random(in: 0...UInt64.max)
  /// Worlds of this kind only.
  var kind: SimulatedWorld?
  /// How many worlds run side by side; nil for one per processor.
  var jobs: Int?

  static let help = """
    Runs the engine in simulated worlds: one thread each, interleaving, time and faults from a seed.

      --seeds N   run N worlds (2000)
      --seed S    run one world again, and say what it did
      --first S   take the seeds from this one, to run the same worlds again
      --kind K    worlds of one kind only: fair, busy, storm, lists
      --jobs N    run N worlds side by side (one per processor)
    """

  struct Wrong: Error {
    var text: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      func value<T>(_ make: (String) -> T?) throws -> T {
        guard let text = rest.popFirst(), let value = make(text) else {
          throw Wrong(text: "\(name) needs a value\n\n\(Arguments.help)")
        }
        return value
      }
      switch name {
      case "--seeds": seeds = try value { Int($0) }
      case "--seed": seed = try value { UInt64($0) }
      case "--first": first = try value { UInt64($0) }
      case "--kind": kind = try value { SimulatedWorld(rawValue: $0) }
      case "--jobs": jobs = try value { Int($0) }
      default: throw Wrong(text: "'\(name)' is not known\n\n\(Arguments.help)")
      }
    }
  }
}
