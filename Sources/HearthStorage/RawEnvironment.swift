import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The calls of LMDB that open an environment and its tables.
enum RawEnvironment {
  /// Opens with the map size asked for, or with a half, a quarter, … where the system refuses.
  static func open(
    _ directory: String, _ options: EnvironmentOptions
  ) throws(StorageError) -> OpaquePointer {
    // No system maps more than this; a larger wish would only be halved again and again.
    let wish = min(options.mapSize, Environment.ordinaryCeiling(options) ?? .max, 1 << 46)
    let floor = min(wish, 1 << 30)
    var size = wish
    while true {
      let (handle, code) = unsafe open(directory, options, mapSize: size)
      if let handle = unsafe handle { return unsafe handle }
      // The header of the data file was checked before, or LMDB has just made the file; so what
      // it takes for no file of its own is the lock file, which another process uses, or which
      // the system would not lock.
      if code == MDB_INVALID {
        throw StorageError(
          .storageFailed,
          "\(directory)/lock.mdb could not be locked or is not LMDB's: close what uses it, "
            + "then try again.", underlying: code)
      }
      // ENOMEM under a limit of address space, EINVAL under some tools.
      guard code == ENOMEM || code == EINVAL, size / 2 >= floor else {
        throw .lmdb(code, "\(directory) could not be opened with a map of \(size) bytes")
      }
      size /= 2
    }
  }

  private static func open(
    _ directory: String, _ options: EnvironmentOptions, mapSize: Int
  ) -> (OpaquePointer?, Int32) {
    var created: OpaquePointer?
    var code = unsafe mdb_env_create(&created)
    guard code == 0, let handle = unsafe created else { return (nil, code) }
    unsafe mdb_env_set_assert(handle, reportAssertion)
    let pageSize = Int(getpagesize())
    let rounded = (mapSize + pageSize - 1) / pageSize * pageSize
    code = unsafe mdb_env_set_maxdbs(handle, MDB_dbi(options.tableNames.count + 1))
    if code == 0 { code = unsafe mdb_env_set_maxreaders(handle, UInt32(options.maxReaders)) }
    if code == 0 { code = unsafe mdb_env_set_mapsize(handle, rounded) }
    if code == 0 {
      code = unsafe mdb_env_open(handle, directory, flags(options.durability), 0o600)
    }
    guard code == 0 else {
      // After a failed opening the handle must still be closed.
      unsafe mdb_env_close(handle)
      return (nil, code)
    }
    unsafe closeOnExec(handle)
    return unsafe (handle, 0)
  }

  private static func flags(_ durability: StorageDurability) -> UInt32 {
    let flags =
      switch durability {
      case .durable: MDB_NOTLS
      case .relaxed: MDB_NOTLS | MDB_NOMETASYNC
      case .none: MDB_NOTLS | MDB_NOSYNC
      }
    return UInt32(flags)
  }

