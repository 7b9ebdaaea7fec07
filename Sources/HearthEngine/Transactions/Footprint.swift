import HearthEncoding
package import HearthModel
package import HearthStorage

/// A stretch of keys that a read walked, and what it found there.
///
/// It proves what was absent as much as what was present: a commit that adds a key inside it
/// would have changed what was read.
package struct RangeRead: Sendable, Hashable {
  package enum Place: Sendable, Hashable { case documents, entries, catalog }

  package var place: Place
  /// From here on, inclusive.
  package var lower: [UInt8]
  /// Up to here, exclusive.
  package var upper: [UInt8]
  /// How many keys were there.
  package var count: Int
  /// A hash over those keys in ascending order.
  package var fingerprint: UInt64

  package init(
    place: Place, lower: [UInt8], upper: [UInt8], count: Int, fingerprint: UInt64
  ) {
    self.place = place
    self.lower = lower
    self.upper = upper
    self.count = count
    self.fingerprint = fingerprint
  }

  package func contains(_ key: [UInt8]) -> Bool { !bytesLess(key, lower) && bytesLess(key, upper) }
}

/// What a transaction (or a listener) read: single documents with their versions and ranges of
/// keys, all at one version.
///
/// The same overlap test decides a transaction's conflict and a listener's invalidation.
package struct Footprint: Sendable {
  /// The version that everything below was read at.
  package var readVersion: CommitVersion
  /// Documents read, with the version found; nil for a missing one.
  package private(set) var points: [DocumentPath: CommitVersion?] = [:]
  package private(set) var ranges: [RangeRead] = []
  /// What all of it takes in memory, about.
  private(set) var byteCount = 0
  /// The declared indexes that ranges were read through.
  var trees: Set<IndexNumber> = []
  /// The number of the overrides at which single-field indexes were first read, nil if none were.
  private(set) var overrides: Int?

  /// Notes that single-field indexes were read at a number of the overrides.
  ///
  /// The first one stays: what was read at it is not kept up by a later one.
  mutating func noteOverrides(_ number: Int) { overrides = overrides ?? number }

  /// Whether an index that was read through is gone.
  ///
  /// Its entries are then kept up no longer, so that they prove nothing about documents written
  /// since.
  func lostTree(_ state: CatalogState) -> Bool {
    if let overrides, overrides != state.overridesNumber { return true }
    return trees.contains { tree in
      !state.declared.contains { $0.isMaintained && $0.tree.number == tree }
    }
  }

  package init(readVersion: CommitVersion) { self.readVersion = readVersion }

  /// How many documents and ranges were read.
  var count: Int { points.count + ranges.count }

  /// Notes that a document was read, and the version found; nil for a missing one.
  package mutating func add(_ path: DocumentPath, _ version: CommitVersion?) {
    if points.updateValue(version, forKey: path) == nil {
      byteCount += path.segments.reduce(64) { $0 + $1.utf8.count }
    }
  }

  /// Notes that a range was walked.
  package mutating func add(_ range: RangeRead) {
    ranges.append(range)
    byteCount += range.lower.count + range.upper.count + 64
  }
}

/// Why a transaction has to run again.
package enum ConflictCause: Sendable, Equatable {
  /// Documents that changed since they were read.
  case points([DocumentPath])
  /// A range whose keys changed.
  case range
  /// Documents that are another transaction's turn.
  case turn([DocumentPath])

  /// The documents at fault.
  package var documents: [DocumentPath] {
    switch self {
    case .points(let paths), .turn(let paths): paths
    case .range: []
    }
  }

  package var text: String {
    switch self {
    case .points(let paths): "changed: " + paths.map(\.description).joined(separator: ", ")
    case .turn(let paths): "in turn: " + paths.map(\.description).joined(separator: ", ")
    case .range: "a query's range changed"
    }
  }
}

/// The running hash of a range's keys.
package struct RangeFingerprint {
  package private(set) var count = 0
  package private(set) var hash: UInt64 = 0

  package init() {}

  /// Takes a key, and what an entry says besides its key.
  package mutating func add(_ key: [UInt8], _ payload: [UInt8] = []) {
    count += 1
    hash = Checksum.hash(key, seed: hash)
    if !payload.isEmpty { hash = Checksum.hash(payload, seed: hash) }
  }
}

extension RangeRead {
  /// Walks a range to take its count and fingerprint.
  package init<T: TableReader & ~Copyable>(
    place: Place, lower: [UInt8], upper: [UInt8], _ store: RecordStore, _ transaction: borrowing T
  ) throws {
    self.init(place: place, lower: lower, upper: upper, count: 0, fingerprint: 0)
    let seen = try walk(store, transaction, stoppingAfter: .max)
    count = seen.count
    fingerprint = seen.hash
  }

  /// Walks the range again: whether it still holds the same keys.
  package func isUnchanged<T: TableReader & ~Copyable>(
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
        // A document's record is watched by its version.
        seen.add(walk.key, place == .entries ? try walk.payload(cursor) : [])
        found = try walk.step(&cursor)
      }
    }
    return seen
  }
}

extension RecordStore {
  /// The table that a range lies in.
  package func table(of place: RangeRead.Place) -> Table {
    switch place {
    case .documents: documents
    case .entries: entries
    case .catalog: catalog
    }
  }
}
