import Foundation
import Synchronization

/// What a database must hold, and what it may.
///
/// A register is something with one value at a time, changed by one writer: a counter, a pair of
/// documents, a document that comes and goes, a rating. Nil is the value of what is absent.
struct Ledger: Codable {
  struct Register: Codable {
    /// The value that was acknowledged last.
    var settled: Int?
    /// Values whose commits were asked for since, and may have happened.
    var possible: [Int?] = []
    /// All values that were ever asked for.
    var history: Set<Int?> = [nil]

    func allows(_ value: Int?) -> Bool { value == settled || possible.contains(value) }
  }

  /// A step in the life of a commit.
  enum Event: Character {
    case submitted = "s"
    case acknowledged = "a"
    /// Refused for good: it did not happen.
    case refused = "r"
    /// Something that is not a commit has come to its end; the register is its name.
    case reached = "m"
  }

  private(set) var registers: [String: Register] = [:]
  private(set) var reached: Set<String> = []

  mutating func take(_ event: Event, _ name: String, _ value: Int?) {
    switch event {
    case .submitted:
      registers[name, default: Register()].possible.append(value)
      registers[name]?.history.insert(value)
    case .acknowledged:
      registers[name]?.settled = value
      registers[name]?.possible = []
    case .refused:
      // The last one only: an earlier attempt with the same value may have happened.
      if let place = registers[name]?.possible.lastIndex(of: value) {
        registers[name]?.possible.remove(at: place)
      }
    case .reached: reached.insert(name)
    }
  }

  /// From a note in a trace.
  mutating func take(note: String) {
    let words = note.split(separator: " ")
    guard words.count == 3, let event = words[0].first.flatMap({ Event(rawValue: $0) }) else {
      return
    }
    take(event, String(words[1]), Int(words[2]))
  }
}

/// The ledger of a running workload; every entry is a note in the trace as well.
final class Notebook: Sendable {
  private let state: Mutex<Ledger>

  init(_ ledger: Ledger = Ledger()) { state = Mutex(ledger) }

  var ledger: Ledger { state.withLock { $0 } }

  func note(_ event: Ledger.Event, _ name: String, _ value: Int? = nil) {
    state.withLock { $0.take(event, name, value) }
    Shim.note("\(event.rawValue) \(name) \(value.map(String.init) ?? "-")")
  }
}
