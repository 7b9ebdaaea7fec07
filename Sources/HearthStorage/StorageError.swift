import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Why storage refused or failed, and what to do about it.
package struct StorageError: Error, Sendable, Equatable {
  /// What the caller can tell failures apart by.
  package enum Kind: Sendable, Equatable {
    case notADatabase
    case formatVersion
    /// This process has the database open already.
    case alreadyOpen
    /// Another process has it open.
    case databaseInUse
    case badHeader
    case networkFileSystem
    /// There is no database at the path, and none was to be made.
    case notFound
    case permissions
    case diskFull
    case storageFailed
    /// The map is full: abort, `growMap()`, try once more.
    case mapFull
    case memory
    /// The process or the system has too many files open.
    case tooManyFiles
    case corrupted
    case transactionFull
    /// A key of 0 or of more than 511 bytes.
    case badKey
    case closed
    /// The commit may or may not have happened; only reopening tells.
    case outcomeUnknown
    case fileRemoved
    case libraryVersion
    case invalidArgument
    /// Something is where a copy or a new database was to be made.
    case targetExists
    case cancelled
    /// A rule of this module was broken by its caller, or by itself.
    case internalError
  }

  package var kind: Kind
  /// What was wrong and what to do.
  package var message: String
  /// The code of LMDB or of the operating system, if there was one.
  package var underlying: Int32?

  /// Makes an error of the given kind.
  package init(_ kind: Kind, _ message: String, underlying: Int32? = nil) {
    self.kind = kind
    self.message = message
    self.underlying = underlying
  }
}

extension StorageError: CustomStringConvertible {
  /// The message, with the code below it.
  package var description: String {
    guard let underlying else { return "\(kind): \(message)" }
    return "\(kind): \(message) (\(underlying))"
  }
}

extension StorageError {
  /// The error for what an LMDB call answered; `action` says what was being done.
  static func lmdb(_ code: Int32, _ action: String) -> StorageError {
    let reason = unsafe String(cString: mdb_strerror(code))
    let (kind, advice) = meaning(of: code)
    return StorageError(kind, "\(action): \(reason). \(advice)", underlying: code)
  }

  /// The error for a failed call of the operating system.
  static func system(_ code: Int32, _ action: String) -> StorageError {
    let reason = unsafe String(cString: strerror(code))
    let (kind, advice) = meaning(of: code)
    return StorageError(kind, "\(action): \(reason). \(advice)", underlying: code)
  }

  private static func meaning(of code: Int32) -> (Kind, advice: String) {
    switch code {
    case ENOSPC, EDQUOT, EFBIG:
      (.diskFull, "Free disk space, then try again.")
    case ENOMEM:
      (.memory, "Free memory or raise the limits of the process.")
    case EMFILE, ENFILE:
      (.tooManyFiles, "Close files or raise the limit of open files.")
    case EACCES, EPERM, EROFS, ELOOP:
      (.permissions, "Check owner and mode of the directory and its files.")
    case ENOENT, ENOTDIR:
      (.notFound, "Check the path.")
    case ENAMETOOLONG:
      (.invalidArgument, "Use a shorter path.")
    case MDB_MAP_FULL:
      (.mapFull, "The map must grow before more can be written.")
    case MDB_TXN_FULL:
      (.transactionFull, "Write in smaller transactions.")
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND:
      (.corrupted, "The file is damaged: restore a backup.")
    case MDB_VERSION_MISMATCH:
      (.formatVersion, "The file belongs to another version of LMDB: export there, import here.")
    case MDB_INVALID:
      (.badHeader, "The file is not an LMDB file or its header is damaged: restore a backup.")
    case MDB_BAD_VALSIZE:
      (.badKey, "Keys have 1 to 511 bytes.")
    case MDB_BAD_TXN, MDB_BAD_RSLOT, MDB_BAD_DBI, MDB_KEYEXIST, MDB_INCOMPATIBLE,
      MDB_READERS_FULL, MDB_DBS_FULL, MDB_TLS_FULL, MDB_CURSOR_FULL, MDB_PAGE_FULL, EINVAL:
      (.internalError, "This should not happen: please report it.")
    default:
      (.storageFailed, "Check the device; then close the database and open it again.")
    }
  }

  static func closed(_ path: String) -> StorageError {
    StorageError(.closed, "The database at \(path) was closed: open it again.")
  }
}
