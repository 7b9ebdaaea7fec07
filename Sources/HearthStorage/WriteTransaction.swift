import CLMDB

/// A change in the making.
///
/// It lives inside one call of `write`, on one thread (LM-01).
///
/// The first error inside dooms it: later calls and the commit throw the same error (LM-16).
// Safe: the handle lives until commit or deinit; bytes are shown as spans that cannot escape, and
// their table is pinned meanwhile.
@safe package struct WriteTransaction: ~Copyable, TableReader {
  private let handle: OpaquePointer
  private let environment: Environment
  private let state: WriteState

  init(handle: OpaquePointer, environment: Environment, state: WriteState) {
    unsafe self.handle = handle
    self.environment = environment
    self.state = state
  }

  deinit {
    // After a commit there is nothing left to abort.
    environment.abortWrite()
  }

  @usableFromInline consuming func commit() throws(StorageError) {
    try environment.commitWrite()
  }

  /// The number this commit will have.
  package var transactionID: UInt64 { unsafe UInt64(mdb_txn_id(handle)) }

  /// About how many pages the commit will write; too high rather than too low (LM-15).
  package var dirtyPageEstimate: Int { state.dirtyPageEstimate }

  /// Whether it is time to commit and to go on in another transaction.
  package var isOverPageBudget: Bool {
    state.dirtyPageEstimate > environment.options.pageBudget
  }

  /// Shows the value of a key; nil if the key is absent.
  ///
  /// Meanwhile the table cannot be changed.
  @inlinable package borrowing func get<R>(
    _ key: [UInt8], in table: Table, _ body: (RawSpan) throws -> R
  ) throws -> R? {
    guard let value = try unsafe find(key, in: table) else { return nil }
    pin(table)
    defer { unpin(table) }
    return try body(unsafe value.bytes)
  }

  /// Whether the key has a value.
  package borrowing func contains(_ key: [UInt8], in table: Table) throws -> Bool {
    try unsafe find(key, in: table) != nil
  }

  /// Opens a cursor for as long as the closure runs.
  ///
  /// Meanwhile the table cannot be changed.
  @inlinable package borrowing func withCursor<R>(
    in table: Table, _ body: (inout Cursor) throws -> R
  ) throws -> R {
    var cursor = try openCursor(in: table)
    return try body(&cursor)
  }

  /// Sets the value of a key.
  package borrowing func put(_ key: [UInt8], _ value: [UInt8], in table: Table) throws {
    try put(key, value, in: table, flags: 0)
  }

  /// Sets the value of a key that is larger than every key in the table; for sorted loads.
  package borrowing func append(_ key: [UInt8], _ value: [UInt8], in table: Table) throws {
    try put(key, value, in: table, flags: UInt32(MDB_APPEND))
  }

  /// Removes a key; false if it was absent.
  @discardableResult
  package borrowing func delete(_ key: [UInt8], in table: Table) throws -> Bool {
    try unsafe change(key, table, .delete) { (wanted) in
      unsafe mdb_del(handle, table.handle, &wanted, nil)
    } then: { (code) throws(StorageError) -> Bool in
      if code == MDB_NOTFOUND { return false }
      guard code == 0 else { throw .lmdb(code, "A key could not be deleted") }
      unsafe state.count(handle, table, key: 0, value: 0)
      return true
    }
  }

  private borrowing func put(
    _ key: [UInt8], _ value: [UInt8], in table: Table, flags: UInt32
  ) throws(StorageError) {
    try unsafe change(key, table, .put) { (wanted) in
      unsafe withValue(of: value) { (bytes) in
        unsafe mdb_put(handle, table.handle, &wanted, &bytes, flags)
      }
    } then: { (code) throws(StorageError) in
      if code == MDB_KEYEXIST {
        throw StorageError(
          .internalError, "An appended key must be larger than the last one.", underlying: code)
      }
      guard code == 0 else { throw .lmdb(code, "A value could not be written") }
      unsafe state.count(handle, table, key: key.count, value: value.count)
    }
  }

  /// The frame of every change: checks before, one call, and any error dooms the transaction.
  @inline(__always)
  private borrowing func change<R>(
    _ key: [UInt8], _ table: Table, _ operation: StorageFaults.Operation,
    _ call: (inout MDB_val) -> Int32,
    then finish: (Int32) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    assert(state.owner == currentThread(), "a write transaction belongs to one thread")
    if let failure = state.failure { throw failure }
    do throws(StorageError) {
      try checkKey(key)
      try state.checkUnpinned(table)
      try state.checkSize(budget: environment.options.pageBudget)
      let fault = environment.options.faults?.code(for: operation) ?? 0
      return try finish(fault != 0 ? fault : unsafe withValue(of: key, call))
    } catch {
      state.fail(error)
      throw error
    }
  }

  @usableFromInline borrowing func find(
    _ key: [UInt8], in table: Table
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    if let failure = state.failure { throw failure }
    try checkKey(key)
    do throws(StorageError) {
      if let code = environment.options.faults?.code(for: .get), code != 0 {
        throw .lmdb(code, "A value could not be read")
      }
      return try unsafe look(up: key, in: table, of: handle)
    } catch {
      state.fail(error)
      throw error
    }
  }

  @usableFromInline borrowing func openCursor(in table: Table) throws(StorageError) -> Cursor {
    if let failure = state.failure { throw failure }
    return try unsafe Cursor(transaction: handle, table: table, pinning: state)
  }

  @usableFromInline borrowing func pin(_ table: Table) { state.pin(table) }

  @usableFromInline borrowing func unpin(_ table: Table) { state.unpin(table) }
}
