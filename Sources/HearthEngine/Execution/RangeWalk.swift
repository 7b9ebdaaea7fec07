import HearthEncoding
import HearthModel
import HearthStorage

/// Where a stream over ranges of a table stands.
///
/// Not to be copied, since a copy for each question about a match would cost as much as finding it.
struct RangeWalk: ~Copyable {
  /// A range, and what its keys mean.
  struct Segment {
    var scan: CompiledScan
    var range: SuffixRange
    /// In the table of documents: the collection that the range lies in.
    var collection: CollectionPath?
  }

  /// Gives the ranges in scan order.
  enum Segments {
    case list(ArraySlice<Segment>)
    case group(GroupWalk)
  }

  private let place: RangeRead.Place
  private let descending: Bool
  /// Whether names are full paths although the table of documents knows ids.
  private let spellsPaths: Bool
  private var segments: Segments
  private var walk: KeyWalk
  private var segment: Segment?
  private var bounds: (lower: [UInt8], upper: [UInt8]) = ([], [])
  private var recorder: RangeRecorder?
  private var nameOffset = 0

  init(_ store: RecordStore, _ place: RangeRead.Place, descending: Bool, _ segments: Segments) {
    self.place = place
    self.descending = descending
    self.segments = segments
    if case .group = segments { spellsPaths = true } else { spellsPaths = false }
    walk = KeyWalk(store: store, table: store.table(of: place), descending: descending)
  }

  mutating func next(
    _ cursor: inout Cursor, isPlaced: Bool, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) throws -> Bool {
    var isPlaced = isPlaced
    while try land(&cursor, isPlaced: isPlaced, transaction, &trace) {
      isPlaced = true
      recorder?.add(walk.key, place == .entries ? try walk.payload(cursor) : [])
      if let offset = try segment?.scan.admit(walk.key) {
        nameOffset = offset
        return true
      }
    }
    return false
  }

  /// Puts the cursor back to the match.
  mutating func settle(_ cursor: inout Cursor) throws {
    let key = walk.key
    _ = try walk.seek(descending ? key + [0] : key, &cursor)
  }

  mutating func lookAhead(
    _ cursor: inout Cursor, _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) throws {
    // A limit that was met protects only what was looked at; the rest may change freely.
    recorder?.finish(&trace, reachedEnd: false)
    recorder = nil
    let footprint = trace.footprint
    trace.footprint = nil
    _ = try land(&cursor, isPlaced: true, transaction, &trace)
    trace.footprint = footprint
  }

  mutating func close(_ trace: inout ExecutionTrace) {
    recorder?.finish(&trace, reachedEnd: false)
    recorder = nil
    if case .group(let groups) = segments { groups.close(&trace) }
  }

  /// Goes to the next entry, in this range or a later one, and counts it.
  private mutating func land(
    _ cursor: inout Cursor, isPlaced: Bool, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) throws -> Bool {
    while true {
      let found: Bool
      if segment == nil {
        guard try begin(transaction, &trace) else { return false }
        found = try walk.seek(descending ? bounds.upper : bounds.lower, &cursor)
      } else if isPlaced {
        found = try walk.step(&cursor)
      } else {
        let key = walk.key
        found = try walk.seek(descending ? key : key + [0], &cursor)
      }
      if found,
        descending ? !bytesLess(walk.key, bounds.lower) : bytesLess(walk.key, bounds.upper)
      {
        trace.statistics.indexEntriesScanned += 1
        return true
      }
      recorder?.finish(&trace, reachedEnd: true)
      recorder = nil
      segment = nil
    }
  }

  /// Takes up the next range; false if there is none.
  private mutating func begin(
    _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) throws -> Bool {
    switch segments {
    case .list(var rest):
      segment = rest.popFirst()
      segments = .list(rest)
    case .group(let groups): segment = try groups.next(transaction, &trace)
    }
    guard let segment else { return false }
    bounds = segment.scan.bounds(segment.range)
    if trace.footprint != nil {
      recorder = RangeRecorder(place, bounds.lower, bounds.upper, descending: descending)
    }
    return true
  }

  // MARK: The match

  func appendName(to key: inout [UInt8]) throws {
    guard spellsPaths, let collection = segment?.collection else {
      key += walk.key[nameOffset...]
      return
    }
    NameKey.appendPath(
      collection.document(try NameKey.decodeID(in: walk.key, from: nameOffset)), to: &key)
  }

  func suffix() throws -> (bytes: ArraySlice<UInt8>, ends: [Int]) {
    guard !spellsPaths, let scan = segment?.scan else {
      var name: [UInt8] = []
      try appendName(to: &name)
      return (name[...], [])
    }
    return (walk.key[scan.prefix.count...], try scan.ends(in: walk.key))
  }

  func document(_ cursor: borrowing Cursor) throws -> StoredDocument? {
    guard place == .documents else {
      try walk.verify(cursor)
      return nil
    }
    guard let collection = segment?.collection else { return nil }
    let record = try EncodedDocument(record: walk.payload(cursor))
    let id = try NameKey.decodeID(in: walk.key, from: nameOffset)
    return StoredDocument(path: DocumentPath(collection: collection, id: id), record: record)
  }

  func numbers(_ sources: [NumberSource], _ cursor: borrowing Cursor) throws -> [Value] {
    guard let scan = segment?.scan, !sources.isEmpty else { return [] }
    let payload = try walk.payload(cursor)
    return try sources.map {
      try scan.number(at: $0.field, in: walk.key, payload: payload) ?? .null
    }
  }
}
