import HearthEncoding
import HearthModel
import HearthStorage

/// The matches of a single scan: ranges of one table, one after the other.
final class RangeStream: MatchStream {
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

  let place: RangeRead.Place
  private let store: RecordStore
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
    self.store = store
    self.place = place
    self.descending = descending
    self.segments = segments
    if case .group = segments { spellsPaths = true } else { spellsPaths = false }
    walk = KeyWalk(store: store, table: store.table(of: place), descending: descending)
  }

  func next(
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

  func settle(_ cursor: inout Cursor, isPlaced: Bool) throws {
    if isPlaced { return }
    let key = walk.key
    _ = try walk.seek(descending ? key + [0] : key, &cursor)
  }

  func lookAhead(
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

  func close(_ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace) {
    recorder?.finish(&trace, reachedEnd: false)
    recorder = nil
    if case .group(let groups) = segments { groups.close(&trace) }
  }

  /// Goes to the next entry, in this range or a later one, and counts it.
  private func land(
    _ cursor: inout Cursor, isPlaced: Bool, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) throws -> Bool {
    while true {
      let found: Bool
      if segment != nil {
        let key = walk.key
        found =
          isPlaced
          ? try walk.step(&cursor) : try walk.seek(descending ? key : key + [0], &cursor)
      } else {
        guard try begin(transaction, &trace) else { return false }
        found = try walk.seek(descending ? bounds.upper : bounds.lower, &cursor)
      }
      if found, isInside(walk.key) {
        trace.statistics.indexEntriesScanned += 1
        return true
      }
      recorder?.finish(&trace, reachedEnd: true)
      recorder = nil
      segment = nil
    }
  }

  private func isInside(_ key: [UInt8]) -> Bool {
    descending ? !bytesLess(key, bounds.lower) : bytesLess(key, bounds.upper)
  }

  /// Takes up the next range; false if there is none.
  private func begin(
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

  func name() throws -> [UInt8] {
    guard spellsPaths, let collection = segment?.collection else {
      return Array(walk.key[nameOffset...])
    }
    var bytes: [UInt8] = []
    NameKey.appendPath(
      collection.document(try NameKey.decodeID(in: walk.key, from: nameOffset)), to: &bytes)
    return bytes
  }

  func suffix() throws -> (bytes: ArraySlice<UInt8>, ends: [Int]) {
    guard !spellsPaths, let scan = segment?.scan else { return (try name()[...], []) }
    return (walk.key[scan.prefix.count...], try scan.ends(in: walk.key))
  }

  func document(_ cursor: borrowing Cursor) throws -> StoredDocument? {
    guard let collection = segment?.collection else {
      try walk.verify(cursor)
      return nil
    }
    let record = try EncodedDocument(record: walk.payload(cursor))
    let id = try NameKey.decodeID(in: walk.key, from: nameOffset)
    return StoredDocument(path: DocumentPath(collection: collection, id: id), record: record)
  }

  func numbers(_ sources: [NumberSource], _ cursor: borrowing Cursor) throws -> [Value] {
    guard let segment, !sources.isEmpty else { return [] }
    let payload = try walk.payload(cursor)
    return try sources.map {
      try segment.scan.number(at: $0.field, in: walk.key, payload: payload) ?? .null
    }
  }
}
