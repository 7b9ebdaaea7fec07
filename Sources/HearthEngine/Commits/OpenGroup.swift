import HearthModel
import HearthStorage

/// The group that the committer has open, as the next in line for a document may see it
/// (transactions-and-listeners, 7.7).
///
/// A turn is handed on as soon as its holder's commit is applied to the open group; whoever gets it
/// reads the group's documents here and everything else at the version that the group builds on.
/// Nothing of this is answered or shown to anybody else before the group is on disk: a run that
/// looked in here commits in this group or after it, or waits for its end. If the group fails, the
/// versions in it are dead: nothing is ever given the same ones, so that whatever was built on them
/// conflicts.
final class OpenGroup: Sendable {
  private struct State {
    /// Counts groups that were shown.
    var number: UInt64 = 0
    /// What the group builds on; nil while none is shown.
    var base: CommitVersion?
    /// The version of the last unit applied.
    var version = CommitVersion.zero
    var documents: [DocumentPath: Document?] = [:]
    var failed: Set<UInt64> = []
    var waiters: [CheckedContinuation<Bool, Never>] = []
  }

  /// What one read sees of the group.
  struct View {
    var number: UInt64
    var base: CommitVersion
    var version: CommitVersion
    /// The document as the group leaves it; nil if the group has not touched it.
    var document: Document??
    /// The versions of documents read before, as far as the group has touched them.
    var touched: [DocumentPath: CommitVersion?]
  }

  private let state = Lock(State())

  /// What the group says of a document, and of those that were read before; nil if none is shown.
  func view<Paths: Sequence<DocumentPath>>(of path: DocumentPath, and read: Paths) -> View? {
    state.withLock { state in
      guard let base = state.base else { return nil }
      var touched: [DocumentPath: CommitVersion?] = [:]
      for path in read {
        if let known = state.documents[path] { touched[path] = .some(known?.updateVersion) }
      }
      return View(
        number: state.number, base: base, version: state.version,
        document: state.documents[path], touched: touched)
    }
  }

  /// Shows a group, or what was added to it.
  func show(_ changes: [(path: DocumentPath, after: Document?)], _ group: borrowing CommitGroup) {
    state.withLock { state in
      if state.base == nil {
        state.number += 1
        state.base = group.base
      }
      for change in changes { state.documents[change.path] = .some(change.after) }
      state.version = group.version
    }
  }

  /// The group is on disk, or has failed.
  func end(committed: Bool) {
    let waiters = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
      guard state.base != nil else { return [] }
      if !committed {
        // Few fail, and nobody asks long after.
        if state.failed.count > 1000 { state.failed = [] }
        state.failed.insert(state.number)
      }
      state.base = nil
      state.documents = [:]
      defer { state.waiters = [] }
      return state.waiters
    }
    waiters.forEach { $0.resume(returning: committed) }
  }

  /// Suspends until a group has ended; whether it is on disk.
  func wasCommitted(_ number: UInt64) async -> Bool {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Bool? in
        if state.number == number, state.base != nil {
          state.waiters.append(continuation)
          return nil
        }
        return !state.failed.contains(number)
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}
