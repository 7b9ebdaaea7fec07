package import HearthModel
import HearthStorage

/// Something long that is done to a whole database: how far it is, and whether it is to go on.
package final class Operation: Sendable {
  let copy = CopyCancellation()
  private let progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)?

  /// `progress` is told of documents, on the thread that works.
  package init(progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil) {
    self.progress = progress
  }

  /// Ends the operation at its next step; from any thread.
  package func cancel() { copy.cancel() }

  /// Tells how many documents are done, and throws if the operation is to end.
  package func step(_ done: Int, of total: Int?) throws(HearthError) {
    if copy.isCancelled {
      throw HearthError(.cancelled, "CANCELLED", "The operation was cancelled.")
    }
    progress?(done, total)
  }
}

/// The operations under way on an open database: closing ends them instead of waiting for them.
final class RunningOperations: Sendable {
  private let running = Lock<[ObjectIdentifier: Operation]>([:])

  func begin(_ operation: Operation) {
    running.withLock { $0[ObjectIdentifier(operation)] = operation }
  }

  func end(_ operation: Operation) {
    running.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(operation)) }
  }

  func cancelAll() {
    for operation in running.withLock({ Array($0.values) }) { operation.cancel() }
  }
}

extension Engine {
  /// Runs an operation that `close` may end; it then fails as every call on a closed database.
  func running<R>(
    _ operation: Operation, _ body: () throws -> R
  ) throws(HearthError) -> R {
    parts.operations.begin(operation)
    defer { parts.operations.end(operation) }
    // After `begin`: whoever closes now finds the operation, or this finds that it is closed.
    if isClosed { throw .closed }
    do {
      return try body()
    } catch {
      let error = HearthError.wrapping(error)
      throw isClosed && error.status == .cancelled ? .closed : error
    }
  }
}
