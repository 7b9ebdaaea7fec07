import Foundation

/// What the command line says.
struct Options {
  /// The checks by name, in the order in which `sample` runs them.
  static let harnesses = ["power-cut", "full-disk", "bit-rot", "map-growth"]

  var harness: String
  /// How often; what one cycle is depends on the check.
  var cycles: Int?
  var seed = UInt64.random(in: 0...UInt64.max)
  /// Whether the last words but one are one line of JSON.
  var json = false
  /// Whether a fault is built in that the check must find.
  var plant = false

  static let help = """
    Checks Hearth against faults of real disks.

      power-cut     the file system is shut down under a writing process (ext4, xfs; root)
      full-disk     fill, delete, compact, go on (tmpfs, ext4; root)
      bit-rot       a damaged file gives the right answer or DATA_LOSS
      map-growth    the map grows under readers, queries and listeners
      sample        a little of each, and of each with its planted fault

      --cycles N    power-cut: cuts per file system (20); full-disk: per file system (5);
                    bit-rot: damages (2000); map-growth: growths (40)
      --seed S      the seed, printed always
      --plant       builds a fault in; the check must find it
      --json        print the counts as JSON
    """

  struct Wrong: Error {
    var text: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    harness = rest.popFirst() ?? ""
    guard Options.harnesses.contains(harness) || harness == "sample" else {
      throw Wrong(text: Options.help)
    }
    while let name = rest.popFirst() {
      func value<T>(_ make: (String) -> T?) throws -> T {
        guard let text = rest.popFirst(), let value = make(text) else {
          throw Wrong(text: "\(name) needs a number")
        }
        return value
      }
      switch name {
      case "--cycles": cycles = try value { Int($0).flatMap { $0 > 0 ? $0 : nil } }
      case "--seed": seed = try value { UInt64($0) }
      case "--json": json = true
      case "--plant": plant = true
      default: throw Wrong(text: "'\(name)' is not known\n\n\(Options.help)")
      }
    }
  }
}
