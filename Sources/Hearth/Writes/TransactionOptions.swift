import Foundation
import HearthEngine
import HearthModel

/// How a transaction deals with others that touch the same documents.
public enum TransactionMode: Sendable {
  /// Optimistic at first; after a conflict it waits for its turn on the documents it lost.
  case automatic
  /// Optimistic always, to measure what that costs.
  case optimistic
  /// Takes its turn on these documents before the first run.
  case turns(for: [DocumentReference])
}

/// Options of a transaction in the SDK's form.
public final class TransactionOptions {
  /// The number of runs of the block, not of retries; 1 to 2³¹ - 1, 5 unless set.
  public var maxAttempts = 5
  /// Whether the transaction may only read; it then runs once, and everything it reads is of one
  /// moment, whatever is written meanwhile.
  ///
  /// It can stay there for 60 seconds, and while what has been written since fits into 64 MiB; then
  /// it fails with `ABORTED`, reason `SNAPSHOT_EXPIRED`.
  public var readOnly = false
  /// The moment whose state a read-only transaction reads, to the microsecond; nil for now.
  ///
  /// One in the future is `INVALID_ARGUMENT`, one that is not known any more `FAILED_PRECONDITION`,
  /// reason `READ_TIME_TOO_OLD`; see ``FirestoreSettings/historyWindow``.
  public var readTime: Timestamp?
  /// How long all runs together may take; 270 seconds unless set.
  public var timeout: Duration?
  /// How it deals with others.
  public var concurrency = TransactionMode.automatic

  /// Makes the default options.
  public init() {}
}

/// Checked settings of a transaction, as the engine takes them.
struct TransactionPlan: Sendable {
  var maxAttempts = 5
  var readOnly = false
  var readTime: Timestamp?
  var timeout: Duration?
  var mode = TransactionMode.automatic

  init() {}

  init(_ options: TransactionOptions) {
    maxAttempts = options.maxAttempts
    readOnly = options.readOnly
    readTime = options.readTime
    timeout = options.timeout
    mode = options.concurrency
  }

  func request(for database: Firestore) throws(HearthError) -> TransactionRequest {
    guard (1...Int(Int32.max)).contains(maxAttempts) else {
      throw Hearth.misused(
        .invalid("MAX_ATTEMPTS", "maxAttempts must be from 1 to 2³¹ - 1, not \(maxAttempts)."))
    }
    var request = TransactionRequest()
    request.maxAttempts = maxAttempts
    request.readOnly = readOnly
    if let readTime {
      guard readTime.isValid else {
        throw Hearth.misused(
          .invalid("READ_TIME", "A read time must lie in the years 1 to 9999; this is not one."))
      }
      request.readTime = readTime.microseconds
    }
    if let timeout {
      guard timeout >= .zero else {
        throw Hearth.misused(.invalid("TIMEOUT", "A timeout must not be negative."))
      }
      request.timeoutNanoseconds = timeout.clampedNanoseconds
    }
    switch mode {
    case .automatic: request.concurrency = .automatic
    case .optimistic: request.concurrency = .optimistic
    case .turns(let documents):
      var paths: [DocumentPath] = []
      for document in documents { paths.append(try document.checked(for: database)) }
      request.concurrency = .turns(paths)
    }
    return request
  }
}

extension Duration {
  /// In nanoseconds, from none to the most that can be told.
  var clampedNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (all, carry) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
    return overflow || carry ? .max : all
  }
}
