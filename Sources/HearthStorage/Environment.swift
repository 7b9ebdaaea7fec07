import CLMDB

/// An open database directory: tables of ordered keys, many readers, one writer.
///
/// It stays open until `close()`; dropping the last reference does not close it, because only a
/// caller can know that nobody reads any more.
// Sendable: LMDB guards its own handle; all else is constant or behind a lock. `writeState` is only
// touched under `writerLock`.
@safe package final class Environment: @unchecked Sendable {
  /// The directory, without symbolic links.
  package let path: String
  package let superblock: Superblock
  package let options: EnvironmentOptions
  /// What the operator should know, for instance a doubtful file system.
  package let warnings: [String]

  let handle: OpaquePointer
  let readers: ReadTransactionPool
  let writerLock = WriterLock()
  let ballast: Ballast
  private let writeState: WriteState
  private let tables: [String: Table]
  private let stop = Lock<StorageError?>(nil)
  private let isHeaderDue: Lock<Bool>
  private let processLock: ProcessLock
  private let file: OpenEnvironments.FileIdentity

  init(opened: OpenedFile, path: String, options: EnvironmentOptions) {
    unsafe handle = opened.handle
    superblock = opened.superblock
    isHeaderDue = Lock(opened.isHeaderDue)
    processLock = opened.processLock
    file = opened.file
    warnings = opened.warnings
    self.path = path
    self.options = options
    ballast = Ballast(
      in: path, byteCount: options.durability == .none ? 0 : options.ballastBytes)
    _ = ballast.make(leaving: ballast.byteCount)
    readers = unsafe ReadTransactionPool(
      environment: opened.handle, path: path, maxReaders: options.maxReaders,
      faults: options.faults)
    writeState = WriteState(
      tables: options.tableNames.count, pageSize: opened.superblock.pageSize)
    tables = Dictionary(
      uniqueKeysWithValues: options.tableNames.enumerated().map { ($1, Table(number: $0)) })
  }

  /// The table with this name, which must be one of `options.tableNames`.
  package func table(_ name: String) -> Table {
    guard let table = tables[name] else {
      preconditionFailure("no table \"\(name)\" among the tables of this environment")
    }
    return table
  }

  /// Runs `body` on the last committed state.
  ///
  /// Synchronous: the transaction and its bytes never leave the closure. Waits while more readers
  /// are active than the lock file has slots for. Neither read nor write inside a read.
  @inlinable package func read<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
    let transaction = try beginRead()
    return try body(transaction)
  }

  @usableFromInline func beginRead() throws(StorageError) -> ReadTransaction {
    try readers.acquire()
  }

  /// Runs `body` in a write transaction and commits; aborts if it throws.
  ///
  /// Begin, body and commit happen in this call, on this thread. Calls from several threads wait
  /// for each other; a call inside a call is an error. After `.mapFull`, call `growMap()` and try
  /// again.
  @inlinable package func write<R>(_ body: (borrowing WriteTransaction) throws -> R) throws -> R {
    let transaction = try beginWrite()
    // If the body throws, the transaction is dropped, and dropping aborts.
    let result = try body(transaction)
    try transaction.commit()
    return result
  }

  @usableFromInline func beginWrite() throws(StorageError) -> WriteTransaction {
    try lockWriter()
    do throws(StorageError) {
      if let error = writesStopped { throw error }
      try checkFile()
      try flushHeader()
      var transaction: OpaquePointer?
      var code = options.faults?.code(for: .beginWrite) ?? 0
      if code == 0 { code = unsafe mdb_txn_begin(handle, nil, 0, &transaction) }
      guard code == 0, let transaction = unsafe transaction else {
        throw failed(.lmdb(code, "A write could not begin"))
      }
      unsafe writeState.begin(transaction)
      options.faults?.reach(.afterBegin)
      return unsafe WriteTransaction(handle: transaction, environment: self, state: writeState)
    } catch {
      writerLock.release()
      throw error
    }
  }

  /// Takes the lock that excludes other writers, growth and closing.
  func lockWriter() throws(StorageError) {
    if readers.isReading {
      // Growth and closing hold the writer's lock while they wait for readers.
      throw StorageError(
        .internalError, "A write inside a read can wait for itself: read in the write.")
    }
    guard writerLock.acquire() else {
      throw StorageError(
        .internalError, "A write inside a write would wait for itself: use the outer one.")
    }
    if isClosed {
      writerLock.release()
      throw .closed(path)
    }
  }

  func commitWrite() throws(StorageError) {
    // Errors inside the transaction count even if the body caught them.
    if let failure = writeState.failure {
      abortWrite()
      throw failed(failure)
    }
    options.faults?.reach(.beforeCommit)
    guard let transaction = unsafe writeState.transaction else { return }
    unsafe writeState.transaction = nil
    var code = options.faults?.code(for: .commit) ?? 0
    if code == 0 {
      code = unsafe mdb_txn_commit(transaction)
      if code == 0 { code = options.faults?.code(for: .acknowledge) ?? 0 }
    } else {
      unsafe mdb_txn_abort(transaction)
    }
    if code == 0 { options.faults?.reach(.afterCommit) }
    let failure = code == 0 ? nil : failedCommit(code)
    writerLock.release()
    if let failure { throw failure }
  }

  func abortWrite() {
    guard let transaction = unsafe writeState.transaction else { return }
    unsafe writeState.transaction = nil
    unsafe mdb_txn_abort(transaction)
    if let failure = writeState.failure { _ = failed(failure) }
    options.faults?.reach(.afterAbort)
    writerLock.release()
  }

  /// Set once writing is refused until the database was closed and opened again (LM-17).
  package var writesStopped: StorageError? { stop.withLock { $0 } }

  /// Remembers an error that must stop all later writes.
  func stopWrites(_ error: StorageError) {
    stop.withLock { if $0 == nil { $0 = error } }
  }

  /// Passes an error on, and stops writing if it says that file or device cannot be trusted.
  func failed(_ error: StorageError) -> StorageError {
    switch error.kind {
    case .storageFailed, .corrupted, .outcomeUnknown, .fileRemoved: stopWrites(error)
    default: break
    }
    return error
  }

  private func failedCommit(_ code: Int32) -> StorageError {
    let error = StorageError.lmdb(code, "A commit failed")
    guard error.kind == .storageFailed || error.kind == .diskFull else { return failed(error) }
    // LMDB answers the same code for a data page, where nothing has happened, and for the meta
    // page, where it may have. After the latter it refuses every new transaction.
    var probe: OpaquePointer?
    let probed = unsafe mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &probe)
    unsafe probe.map { unsafe mdb_txn_abort($0) }
    if code == MDB_PANIC || probed == MDB_PANIC {
      return failed(
        StorageError(
          .outcomeUnknown,
          "The last step of a commit failed: close the database, open it again, and look.",
          underlying: code))
    }
    var descriptor: Int32 = -1
    unsafe mdb_env_get_fd(handle, &descriptor)
    // A short write of data pages: nothing has happened, and writing goes on once there is room.
    let reason = DiskSpace.shortage(code, descriptor, "A commit failed") ?? failed(error)
    if reason.kind == .diskFull, options.durability == .relaxed {
      // It may have been the flush, and the header of the last commit with it.
      isHeaderDue.withLock { $0 = true }
    }
    return reason
  }

  /// Before a write builds on a header that may not be the one on the disk.
  private func flushHeader() throws(StorageError) {
    guard isHeaderDue.withLock({ $0 }) else { return }
    var descriptor: Int32 = -1
    unsafe mdb_env_get_fd(handle, &descriptor)
    do throws(StorageError) {
      try HeaderFlush.run(descriptor, path, pageSize: superblock.pageSize)
    } catch {
      throw failed(error)
    }
    isHeaderDue.withLock { $0 = false }
  }

  /// Throws if the data file was removed: what is written to it is lost (section 11).
  private func checkFile() throws(StorageError) {
    var descriptor: Int32 = -1
    unsafe mdb_env_get_fd(handle, &descriptor)
    if Files.linkCount(descriptor) == 0 {
      throw failed(
        StorageError(
          .fileRemoved, "\(path)/data.mdb was removed while open: restore it from a backup."))
    }
  }

  /// Makes earlier commits survive a power loss, whatever the durability.
  package func sync() throws(StorageError) {
    try readers.reading { () throws(StorageError) in
      var code = options.faults?.code(for: .sync) ?? 0
      if code == 0 { code = unsafe mdb_env_sync(handle, 1) }
      if code != 0 {
        let error = StorageError.lmdb(code, "A sync failed")
        // A failed flush is reported once only, so no later one can be believed.
        stopWrites(error)
        throw error
      }
    }
  }

  /// Whether `close()` was called.
  package var isClosed: Bool { readers.isClosed }

  /// How many snapshots are open at this moment.
  package var openSnapshots: Int { readers.activeCount }

  /// Waits for readers and the writer, then closes on the calling thread.
  ///
  /// Later calls throw `.closed`. Does nothing if it is closed, or inside a transaction of the same
  /// thread.
  package func close() {
    _ = try? close { () throws(StorageError) in }
  }

  /// Closes, and runs `body` before any other process can open the database; false if it was closed
  /// already, or inside a transaction of the same thread.
  @discardableResult
  func close(beforeUnlocking body: () throws(StorageError) -> Void) throws(StorageError) -> Bool {
    guard !readers.isReading, writerLock.acquire() else { return false }
    defer { writerLock.release() }
    guard readers.close() else { return false }
    options.faults?.reach(.beforeClose)
    try OpenEnvironments.exclusively { () throws(StorageError) in
      unsafe mdb_env_close(handle)
      OpenEnvironments.remove(file)
      defer { processLock.release() }
      try body()
    }
    return true
  }
}
