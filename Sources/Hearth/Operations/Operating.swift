import Foundation
import HearthEngine
import HearthModel

/// Runs a long operation on a thread that may block; cancelling the task ends it.
func operating<T: Sendable>(
  _ progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)?,
  _ body: @escaping @Sendable (HearthEngine.Operation) throws(HearthError) -> T
) async throws -> T {
  try await cancellable(progress) { operation in
    // A long walk must not occupy a thread of Swift's tasks.
    try await onBlockingThread { () throws(HearthError) in try body(operation) }
  }
}

/// Runs a long operation that suspends by itself; cancelling the task ends it.
func cancellable<T: Sendable>(
  _ progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)?,
  _ body: (HearthEngine.Operation) async throws -> T
) async throws -> T {
  let operation = HearthEngine.Operation(progress: progress)
  return try await withTaskCancellationHandler {
    try await body(operation)
  } onCancel: {
    operation.cancel()
  }
}
