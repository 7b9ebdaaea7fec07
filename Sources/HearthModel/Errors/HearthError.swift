// NSError is the one thing that this floor takes from Foundation: code written for Firestore
// says `catch let error as NSError`, and on Linux only a true NSError subclass matches that.
public import Foundation

/// The error that every failing Hearth call throws or delivers.
///
/// `status` is the code that the same request gets from Firestore, `reason` a stable token to
/// match on (never match on the message), and the message says what was wrong and what to do.
public final class HearthError: NSError, @unchecked Sendable {
  // Sendable although NSError is a class: every stored property is an immutable Sendable value.

  /// Firestore's status code; `code` is its raw value.
  public let status: FirestoreErrorCode.Code
  /// A stable token, such as `INDEX_MISSING`, that tells this failure from others of its code.
  public let reason: String
  /// Structured data about the failure, where there is any.
  public let details: HearthErrorDetails?
  /// What was wrong and what to do, for people.
  public let message: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - status: Firestore's status code.
  ///   - reason: The stable token.
  ///   - message: What was wrong and what to do.
  ///   - details: Structured data about the failure.
  ///   - underlying: The error of a lower layer that led to this one.
  public init(
    _ status: FirestoreErrorCode.Code, _ reason: String, _ message: String,
    details: HearthErrorDetails? = nil, underlying: (any Error)? = nil
  ) {
    self.status = status
    self.reason = reason
    self.details = details
    self.message = message
    var info: [String: Any] = [
      NSLocalizedDescriptionKey: message, HearthErrorReasonKey: reason,
    ]
    if case .missingIndex(let missing) = details {
      info[HearthErrorIndexDefinitionKey] = missing.json
    }
    if let underlying { info[NSUnderlyingErrorKey] = underlying }
    super.init(domain: FirestoreErrorDomain, code: status.rawValue, userInfo: info)
  }

  /// Archiving errors is not offered.
  @available(*, unavailable)
  public required init?(coder: NSCoder) { nil }

  /// Code, reason and message in one line.
  public override var description: String { "\(status.name) / \(reason): \(message)" }

  /// An `INVALID_ARGUMENT` error, the most frequent kind.
  package static func invalid(_ reason: String, _ message: String) -> HearthError {
    HearthError(.invalidArgument, reason, message)
  }

  /// Damage found in stored bytes.
  package static func dataLoss(_ reason: String, _ message: String) -> HearthError {
    HearthError(.dataLoss, reason, message)
  }
}

/// A number with what it counts, for messages: "1 segment", "2 segments".
package func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}

/// Structured data that some errors carry.
public enum HearthErrorDetails: Sendable, Equatable {
  /// The index that the query needs.
  case missingIndex(MissingIndexDetails)
  /// A transaction gave up: the number of block runs, and what it lost (paths or query texts).
  case contention(attempts: Int, lost: [String])
  /// The line of an import, from 1, that could not be taken.
  case importLine(Int)
}

/// The index that a query lacks, in the two forms needed to create it.
public struct MissingIndexDetails: Sendable, Equatable {
  /// The definition, ready for `createIndex`.
  public let definition: IndexDefinition
  /// A fragment ready to paste into `firestore.indexes.json`.
  public let json: String

  /// Makes the details.
  public init(definition: IndexDefinition, json: String) {
    self.definition = definition
    self.json = json
  }
}

/// Lets `catch FirestoreErrorCode.aborted` match by code.
public func ~= (code: FirestoreErrorCode.Code, error: any Error) -> Bool {
  error.firestoreStatus == code
}

extension Error {
  /// The Firestore status of this error, nil if it is not of Firestore's domain.
  public var firestoreStatus: FirestoreErrorCode.Code? {
    if let error = self as? HearthError { return error.status }
    let error = self as NSError
    guard error.domain == FirestoreErrorDomain else { return nil }
    return FirestoreErrorCode.Code(rawValue: error.code)
  }
}
