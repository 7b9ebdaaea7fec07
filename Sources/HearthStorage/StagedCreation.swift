import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Makes a database so that a crash leaves either none or a complete one (LM-19).
///
/// LMDB writes the first pages of a file without syncing them, so the file is made in a staging
/// directory, synced, and then renamed into place: as `PATH.creating`, or, where `PATH` is an empty
/// directory that perhaps cannot be replaced, inside of it.
struct StagedCreation {
  static let innerName = "hearth.creating"

  var path: String
  /// Whether `path` is an existing empty directory, to be filled and not to be replaced.
  var inPlace: Bool
  var options: EnvironmentOptions

  private var staging: String { inPlace ? "\(path)/\(Self.innerName)" : path + ".creating" }

  /// Whoever gives up on power losses need not wait for the disk here, either.
  private var syncs: Bool { options.durability != .none }

  /// Returns with the process lock held.
  func run() throws(StorageError) -> ProcessLock {
    if inPlace {
      let lock = try ProcessLock.take(in: path)
      return try finish(with: lock)
    }
    _ = try Files.makeDirectory(staging)
    // The lock lies in the staging directory and moves with it.
    let lock = try ProcessLock.take(in: staging)
    return try finish(with: lock)
  }

  private func finish(with lock: ProcessLock) throws(StorageError) -> ProcessLock {
    do throws(StorageError) {
      if inPlace { _ = try Files.makeDirectory(staging) }
      // An earlier creation that crashed may have got anywhere.
      try Files.removeFiles(in: staging, except: ProcessLock.fileName)
      options.faults?.reach(.creationStarted)
      try build()
      options.faults?.reach(.creationCommitted)
      // LMDB's lock file is made anew by whoever opens next.
      _ = unsafe unlink(staging + "/lock.mdb")
      if syncs {
        try Files.sync(staging + "/data.mdb", isDirectory: false)
        try Files.sync(staging, isDirectory: true)
      }
      options.faults?.reach(.creationSynced)
      try publish()
      return lock
    } catch {
      lock.release()
      throw error
    }
  }

  private func build() throws(StorageError) {
    try LockFile.allocate(in: staging, maxReaders: options.maxReaders)
    let handle = try unsafe RawEnvironment.open(staging, options)
    defer { unsafe mdb_env_close(handle) }
    try unsafe RawEnvironment.createTables(handle, options)
  }

  private func publish() throws(StorageError) {
    let from = inPlace ? staging + "/data.mdb" : staging
    let to = inPlace ? path + "/data.mdb" : path
    guard unsafe rename(from, to) == 0 else {
      let code = errno
      if code == ENOTEMPTY || code == EEXIST {
        throw StorageError(
          .databaseInUse, "Another process made \(path) at the same time: open it again.",
          underlying: code)
      }
      throw .system(code, "\(from) could not be renamed to \(to)")
    }
    options.faults?.reach(.creationRenamed)
    if syncs { try Files.sync(inPlace ? path : Files.parent(of: path), isDirectory: true) }
    if inPlace { try Files.removeDirectory(staging) }
  }
}
