import HearthEncoding

/// Collects what a walk proves about its range, for a transaction's footprint.
struct RangeRecorder {
  private let place: RangeRead.Place
  private let lower: [UInt8]
  private let upper: [UInt8]
  private let descending: Bool
  private var seen: [IndexEntry] = []

  init(_ place: RangeRead.Place, _ lower: [UInt8], _ upper: [UInt8], descending: Bool) {
    self.place = place
    self.lower = lower
    self.upper = upper
    self.descending = descending
  }

  mutating func add(_ key: [UInt8], _ payload: [UInt8]) {
    seen.append(IndexEntry(key: key, payload: payload))
  }

  /// Adds the range to the footprint, cut at the last key where the walk stopped early.
  func finish(_ trace: inout ExecutionTrace, reachedEnd: Bool) {
    var range = RangeRead(place: place, lower: lower, upper: upper, count: 0, fingerprint: 0)
    if let end = seen.last?.key, !reachedEnd {
      if descending { range.lower = end } else { range.upper = end + [0] }
    } else if !reachedEnd {
      return
    }
    var fingerprint = RangeFingerprint()
    for entry in descending ? seen.reversed() : seen {
      fingerprint.add(entry.key, entry.payload)
    }
    range.count = fingerprint.count
    range.fingerprint = fingerprint.hash
    trace.footprint?.add(range)
  }
}
