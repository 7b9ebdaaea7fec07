import HearthEncoding
import HearthModel
import HearthStorage

/// Walks one compiled scan, or several as a zig-zag merge, and counts what it touches
/// (documents-and-queries, 7).
struct IndexScanner {
  /// One scan, or the members of a merge: same ranges and direction, each with its own prefix.
  let scans: [CompiledScan]
  let store: RecordStore
  let table: Table
  let place: RangeRead.Place

  /// The name bytes of the first `wanted` matches of a single scan.
  func scan<T: TableReader & ~Copyable>(
    _ wanted: Int?, _ transaction: borrowing T, _ trace: inout Executor.Trace
  ) throws -> [[UInt8]] {
    var names: [[UInt8]] = []
    try walk(wanted, transaction, &trace) { walk, cursor, name in
      try walk.verify(cursor)
      names.append(Array(name))
    }
    return names
  }

  /// Visits the matches of a single scan in order, at most `wanted`.
  ///
  /// One further entry is read and counted where there is one, as Firestore does.
  func walk<T: TableReader & ~Copyable>(
    _ wanted: Int?, _ transaction: borrowing T, _ trace: inout Executor.Trace,
    _ visit: (KeyWalk, borrowing Cursor, ArraySlice<UInt8>) throws -> Void
  ) throws {
    let scan = scans[0]
    var matches = 0
    try transaction.withCursor(in: table) { cursor in
      var walk = KeyWalk(store: store, table: table, descending: scan.descending)
      for range in scan.ranges {
        let (lower, upper) = scan.bounds(range)
        var recorder = RangeRecorder(place, lower, upper, scan.descending, trace.footprint != nil)
        var found = try walk.seek(scan.descending ? upper : lower, &cursor)
        while found, scan.descending ? !bytesLess(walk.key, lower) : bytesLess(walk.key, upper) {
          trace.statistics.indexEntriesScanned += 1
          if let wanted, matches == wanted {
            recorder.finish(&trace, reachedEnd: false)
            return
          }
          recorder.add(walk.key)
          let (name, passes) = try scan.inspect(walk.key)
          if passes {
            try visit(walk, cursor, name)
            matches += 1
          }
          found = try walk.step(&cursor)
        }
        // A limit that was met protects only what was looked at; the rest may change freely.
        recorder.finish(&trace, reachedEnd: wanted.map { matches < $0 } ?? true)
      }
    }
  }

  /// The name bytes of the first `wanted` suffixes that all members have.
  func merge<T: TableReader & ~Copyable>(
    _ wanted: Int?, _ transaction: borrowing T, _ trace: inout Executor.Trace
  ) throws -> [[UInt8]] {
    var names: [[UInt8]] = []
    var walked: [(lower: [UInt8], upper: [UInt8])] = []
    try transaction.withCursor(in: table) { cursor in
      for range in scans[0].ranges {
        if let wanted, names.count == wanted { return }
        var zigzag = ZigZag(self, range)
        while wanted.map({ names.count < $0 }) ?? true,
          let suffix = try zigzag.next(&cursor, &trace.statistics)
        {
          let key = scans[0].prefix + suffix
          let (name, passes) = try scans[0].inspect(key)
          if passes { names.append(Array(name)) }
        }
        walked += zigzag.walked
      }
    }
    if trace.footprint != nil {
      // The members skipped keys between the ones they landed on; the footprint needs them all.
      for (lower, upper) in walked {
        trace.footprint?.ranges.append(
          try RangeRead(place: place, lower: lower, upper: upper, store, transaction))
      }
    }
    return names
  }
}

/// The state of a merge over one range: where each member stands.
private struct ZigZag {
  private let scanner: IndexScanner
  private let bounds: [(lower: [UInt8], upper: [UInt8])]
  private let descending: Bool
  private var walks: [KeyWalk]
  /// The suffix each member stands at; nil before its first move.
  private var places: [[UInt8]?]
  private var ended = false
  private var matched = false

  init(_ scanner: IndexScanner, _ range: SuffixRange) {
    self.scanner = scanner
    let descending = scanner.scans[0].descending
    self.descending = descending
    let bounds = scanner.scans.map { $0.bounds(range) }
    self.bounds = bounds
    walks = scanner.scans.map { _ in
      KeyWalk(store: scanner.store, table: scanner.table, descending: descending)
    }
    places = Array(repeating: nil, count: scanner.scans.count)
  }

