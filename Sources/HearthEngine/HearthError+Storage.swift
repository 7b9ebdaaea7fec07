package import HearthModel
package import HearthStorage

extension HearthError {
  /// A storage error as users see it: Firestore's code, a stable reason, the same words.
  package convenience init(_ error: StorageError) {
    let (status, reason): (FirestoreErrorCode.Code, String) =
      switch error.kind {
      case .notADatabase: (.failedPrecondition, "NOT_A_DATABASE")
      case .formatVersion: (.failedPrecondition, "FORMAT_VERSION")
      case .alreadyOpen: (.failedPrecondition, "ALREADY_OPEN")
      case .databaseInUse: (.failedPrecondition, "DATABASE_IN_USE")
      case .badHeader: (.dataLoss, "BAD_HEADER")
      case .networkFileSystem: (.failedPrecondition, "NETWORK_FILE_SYSTEM")
      case .notFound: (.notFound, "DATABASE_NOT_FOUND")
      case .permissions: (.failedPrecondition, "PERMISSIONS")
      case .diskFull: (.resourceExhausted, "DISK_FULL")
      case .storageFailed: (.unavailable, "STORAGE_FAILED")
      case .mapFull: (.resourceExhausted, "MAP_FULL")
      case .memory: (.resourceExhausted, "MEMORY")
      case .tooManyFiles: (.resourceExhausted, "TOO_MANY_FILES")
      case .corrupted: (.dataLoss, "CORRUPTED")
      case .transactionFull: (.internal, "TRANSACTION_FULL")
      case .badKey: (.internal, "BAD_KEY")
      case .closed: (.failedPrecondition, "DATABASE_CLOSED")
      case .outcomeUnknown: (.unknown, "COMMIT_OUTCOME_UNKNOWN")
      case .fileRemoved: (.dataLoss, "FILE_REMOVED")
      case .libraryVersion: (.failedPrecondition, "LIBRARY_VERSION")
      case .invalidArgument: (.invalidArgument, "STORAGE_ARGUMENT")
      case .targetExists: (.alreadyExists, "TARGET_EXISTS")
      case .cancelled: (.cancelled, "CANCELLED")
      case .internalError: (.internal, "STORAGE")
      }
    self.init(status, reason, error.message, underlying: error)
  }
}
