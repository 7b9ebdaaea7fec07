/// The error domain of every error that Hearth raises, the same string as the Firestore SDK's.
public let FirestoreErrorDomain = "FIRFirestoreErrorDomain"

/// The key in an error's `userInfo` under which its stable reason token stands.
public let HearthErrorReasonKey = "HearthErrorReason"

/// The key in an error's `userInfo` under which a missing index stands as JSON text.
public let HearthErrorIndexDefinitionKey = "HearthErrorIndexDefinition"

/// Namespace of Firestore's status codes, spelt as in the SDK.
public enum FirestoreErrorCode {
  /// A status code, whose raw value equals that of gRPC.
  public enum Code: Int, Sendable, CaseIterable {
    /// No error.
    case OK = 0
    /// The operation was cancelled by its caller.
    case cancelled
    /// An error whose kind is not known.
    case unknown
    /// The caller passed something that can never be valid.
    case invalidArgument
    /// A time limit passed before the operation ended.
    case deadlineExceeded
    /// A document that had to exist does not.
    case notFound
    /// A document that had to be absent exists.
    case alreadyExists
    /// The caller may not do this.
    case permissionDenied
    /// A bound (disk, memory, queue) is used up.
    case resourceExhausted
    /// The database is not in a state in which the operation can run, e.g. an index is missing.
    case failedPrecondition
    /// The operation lost against a concurrent one.
    case aborted
    /// A position lies outside what is kept.
    case outOfRange
    /// The operation is not offered.
    case unimplemented
    /// An invariant of Hearth itself was found broken.
    case `internal`
    /// The database cannot serve at the moment.
    case unavailable
    /// Stored bytes are damaged.
    case dataLoss
    /// The caller is not known.
    case unauthenticated

    /// The canonical upper-case name, such as `FAILED_PRECONDITION`.
    public var name: String {
      switch self {
      case .OK: "OK"
      case .cancelled: "CANCELLED"
      case .unknown: "UNKNOWN"
      case .invalidArgument: "INVALID_ARGUMENT"
      case .deadlineExceeded: "DEADLINE_EXCEEDED"
      case .notFound: "NOT_FOUND"
      case .alreadyExists: "ALREADY_EXISTS"
      case .permissionDenied: "PERMISSION_DENIED"
      case .resourceExhausted: "RESOURCE_EXHAUSTED"
      case .failedPrecondition: "FAILED_PRECONDITION"
      case .aborted: "ABORTED"
      case .outOfRange: "OUT_OF_RANGE"
      case .unimplemented: "UNIMPLEMENTED"
      case .internal: "INTERNAL"
      case .unavailable: "UNAVAILABLE"
      case .dataLoss: "DATA_LOSS"
      case .unauthenticated: "UNAUTHENTICATED"
      }
    }
  }

  /// Shorthand for `Code.cancelled`.
  public static var cancelled: Code { .cancelled }
  /// Shorthand for `Code.unknown`.
  public static var unknown: Code { .unknown }
  /// Shorthand for `Code.invalidArgument`.
  public static var invalidArgument: Code { .invalidArgument }
  /// Shorthand for `Code.deadlineExceeded`.
  public static var deadlineExceeded: Code { .deadlineExceeded }
  /// Shorthand for `Code.notFound`.
  public static var notFound: Code { .notFound }
  /// Shorthand for `Code.alreadyExists`.
  public static var alreadyExists: Code { .alreadyExists }
  /// Shorthand for `Code.permissionDenied`.
  public static var permissionDenied: Code { .permissionDenied }
  /// Shorthand for `Code.resourceExhausted`.
  public static var resourceExhausted: Code { .resourceExhausted }
  /// Shorthand for `Code.failedPrecondition`.
  public static var failedPrecondition: Code { .failedPrecondition }
  /// Shorthand for `Code.aborted`.
  public static var aborted: Code { .aborted }
  /// Shorthand for `Code.outOfRange`.
  public static var outOfRange: Code { .outOfRange }
  /// Shorthand for `Code.unimplemented`.
  public static var unimplemented: Code { .unimplemented }
  /// Shorthand for `Code.internal`.
  public static var `internal`: Code { .internal }
  /// Shorthand for `Code.unavailable`.
  public static var unavailable: Code { .unavailable }
  /// Shorthand for `Code.dataLoss`.
  public static var dataLoss: Code { .dataLoss }
  /// Shorthand for `Code.unauthenticated`.
  public static var unauthenticated: Code { .unauthenticated }
}
