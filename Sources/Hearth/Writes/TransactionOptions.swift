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
  /// Whether the transaction may only read; it then runs once.
  public var readOnly = false
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
  var timeout: Duration?
  var mode = TransactionMode.automatic

  init() {}

  init(_ options: TransactionOptions) {
    maxAttempts = options.maxAttempts
    readOnly = options.readOnly
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
    if let timeout {
      let (seconds, attoseconds) = timeout.components
      guard seconds >= 0, attoseconds >= 0 else {
        throw Hearth.misused(.invalid("TIMEOUT", "A timeout must not be negative."))
      }
      let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
      request.timeoutNanoseconds =
        overflow ? .max : whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000)).0
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
