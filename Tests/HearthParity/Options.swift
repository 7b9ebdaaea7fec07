import Foundation

/// What the command line says.
struct Options {
  /// The seed of the first world; the others count on from it.
  var seed = UInt64.random(in: 0...UInt64.max)
  /// No world begins when this many requests were compared.
  var count = 10_000
  /// No world begins after this many seconds.
  var seconds = 240.0
  /// The most worlds.
  var worlds = Int.max
  /// Whether the last words are one line of JSON.
  var json = false

  static let help = """
    Compares Hearth with the official Firestore emulator.

      --seed N      the first world's seed (printed with every difference)
      --worlds N    at most so many worlds; 1 replays a difference
      --count N     end after about N comparisons (10000)
      --seconds N   end after about N seconds (240)
      --json        print the counts as JSON
    """

  struct Wrong: Error {
    var text: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      func value<T>(_ make: (String) -> T?) throws -> T {
        guard let text = rest.popFirst(), let value = make(text) else {
          throw Wrong(text: "\(name) needs a number")
        }
        return value
      }
      switch name {
      case "--seed": seed = try value { UInt64($0) }
      case "--count": count = try value { Int($0) }
      case "--seconds": seconds = try value { Double($0) }
      case "--worlds": worlds = try value { Int($0) }
      case "--json": json = true
      default: throw Wrong(text: "'\(name)' is not known\n\n\(Options.help)")
      }
    }
  }
}
