package import HearthModel
import HearthStorage

/// Keys that recent commits touched, so that a range read is checked without walking it again.
///
/// Kept only while transactions with ranges are under way, and bounded: where it does not reach
/// back far enough, the range is walked again, so no transaction fails for being old.
package struct CommitLog {
  private struct Entry {
    var version: CommitVersion
    /// Sorted.
    var keys: [[UInt8]]
    var place: RangeRead.Place
  }

  private var entries: [Entry] = []
  private var byteCount = 0
  /// Every commit after this version is in the log; nil while nothing is logged.
  package private(set) var coveredFrom: CommitVersion?
  private let limit: Int

  package init(byteLimit: Int = 64 << 20) { limit = byteLimit }

  package var isRecording: Bool { coveredFrom != nil }

  /// Starts recording: everything after `head` will be added.
  package mutating func start(at head: CommitVersion) {
    if coveredFrom == nil { coveredFrom = head }
  }

  /// Forgets everything.
  package mutating func stop() {
    coveredFrom = nil
    entries = []
    byteCount = 0
  }

  package mutating func add(_ keys: [[UInt8]], place: RangeRead.Place, at version: CommitVersion) {
    guard isRecording, !keys.isEmpty else { return }
    entries.append(Entry(version: version, keys: keys.sorted(by: bytesLess), place: place))
    byteCount += keys.reduce(0) { $0 + $1.count + 32 }
    while byteCount > limit, let first = entries.first {
      byteCount -= first.keys.reduce(0) { $0 + $1.count + 32 }
      coveredFrom = first.version
      entries.removeFirst()
    }
  }

  /// Whether the range was touched after `version`; nil if the log does not reach back to it.
  package func touches(_ range: RangeRead, after version: CommitVersion) -> Bool? {
    guard let coveredFrom, coveredFrom <= version, range.place != .catalog else { return nil }
    for entry in entries.reversed() {
      if entry.version <= version { break }
      if entry.place == range.place, CommitLog.anyKey(entry.keys, in: range) { return true }
    }
    return false
  }

  /// Whether a sorted list has a key inside the range.
  package static func anyKey(_ keys: [[UInt8]], in range: RangeRead) -> Bool {
    var low = 0
    var high = keys.count
    while low < high {
      let middle = (low + high) / 2
      if bytesLess(keys[middle], range.lower) { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && bytesLess(keys[low], range.upper)
  }
}
