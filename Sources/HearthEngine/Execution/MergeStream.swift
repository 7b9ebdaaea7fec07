import HearthEncoding
import HearthModel
import HearthStorage

/// The suffixes that several scans have in common, found by a zig-zag over all of them
/// (documents-and-queries, 6.4).
///
/// Every seek or step that lands on an entry counts one.
final class MergeStream: MatchStream {
  private struct Member {
    var scan: CompiledScan
    var walk: KeyWalk
    var bounds: (lower: [UInt8], upper: [UInt8]) = ([], [])
    /// The suffix it stands at; nil before its first move.
    var place: [UInt8]?
    var payload: [UInt8] = []
  }

  let place = RangeRead.Place.entries
  private let store: RecordStore
  private let descending: Bool
  private var members: [Member]
  /// The ranges of the first member; the others have the same behind their own prefixes.
  private var ranges: ArraySlice<SuffixRange>
  private var isOpen = false
  private var nameOffset = 0
  /// What the members walked over, for a footprint.
  private var walked: [(lower: [UInt8], upper: [UInt8])] = []

  init(_ store: RecordStore, _ scans: [CompiledScan]) {
    self.store = store
    descending = scans[0].descending
    let descending = descending
    members = scans.map { scan in
      Member(
        scan: scan, walk: KeyWalk(store: store, table: store.entries, descending: descending))
    }
    ranges = scans[0].ranges[...]
  }

  func next(
    _ cursor: inout Cursor, isPlaced: Bool, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) throws -> Bool {
    while true {
      if !isOpen {
        guard let range = ranges.popFirst() else { return false }
        begin(range)
      } else if try !step(&cursor, &trace) {
        end()
        continue
      }
      while try agree(&cursor, &trace) {
        if let offset = try members[0].scan.admit(members[0].walk.key) {
          nameOffset = offset
          return true
        }
        if try !step(&cursor, &trace) { break }
      }
      end()
    }
  }

  func lookAhead(
    _ cursor: inout Cursor, _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) {
    // A merge stops at its last match.
  }

  func close(_ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace) throws {
    if isOpen { note(reachedEnd: false) }
    if trace.footprint == nil { return }
    // The members skipped keys between the ones they landed on; the footprint needs them all.
    for (lower, upper) in walked {
      trace.footprint?.add(
        try RangeRead(place: place, lower: lower, upper: upper, store, transaction))
    }
  }

  private func begin(_ range: SuffixRange) {
    for position in members.indices {
      members[position].bounds = members[position].scan.bounds(range)
      members[position].place = nil
    }
    isOpen = true
  }

  private func end() {
    note(reachedEnd: true)
    isOpen = false
  }

  private func note(reachedEnd: Bool) {
    for member in members {
      var (lower, upper) = member.bounds
      if !reachedEnd, let place = member.place {
        let key = member.scan.prefix + place
        if descending { lower = key } else { upper = key + [0] }
      }
      walked.append((lower, upper))
    }
  }

  /// Moves every member beyond the match at hand; false at the end of any of them.
  private func step(_ cursor: inout Cursor, _ trace: inout ExecutionTrace) throws -> Bool {
    for position in members.indices {
      guard let place = members[position].place else { continue }
      let key = members[position].scan.prefix + place
      if try !seek(position, descending ? key : key + [0], &cursor, &trace) { return false }
    }
    return true
  }

  /// Moves members until all stand at one suffix; false at the end of any of them.
  private func agree(_ cursor: inout Cursor, _ trace: inout ExecutionTrace) throws -> Bool {
    let first = members[0].bounds
    if members[0].place == nil,
      try !seek(0, descending ? first.upper : first.lower, &cursor, &trace)
    {
      return false
    }
    while true {
      guard var target = members[0].place else { return false }
      for member in members {
        if let place = member.place, comes(target, before: place) { target = place }
      }
      var isAgreed = true
      for position in members.indices where members[position].place != target {
        isAgreed = false
        let key = members[position].scan.prefix + target
        if try !seek(position, descending ? key + [0] : key, &cursor, &trace) { return false }
        if members[position].place != target { break }
      }
      if isAgreed { return true }
    }
  }

  private func comes(_ a: [UInt8], before b: [UInt8]) -> Bool {
    descending ? bytesLess(b, a) : bytesLess(a, b)
  }

  private func seek(
    _ position: Int, _ edge: [UInt8], _ cursor: inout Cursor, _ trace: inout ExecutionTrace
  ) throws -> Bool {
    let (lower, upper) = members[position].bounds
    let found = try members[position].walk.seek(edge, &cursor)
    let key = members[position].walk.key
    guard found, descending ? !bytesLess(key, lower) : bytesLess(key, upper) else { return false }
    members[position].payload = try members[position].walk.payload(cursor)
    trace.statistics.indexEntriesScanned += 1
    members[position].place = Array(key[members[position].scan.prefix.count...])
    return true
  }

  // MARK: The match

  func appendName(to key: inout [UInt8]) { key += members[0].walk.key[nameOffset...] }

  func suffix() throws -> (bytes: ArraySlice<UInt8>, ends: [Int]) {
    let scan = members[0].scan
    let key = members[0].walk.key
    return (key[scan.prefix.count...], try scan.ends(in: key))
  }

  func document(_ cursor: borrowing Cursor) -> StoredDocument? { nil }

  func numbers(_ sources: [NumberSource], _ cursor: borrowing Cursor) throws -> [Value] {
    try sources.map { source in
      let member = members[source.member]
      return try member.scan.number(
        at: source.field, in: member.walk.key, payload: member.payload) ?? .null
    }
  }
}
