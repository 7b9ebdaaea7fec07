import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Environment {
  /// Writes a copy of the last committed state into a new directory `path`.
  ///
  /// The copy appears under its name only when it is complete, synced and found good (LM-20), so
  /// neither a crash nor a full disk leaves a part of one. An empty directory counts as none.
  /// Writing goes on meanwhile, and the file grows by what it writes.
  ///
  /// - Parameters:
  ///   - path: The directory of the copy.
  ///   - compacting: Whether free pages are left out.
  ///   - cancellation: Ends the copy from another thread.
  ///   - check: Looks at the copy before it gets its name.
  package func copy(
    to path: String, compacting: Bool = true, cancellation: CopyCancellation? = nil,
    checking check: (_ copy: Environment) throws -> Void = { _ in }
  ) throws {
    let path = Files.resolved(path)
    try Self.checkEmpty(path)
    _ = try checkReaders()
    let staging = path + ".copying"
    let lock = try Self.prepare(staging)
    do {
      let copy = try copied(to: staging, lock, compacting: compacting, cancellation, check)
      // Locked until it has its name, so that nobody takes the directory for a leftover.
      try copy.close { () throws(StorageError) in
        // LMDB's lock file is made anew by whoever opens next.
        _ = unsafe unlink(staging + "/lock.mdb")
        try Files.sync(staging, isDirectory: true)
        try Self.publish(staging, as: path)
      }
    } catch {
      try? Files.removeDirectory(staging)
      throw error
    }
  }

  /// Writes a copy into a directory whose lock is held, opens it there and has it checked.
  ///
  /// The lock is the copy's from then on; it is released on failure.
  func copied(
    to staging: String, _ lock: ProcessLock, compacting: Bool, _ cancellation: CopyCancellation?,
    _ check: (_ copy: Environment) throws -> Void
  ) throws -> Environment {
    do {
      try writeCopy(staging + "/data.mdb", compacting: compacting, cancellation)
    } catch {
      lock.release()
      throw error
    }
    let copy = try Self.open(staging, options, holding: lock)
    do {
      try check(copy)
      if cancellation?.isCancelled == true { throw CopyCancellation.error }
    } catch {
      copy.close()
      throw error
    }
    return copy
  }

  /// Throws unless there is nothing at the path, or an empty directory.
  static func checkEmpty(_ path: String) throws(StorageError) {
    guard let information = try Files.information(path) else { return }
    guard information.kind == .directory, try Files.names(in: path).isEmpty else {
      throw StorageError(
        .targetExists, "\(path) exists already and is not empty: choose another path.")
    }
  }

  /// Makes an empty staging directory and locks it against others that make the same.
  ///
  /// What an earlier attempt left that crashed is removed.
  static func prepare(_ staging: String) throws(StorageError) -> ProcessLock {
    _ = try Files.makeDirectory(staging)
    let lock = try ProcessLock.take(in: staging)
    do throws(StorageError) {
      try Files.removeFiles(in: staging, except: ProcessLock.fileName)
      return lock
    } catch {
      lock.release()
      throw error
    }
  }

  /// Gives a complete directory its name, durably.
  static func publish(_ staging: String, as path: String) throws(StorageError) {
    guard unsafe rename(staging, path) == 0 else {
      let code = errno
      if code == ENOTEMPTY || code == EEXIST || code == ENOTDIR {
        throw StorageError(
          .targetExists, "\(path) was made by somebody else meanwhile: choose another path.",
          underlying: code)
      }
      throw .system(code, "\(staging) could not be renamed to \(path)")
    }
    try Files.sync(Files.parent(of: path), isDirectory: true)
  }

  func writeCopy(
    _ file: String, compacting: Bool, _ cancellation: CopyCancellation?
  ) throws(StorageError) {
    // LMDB would make the file readable for others, and would not sync it.
    let descriptor = try Files.create(file)
    defer { Files.close(descriptor) }
    try (cancellation ?? CopyCancellation()).copying(to: descriptor) {
      () throws(StorageError) in
      try readers.reading { () throws(StorageError) in
        let code = unsafe mdb_env_copyfd2(
          handle, descriptor, compacting ? UInt32(MDB_CP_COMPACT) : 0)
        guard code == 0 else { throw .lmdb(code, "\(path) could not be copied") }
      }
      try Files.sync(descriptor, file)
    }
  }
}
