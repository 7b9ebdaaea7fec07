import Foundation

/// A value behind a lock.
///
/// A lock from Foundation, since the thread sanitizer knows pthread's and not the futex of
/// `Synchronization.Mutex` on Linux.
// @unchecked Sendable: `value` is touched only while `lock` is held.
final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: sending Value) { self.value = value }

  /// Runs `body` alone with the value.
  func with<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

/// Carries something that the compiler cannot prove safe to hand over.
// @unchecked Sendable: whoever makes one hands the content over and does not touch it again.
struct HandedOver<Content>: @unchecked Sendable {
  let content: Content
  init(_ content: Content) { self.content = content }
}
