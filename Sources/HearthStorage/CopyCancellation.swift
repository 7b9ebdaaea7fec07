#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Ends a copy from another thread.
///
/// LMDB copies in one call that cannot be told to stop. So the descriptor it writes to is replaced
/// by one that cannot be written to, and its next write fails.
package final class CopyCancellation: Sendable {
  private struct State {
    var isCancelled = false
    /// What a copy writes to at this moment.
    var descriptor: Int32?
  }

  private let state = Lock(State())

  /// Not cancelled yet.
  package init() {}

  /// Whether `cancel()` was called.
  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Ends the copy that is under way, or the next one.
  package func cancel() {
    state.withLock { state in
      state.isCancelled = true
      if let descriptor = state.descriptor { Self.block(descriptor) }
    }
  }

  /// Runs a copy to a descriptor, which stays the caller's to close.
  func copying<R>(
    to descriptor: Int32, _ body: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.descriptor = descriptor }
      return state.isCancelled
    }
    if isCancelled { throw Self.error }
    defer { state.withLock { $0.descriptor = nil } }
    do throws(StorageError) {
      let result = try body()
      if self.isCancelled { throw Self.error }
      return result
    } catch {
      throw self.isCancelled ? Self.error : error
    }
  }

  static let error = StorageError(.cancelled, "The copy was cancelled; nothing was left of it.")

  private static func block(_ descriptor: Int32) {
    let null = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard null >= 0 else { return }
    dup2(null, descriptor)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    Files.close(null)
  }
}
