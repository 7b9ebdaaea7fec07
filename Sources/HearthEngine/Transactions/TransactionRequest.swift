package import HearthModel

/// How a transaction wants to be run (transactions-and-listeners, 3.6).
package enum TransactionConcurrency: Sendable {
  /// Optimistic first, then turns, then the gate.
  case automatic
  /// Optimistic only, to measure what that costs under contention.
  case optimistic
  /// Turns on these documents before the first run.
  case turns([DocumentPath])
}

/// The settings of one transaction.
package struct TransactionRequest: Sendable {
  /// The number of block runs, not of retries.
  package var maxAttempts = 5
  package var readOnly = false
  /// The moment whose state a read-only transaction reads, in microseconds; nil for the newest.
  package var readTime: Int64?
  package var concurrency: TransactionConcurrency = .automatic
  /// Overrides the engine's limit on the whole transaction.
  package var timeoutNanoseconds: UInt64?

  package init() {}
}
