import HearthModel
import HearthStorage

/// The older states of documents, and who needs them.
///
/// Kept in memory: a read-only transaction stays at its version without holding a storage snapshot,
/// which would keep the file from using its pages again.
final class History: Sendable {
  /// What entitles one to read at a version.
  struct Pin: Hashable {
    fileprivate let number: Int
  }

  private struct Pinned {
    /// Nil until the first snapshot is open: everything is kept that long.
    var version: CommitVersion?
    let since: UInt64
  }

  private struct State {
    var log: HistoryLog
    var pins: [Int: Pinned] = [:]
    var lastPin = 0
    /// The last version on disk; what the log has beyond it is on its way there.
    var head: CommitVersion
  }

  private let state: Lock<State>
  private let window: UInt64?
  private let byteLimit: Int
  private let lease: UInt64
  private let runtime: Runtime

  init(_ options: EngineOptions, head: CommitVersion) {
    state = Lock(State(log: HistoryLog(start: head), head: head))
    window = options.historyNanoseconds
    byteLimit = options.historyBytes
    lease = options.limits.snapshotNanoseconds
    runtime = options.runtime
  }

  // MARK: Who reads

  /// From now on nothing is forgotten until the pin is told which version it needs.
  func pin() -> Pin {
    let now = runtime.monotonicNanoseconds()
    return state.withLock { state in
      state.lastPin += 1
      state.pins[state.lastPin] = Pinned(version: nil, since: now)
      return Pin(number: state.lastPin)
    }
  }

  /// Says which version a pin needs; false if that is gone already.
  func hold(_ version: CommitVersion, for pin: Pin) -> Bool {
    state.withLock { state in
      guard version >= state.log.start else { return false }
      state.pins[pin.number]?.version = version
      return true
    }
  }

  func unpin(_ pin: Pin) {
    state.withLock { state in
      state.pins[pin.number] = nil
      // Else the next commit would be the first to let go of it.
      if state.pins.isEmpty, window == nil { state.log.trim(to: state.head) }
    }
  }

  /// Whether a pin may go on reading: in time, and with everything it needs still there.
  func isHeld(_ pin: Pin) -> Bool {
    let now = runtime.monotonicNanoseconds()
    return state.withLock { state in
      guard let pinned = state.pins[pin.number], now - pinned.since <= lease else { return false }
      return pinned.version.map { $0 >= state.log.start } ?? true
    }
  }

  // MARK: What changes

  /// Takes what a group is about to write: a snapshot that shows it finds the states before it.
  func add(_ units: [(version: CommitVersion, changes: [CommitUnit.Change])]) {
    state.withLock { state in
      let isKept = window != nil || !state.pins.isEmpty
      for unit in units { state.log.add(unit.changes, at: unit.version, measured: isKept) }
    }
  }

  /// The group was not written.
  func takeBack(after head: CommitVersion) { state.withLock { $0.log.takeBack(after: head) } }

  /// The group is on disk: what nobody needs can go.
  func settle(at head: CommitVersion) {
    let now = runtime.monotonicNanoseconds()
    let time = window.map { runtime.nowMicroseconds() - Int64(clamping: $0 / 1000) }
    state.withLock { state in
      state.head = head
      var floor = time.map { min(head, CommitVersion(microseconds: $0)) } ?? head
      for pinned in state.pins.values where now - pinned.since <= lease {
        guard let version = pinned.version else { return }
        floor = min(floor, version)
      }
      state.log.trim(to: floor)
      state.log.trim(toBytes: byteLimit)
    }
  }

  // MARK: Reading

  /// A document as it was at `version`, nil if it has not changed since.
  func state(
    of path: DocumentPath, at version: CommitVersion, seenFrom head: CommitVersion
  ) -> Document?? {
    state.withLock { $0.log.state(of: path, at: version, seenFrom: head) }
  }

  /// Documents that have changed since `version`, as they were.
  func states(
    at version: CommitVersion, seenFrom head: CommitVersion,
    where isWanted: (DocumentPath) -> Bool
  ) -> [DocumentPath: Document?] {
    state.withLock { $0.log.states(at: version, seenFrom: head, where: isWanted) }
  }

  /// How many states are held and their bytes, and the age of the oldest reader.
  var measure: (states: Int, bytes: Int, oldestReaderNanoseconds: UInt64) {
    let now = runtime.monotonicNanoseconds()
    return state.withLock { state in
      let oldest = state.pins.values.map(\.since).min() ?? now
      return (state.log.count, state.log.byteCount, now - min(now, oldest))
    }
  }
}
