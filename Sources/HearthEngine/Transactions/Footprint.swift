import HearthEncoding
import HearthModel
import HearthStorage

/// A stretch of keys that a read walked, and what it found there.
///
/// It proves what was absent as much as what was present: a commit that adds a key inside it
/// would have changed what was read.
struct RangeRead: Sendable, Hashable {
  enum Place: Sendable, Hashable { case documents, entries, catalog }

  var place: Place
  /// From here on, inclusive.
  var lower: [UInt8]
  /// Up to here, exclusive.
  var upper: [UInt8]
  /// How many keys were there.
  var count: Int
  /// A hash over those keys in ascending order.
  var fingerprint: UInt64

  func contains(_ key: [UInt8]) -> Bool { !bytesLess(key, lower) && bytesLess(key, upper) }
}

/// What a transaction (or a listener) read: single documents with their versions and ranges of
/// keys, all at one version.
///
/// The same overlap test decides a transaction's conflict and a listener's invalidation.
struct Footprint: Sendable {
  /// The version that everything below was read at.
  var readVersion: CommitVersion
  /// Documents read, with the version found; nil for a missing one.
  var points: [DocumentPath: CommitVersion?] = [:]
  var ranges: [RangeRead] = []

  init(readVersion: CommitVersion) { self.readVersion = readVersion }
}

/// Why a transaction has to run again.
enum ConflictCause: Sendable, Equatable {
  /// Documents that changed since they were read.
  case points([DocumentPath])
  /// A range whose keys changed.
  case range
  /// Documents that are another transaction's turn.
  case turn([DocumentPath])

  /// The documents at fault.
  var documents: [DocumentPath] {
    switch self {
    case .points(let paths), .turn(let paths): paths
    case .range: []
    }
  }

  var text: String {
    switch self {
    case .points(let paths): "changed: " + paths.map(\.description).joined(separator: ", ")
    case .turn(let paths): "in turn: " + paths.map(\.description).joined(separator: ", ")
    case .range: "a query's range changed"
    }
  }
}

/// The running hash of a range's keys.
struct RangeFingerprint {
  private(set) var count = 0
  private(set) var hash: UInt64 = 0

  mutating func add(_ key: [UInt8]) {
    count += 1
    hash = Checksum.hash(key, seed: hash)
  }
}

extension RangeRead {
  /// Walks a range to take its count and fingerprint.
  init<T: TableReader & ~Copyable>(
    place: Place, lower: [UInt8], upper: [UInt8], _ store: RecordStore, _ transaction: borrowing T
  ) throws {
    self.init(place: place, lower: lower, upper: upper, count: 0, fingerprint: 0)
    let seen = try walk(store, transaction, stoppingAfter: .max)
    count = seen.count
    fingerprint = seen.hash
  }

  /// Walks the range again: whether it still holds the same keys.
  func isUnchanged<T: TableReader & ~Copyable>(
    _ store: RecordStore, _ transaction: borrowing T
  ) throws -> Bool {
    let seen = try walk(store, transaction, stoppingAfter: count)
    return seen.count == count && seen.hash == fingerprint
  }

  private func walk<T: TableReader & ~Copyable>(
    _ store: RecordStore, _ transaction: borrowing T, stoppingAfter limit: Int
  ) throws -> RangeFingerprint {
    let table = store.table(of: place)
    var seen = RangeFingerprint()
    try transaction.withCursor(in: table) { cursor in
      var walk = KeyWalk(store: store, table: table, descending: false)
      var found = try walk.seek(lower, &cursor)
      while found, bytesLess(walk.key, upper), seen.count <= limit {
        seen.add(walk.key)
        found = try walk.step(&cursor)
      }
    }
    return seen
  }
}

extension RecordStore {
  /// The table that a range lies in.
  func table(of place: RangeRead.Place) -> Table {
    switch place {
    case .documents: documents
    case .entries: entries
    case .catalog: catalog
    }
  }
}
