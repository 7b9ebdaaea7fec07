public import Foundation
import HearthEngine
import HearthModel

#if !canImport(ObjectiveC)
  /// A place to put an error in, as Objective-C has it and code for the Firestore SDK uses it.
  public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
#endif

extension Firestore {
  /// Runs a block as a transaction: again and again until nothing it read has changed when its
  /// writes are committed, and returns what it returned once that is durable.
  ///
  /// The block may run several times, so it must have no effects but those on the transaction.
  /// Read through the transaction: what the block reads past it (`ref.getDocument()`) is no part of
  /// it, and a document that it both reads and writes past it changes under it in every run.
  ///
  /// - Parameters:
  ///   - maxAttempts: The number of runs, not of retries; 1 to 2³¹ - 1.
  ///   - timeout: How long all runs together may take; 270 seconds if nil.
  ///   - concurrency: How it deals with others that touch the same documents.
  ///   - readOnly: Whether it only reads: everything at one moment, in one run.
  ///   - readTime: The moment that a read-only transaction reads, see
  ///     ``TransactionOptions/readTime``.
  ///   - body: The block.
  /// - Throws: Errors of the block unchanged; ``HearthError`` with `ABORTED / CONTENTION` if every
  ///   run lost, `DEADLINE_EXCEEDED`, `CANCELLED`, and the errors of writes.
  @discardableResult
  public func runTransaction<T: Sendable>(
    maxAttempts: Int = 5, timeout: Duration? = nil, concurrency: TransactionMode = .automatic,
    readOnly: Bool = false, readTime: Timestamp? = nil,
    _ body: @Sendable (Transaction) async throws -> T
  ) async throws -> T {
    var plan = TransactionPlan()
    plan.maxAttempts = maxAttempts
    plan.timeout = timeout
    plan.mode = concurrency
    plan.readOnly = readOnly
    plan.readTime = readTime
    let request = try plan.request(for: self)
    let engine = try engine()
    await engine.waitForSubmittedWrites()
    return try await engine.runTransaction(request) { context in
      let transaction = Transaction(self, context)
      let result: T
      do {
        result = try await body(transaction)
      } catch {
        // What the block failed with is the news, not the misuse that may have led to it.
        try? transaction.finish()
        throw error
      }
      try transaction.finish()
      return result
    }
  }

  /// Runs a block that returns nothing as a transaction; see
  /// ``runTransaction(maxAttempts:timeout:concurrency:readOnly:readTime:_:)``.
  ///
  /// Writes return the transaction for chaining; with this form a block of one write needs no
  /// thought about that.
  public func runTransaction(
    maxAttempts: Int = 5, timeout: Duration? = nil, concurrency: TransactionMode = .automatic,
    readOnly: Bool = false, readTime: Timestamp? = nil,
    _ body: @Sendable (Transaction) async throws -> Void
  ) async throws {
    let _: Bool = try await runTransaction(
      maxAttempts: maxAttempts, timeout: timeout, concurrency: concurrency, readOnly: readOnly,
      readTime: readTime
    ) { transaction in
      try await body(transaction)
      return true
    }
  }

  /// Runs a block with an error pointer as a transaction; see
  /// ``runTransaction(maxAttempts:timeout:concurrency:readOnly:readTime:_:)``.
  ///
  /// The block runs on a thread that it may block. An error put into the pointer wins over the
  /// returned value.
  public func runTransaction(
    _ updateBlock: @escaping @Sendable (Transaction, NSErrorPointer) -> sending Any?
  ) async throws -> sending Any? {
    try await run(TransactionPlan(), updateBlock).content
  }

  /// Runs a block with an error pointer as a transaction, and a closure on the main queue after.
  @preconcurrency
  public func runTransaction(
    _ updateBlock: @escaping @Sendable (Transaction, NSErrorPointer) -> Any?,
    completion: @escaping @MainActor (Any?, (any Error)?) -> Void
  ) {
    runTransaction(with: nil, block: updateBlock, completion: completion)
  }

  /// Runs a block with an error pointer as a transaction with options.
  @preconcurrency
  public func runTransaction(
    with options: TransactionOptions?,
    block updateBlock: @escaping @Sendable (Transaction, NSErrorPointer) -> Any?,
    completion: @escaping @MainActor (Any?, (any Error)?) -> Void
  ) {
    let plan = options.map { TransactionPlan($0) } ?? TransactionPlan()
    Runtime.system.spawn("hearth transaction") {
      do {
        let result = try await self.run(plan, updateBlock)
        onMain { completion(result.content, nil) }
      } catch {
        onMain { completion(nil, error) }
      }
    }
  }

  private func run(
    _ plan: TransactionPlan,
    _ block: @escaping @Sendable (Transaction, NSErrorPointer) -> Any?
  ) async throws -> HandedOver<Any?> {
    let request = try plan.request(for: self)
    let engine = try engine()
    await engine.waitForSubmittedWrites()
    return try await engine.runTransaction(request) { context in
      try await withCheckedThrowingContinuation { continuation in
        // The block may block its thread, which a thread of Swift's tasks must not.
        engine.options.runtime.runBlocking {
          continuation.resume(with: self.runOnce(context, block))
        }
      }
    }
  }

  private func runOnce(
    _ context: TransactionContext, _ block: (Transaction, NSErrorPointer) -> Any?
  ) -> Result<HandedOver<Any?>, any Error> {
    let transaction = Transaction(self, context)
    var error: NSError?
    // Bound here, since a task-local does not reach the pool on its own: plain writes from inside
    // the block are recognised by it.
    let result = TransactionContext.$current.withValue(context) {
      withUnsafeMutablePointer(to: &error) { block(transaction, $0) }
    }
    do {
      try transaction.finish()
    } catch let misuse {
      return .failure(error ?? misuse)
    }
    if let error { return .failure(error) }
    return .success(HandedOver(result))
  }
}
