/// One unit of a list-append workload, as its client saw it.
///
/// Lists are numbered, every appended number is used once in the whole history, and all reads come
/// before all appends. Nothing here was said by the engine about its order of commits.
package struct ListTransaction: Sendable {
  /// What became of it.
  package enum Outcome: Sendable {
    case committed
    case aborted
    /// Nobody was told; it may have happened at any time after it began, or never.
    case unknown
  }

  /// What a read gave.
  package enum Reading: Sendable {
    case list(Int, [Int])
    /// Only how long the list was, as a count tells.
    case length(Int, Int)
  }

  /// One number at the end of one list.
  package struct Append: Sendable {
    package var list: Int
    package var number: Int

    package init(_ list: Int, _ number: Int) {
      self.list = list
      self.number = number
    }
  }

  package var name: String
  /// Positions on one clock that all clients share; equal ones are at the same time.
  package var invoked: Int
  /// Not looked at where the outcome is unknown.
  package var returned: Int
  package var outcome: Outcome
  package var reads: [Reading]
  package var appends: [Append]

  package init(
    _ name: String, invoked: Int, returned: Int, outcome: Outcome = .committed,
    reads: [Reading] = [], appends: [Append] = []
  ) {
    self.name = name
    self.invoked = invoked
    self.returned = returned
    self.outcome = outcome
    self.reads = reads
    self.appends = appends
  }
}

/// Something that no order of the transactions can explain.
package struct ListAnomaly: Sendable, CustomStringConvertible {
  /// The names that Adya and his successors gave.
  package enum Kind: String, Sendable, CaseIterable {
    /// Dirty write: a cycle of writes.
    case g0 = "G0"
    /// What an aborted transaction wrote was read.
    case g1a = "G1a"
    /// What a transaction had not written for good was read.
    case g1b = "G1b"
    /// Circular information flow: a cycle of writes and reads of them.
    case g1c = "G1c"
    /// Two read the same state of a list, and both appended to it.
    case lostUpdate = "lost update"
    /// Read skew: a cycle with one read of what was then overwritten.
    case gSingle = "G-single"
    /// Write skew and its kin: a cycle with several such reads.
    case g2 = "G2"
    /// Serializable, but not in an order that respects real time.
    case realTime = "real time"
    /// One number twice in a list, or appended twice.
    case duplicate
    /// Something that nobody had appended.
    case garbage
    /// Two reads of a list, neither of which continues the other.
    case incompatible
  }

  package var kind: Kind
  /// Who did what, and what is wrong with it.
  package var text: String

  package var description: String { "\(kind.rawValue): \(text)" }
}