  /// The next suffix that all members have; nil at the end of any of them.
  mutating func next(
    _ cursor: inout Cursor, _ statistics: inout ExecutionStatistics
  ) throws -> [UInt8]? {
    if matched {
      matched = false
      for member in walks.indices {
        guard let place = places[member] else { continue }
        if try !move(member, beyond: place, &cursor, &statistics) { return nil }
      }
    }
    while !ended {
      if places[0] == nil, try !start(0, &cursor, &statistics) { return nil }
      guard var target = places[0] else { return nil }
      var agree = true
      for member in walks.indices {
        if let place = places[member], comes(target, before: place) { target = place }
      }
      for member in walks.indices where places[member] != target {
        agree = false
        if try !move(member, to: target, &cursor, &statistics) { return nil }
        if let place = places[member], place != target { break }
      }
      if agree {
        matched = true
        return target
      }
    }
    return nil
  }

  /// What the members walked over: to the end of the range, or to the last match.
  var walked: [(lower: [UInt8], upper: [UInt8])] {
    walks.indices.map { member in
      var (lower, upper) = bounds[member]
      if !ended, let place = places[member] {
        let key = scanner.scans[member].prefix + place
        if descending { lower = key } else { upper = key + [0] }
      }
      return (lower, upper)
    }
  }

  private func comes(_ a: [UInt8], before b: [UInt8]) -> Bool {
    descending ? bytesLess(b, a) : bytesLess(a, b)
  }

  private mutating func start(
    _ member: Int, _ cursor: inout Cursor, _ statistics: inout ExecutionStatistics
  ) throws -> Bool {
    try seek(
      member, descending ? bounds[member].upper : bounds[member].lower, &cursor, &statistics)
  }

  private mutating func move(
    _ member: Int, to suffix: [UInt8], _ cursor: inout Cursor,
    _ statistics: inout ExecutionStatistics
  ) throws -> Bool {
    let key = scanner.scans[member].prefix + suffix
    return try seek(member, descending ? key + [0] : key, &cursor, &statistics)
  }

  private mutating func move(
    _ member: Int, beyond suffix: [UInt8], _ cursor: inout Cursor,
    _ statistics: inout ExecutionStatistics
  ) throws -> Bool {
    let key = scanner.scans[member].prefix + suffix
    return try seek(member, descending ? key : key + [0], &cursor, &statistics)
  }

  /// Every seek that lands on an entry of the range counts one.
  private mutating func seek(
    _ member: Int, _ edge: [UInt8], _ cursor: inout Cursor,
    _ statistics: inout ExecutionStatistics
  ) throws -> Bool {
    let (lower, upper) = bounds[member]
    let found = try walks[member].seek(edge, &cursor)
    let key = walks[member].key
    guard found, descending ? !bytesLess(key, lower) : bytesLess(key, upper) else {
      ended = true
      return false
    }
    try walks[member].verify(cursor)
    statistics.indexEntriesScanned += 1
    places[member] = Array(key[scanner.scans[member].prefix.count...])
    return true
  }
}

/// Collects what a walk proves about its range, for a transaction's footprint.
struct RangeRecorder {
  private let place: RangeRead.Place
  private let lower: [UInt8]
  private let upper: [UInt8]
  private let descending: Bool
  private let recording: Bool
  private var keys: [[UInt8]] = []

  init(
    _ place: RangeRead.Place, _ lower: [UInt8], _ upper: [UInt8], _ descending: Bool,
    _ recording: Bool
  ) {
    self.place = place
    self.lower = lower
    self.upper = upper
    self.descending = descending
    self.recording = recording
  }

  mutating func add(_ key: [UInt8]) {
    if recording { keys.append(key) }
  }

  /// Adds the range to the footprint, cut at the last key where the walk stopped early.
  func finish(_ trace: inout Executor.Trace, reachedEnd: Bool) {
    guard recording else { return }
    var range = RangeRead(place: place, lower: lower, upper: upper, count: 0, fingerprint: 0)
    if let end = keys.last, !reachedEnd {
      if descending { range.lower = end } else { range.upper = end + [0] }
    } else if !reachedEnd {
      return
    }
    var seen = RangeFingerprint()
    for key in descending ? keys.reversed() : keys { seen.add(key) }
    range.count = seen.count
    range.fingerprint = seen.hash
    trace.footprint?.ranges.append(range)
  }
}
