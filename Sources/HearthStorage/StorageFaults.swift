/// Lets tests fail or interrupt storage at a named point.
///
/// Shipped code never makes one.
package final class StorageFaults: Sendable {
  /// A call that can be made to fail, counted from 1 since the fault was set.
  package enum Operation: Hashable, Sendable {
    case beginRead
    case beginWrite
    case get
    case put
    case delete
    case commit
    /// The commit has taken place, and is answered as if its last step had failed.
    case acknowledge
    case sync
  }

  /// A place where a test can run something, for instance the end of the process.
  package enum Point: Hashable, Sendable, CaseIterable {
    /// The staging directory exists, empty but for the lock.
    case creationStarted
    /// The superblock and the tables are committed in the staging directory.
    case creationCommitted
    /// File and staging directory are synced, not yet renamed.
    case creationSynced
    /// The database has its name; the parent directory is not synced yet.
    case creationRenamed
    /// A compact copy is complete beside the file, not yet in its place.
    case compactionCopied
    /// The copy has the file's name; the directory is not synced yet.
    case compactionRenamed
    case afterBegin
    case beforeCommit
    case afterCommit
    case afterAbort
    case beforeClose
  }

  private struct State {
    var countdowns: [Operation: (remaining: Int, code: Int32)] = [:]
    var actions: [Point: @Sendable () -> Void] = [:]
  }

  private let state = Lock(State())

  /// No faults yet.
  package init() {}

  /// Makes the `count`-th call from now fail with a code of LMDB or errno, once.
  package func fail(_ operation: Operation, at count: Int = 1, with code: Int32) {
    state.withLock { $0.countdowns[operation] = (count, code) }
  }

  /// Runs `action` each time the point is reached; nil takes it away.
  package func at(_ point: Point, run action: (@Sendable () -> Void)?) {
    state.withLock { $0.actions[point] = action }
  }

  /// Forgets all faults.
  package func clear() {
    state.withLock { $0 = State() }
  }

  /// The code to fail with, or 0.
  func code(for operation: Operation) -> Int32 {
    state.withLock { state in
      guard let entry = state.countdowns[operation] else { return 0 }
      if entry.remaining > 1 {
        state.countdowns[operation]?.remaining -= 1
        return 0
      }
      state.countdowns[operation] = nil
      return entry.code
    }
  }

  func reach(_ point: Point) {
    // Outside the lock: the action may set other faults.
    let action = state.withLock { $0.actions[point] }
    action?()
  }
}