  /// LMDB 0.9.24 leaves the data file's descriptor to child processes (LM-05).
  private static func closeOnExec(_ handle: OpaquePointer) {
    var descriptor: Int32 = -1
    if unsafe mdb_env_get_fd(handle, &descriptor) == 0 {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }

  /// Makes all tables and the superblock, in one commit.
  static func createTables(
    _ handle: OpaquePointer, _ options: EnvironmentOptions
  ) throws(StorageError) {
    try unsafe inTransaction(handle, "The tables could not be made") {
      (transaction) throws(StorageError) in
      guard let own = try unsafe openTable(Superblock.tableName, transaction, create: true) else {
        throw StorageError(.internalError, "LMDB made no table.")
      }
      for name in options.tableNames {
        _ = try unsafe openTable(name, transaction, create: true)
      }
      var stat = MDB_stat()
      unsafe mdb_env_stat(handle, &stat)
      let superblock = Superblock(
        formatVersion: Superblock.currentFormat,
        databaseID: try random(options), hashKey: try random(options),
        creationMicroseconds: options.nowMicroseconds(), pageSize: Int(stat.ms_psize))
      let code = unsafe withValue(of: Superblock.key) { key in
        unsafe withValue(of: superblock.encoded()) { value in
          unsafe mdb_put(transaction, own, &key, &value, 0)
        }
      }
      guard code == 0 else { throw .lmdb(code, "The superblock could not be written") }
    }
  }

  private static func random(_ options: EnvironmentOptions) throws(StorageError) -> [UInt8] {
    let bytes = options.randomBytes(16)
    guard bytes.count == 16 else {
      throw StorageError(.invalidArgument, "randomBytes(16) must answer 16 bytes.")
    }
    return bytes
  }

  /// Opens all tables, once for the life of the environment (LM-09), and reads the superblock.
  static func openTables(
    _ handle: OpaquePointer, _ path: String, _ options: EnvironmentOptions
  ) throws(StorageError) -> Superblock {
    try unsafe inTransaction(handle, "The tables of \(path) could not be opened") {
      (transaction) throws(StorageError) -> Superblock in
      let notOurs = StorageError(
        .notADatabase, "\(path) is an LMDB file, but none of ours: choose another path.")
      guard let own = try unsafe openTable(Superblock.tableName, transaction, create: false) else {
        throw notOurs
      }
      var value = unsafe MDB_val()
      let code = unsafe withValue(of: Superblock.key) {
        unsafe mdb_get(transaction, own, &$0, &value)
      }
      if code == MDB_NOTFOUND { throw notOurs }
      guard code == 0 else { throw .lmdb(code, "The superblock could not be read") }
      let bytes = unsafe Array(
        UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
      let superblock = try Superblock.decoded(bytes, path: path)
      for (number, name) in options.tableNames.enumerated() {
        guard let table = try unsafe openTable(name, transaction, create: false) else {
          throw StorageError(
            .formatVersion, "\(path) has no table \"\(name)\": another version made it.")
        }
        guard table == Table(number: number).handle else {
          throw StorageError(.internalError, "The handles of tables are not consecutive.")
        }
      }
      return superblock
    }
  }

  /// Nil if there is no such table and it is not to be made.
  private static func openTable(
    _ name: String, _ transaction: OpaquePointer, create: Bool
  ) throws(StorageError) -> MDB_dbi? {
    var table: MDB_dbi = 0
    let code = unsafe mdb_dbi_open(transaction, name, create ? UInt32(MDB_CREATE) : 0, &table)
    if code == MDB_NOTFOUND { return nil }
    guard code == 0 else { throw .lmdb(code, "The table \"\(name)\" could not be opened") }
    return table
  }

  private static func inTransaction<R>(
    _ handle: OpaquePointer, _ action: String,
    _ body: (OpaquePointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    var begun: OpaquePointer?
    var code = unsafe mdb_txn_begin(handle, nil, 0, &begun)
    guard code == 0, let transaction = unsafe begun else { throw .lmdb(code, action) }
    let result: R
    do throws(StorageError) {
      result = try unsafe body(transaction)
    } catch {
      unsafe mdb_txn_abort(transaction)
      throw error
    }
    code = unsafe mdb_txn_commit(transaction)
    guard code == 0 else { throw .lmdb(code, action) }
    return result
  }
}

/// LMDB calls this before it aborts the process because its own data contradict each other (LM-25).
private func reportAssertion(_ handle: OpaquePointer?, _ message: UnsafePointer<CChar>?) {
  var path: UnsafePointer<CChar>?
  var information = unsafe MDB_envinfo()
  if let handle = unsafe handle {
    unsafe mdb_env_get_path(handle, &path)
    unsafe mdb_env_info(handle, &information)
  }
  let place = unsafe path.map { unsafe String(cString: $0) } ?? "?"
  let reason = unsafe message.map { unsafe String(cString: $0) } ?? "?"
  let transaction = unsafe information.me_last_txnid
  let text = Array(
    "hearth: LMDB gave up on \(place) after transaction \(transaction): \(reason)\n".utf8)
  _ = unsafe text.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
}
