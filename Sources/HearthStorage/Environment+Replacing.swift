import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Environment {
  /// Where a compaction works, inside the database's directory so that it is the same disk.
  static let compactingName = "hearth.compacting"

  /// Replaces the file of a closed database by a compact copy of it.
  ///
  /// No other process can open the database meanwhile. The copy takes the file's place in one step
  /// after `check` has found it good, so that a crash leaves the old file or the new one.
  ///
  /// - Returns: The sizes of the file before and after.
  package static func compact(
    at path: String, options: EnvironmentOptions, cancellation: CopyCancellation? = nil,
    checking check: (_ copy: Environment) throws -> Void
  ) throws -> (before: Int, after: Int) {
    var options = options
    options.createIfMissing = false
    let environment = try open(at: path, options: options)
    defer { environment.close() }
    let path = environment.path
    let staging = path + "/" + compactingName
    let data = path + "/data.mdb"
    do {
      let copy = try environment.copied(
        to: staging, prepare(staging), compacting: true, cancellation, check)
      copy.close()
      options.faults?.reach(.compactionCopied)
      let before = try Files.information(data)?.size ?? 0
      let after = try Files.information(staging + "/data.mdb")?.size ?? 0
      try environment.close { () throws(StorageError) in
        // Its reader table speaks of transactions of the old file.
        _ = unsafe unlink(path + "/lock.mdb")
        guard unsafe rename(staging + "/data.mdb", data) == 0 else {
          throw .system(errno, "\(data) could not be replaced")
        }
        options.faults?.reach(.compactionRenamed)
        try Files.sync(path, isDirectory: true)
      }
      try? Files.removeDirectory(staging)
      return (before, after)
    } catch {
      try? Files.removeDirectory(staging)
      throw error
    }
  }

  /// Makes a new database at `path`, which appears only when `body` has filled it.
  ///
  /// Nothing is synced before the end, and nothing is left of it if `body` throws. What a crash
  /// leaves (`PATH.importing`) is removed by the next attempt.
  package static func build<R>(
    at path: String, options: EnvironmentOptions, _ body: (Environment) throws -> R
  ) throws -> R {
    let path = Files.resolved(path)
    try checkEmpty(path)
    let staging = path + ".importing"
    try prepare(staging).release()
    let syncs = options.durability != .none
    var options = options
    options.createIfMissing = true
    options.durability = .none
    let environment: Environment
    do {
      environment = try open(at: staging, options: options)
    } catch {
      // Another process may be at work there; then it is not ours to remove.
      if error.kind != .databaseInUse { try? Files.removeDirectory(staging) }
      throw error
    }
    do {
      let result = try body(environment)
      if syncs { try environment.sync() }
      try environment.close { () throws(StorageError) in
        _ = unsafe unlink(staging + "/lock.mdb")
        try Files.sync(staging, isDirectory: true)
        try publish(staging, as: path)
      }
      return result
    } catch {
      environment.close()
      try? Files.removeDirectory(staging)
      throw error
    }
  }
}
