import CLMDB

/// One unchanging state of the database.
///
/// It and the bytes it shows never leave `read`'s closure.
// Safe: the handle lives until deinit, and bytes are shown as spans that cannot escape a closure.
@safe package struct ReadTransaction: ~Copyable, TableReader {
  private let handle: OpaquePointer
  private let pool: ReadTransactionPool
  private let slot: Int

  init(handle: OpaquePointer, pool: ReadTransactionPool, slot: Int) {
    unsafe self.handle = handle
    self.pool = pool
    self.slot = slot
  }

  deinit {
    unsafe pool.release(handle, slot: slot)
  }

  /// The last commit this transaction sees.
  package var transactionID: UInt64 { unsafe UInt64(mdb_txn_id(handle)) }

  /// Shows the value of a key; nil if the key is absent.
  ///
  /// The bytes do not outlive the closure.
  @inlinable package borrowing func get<R>(
    _ key: [UInt8], in table: Table, _ body: (RawSpan) throws -> R
  ) throws -> R? {
    guard let value = try unsafe find(key, in: table) else { return nil }
    return try body(unsafe value.bytes)
  }

  /// Whether the key has a value.
  package borrowing func contains(_ key: [UInt8], in table: Table) throws -> Bool {
    try unsafe find(key, in: table) != nil
  }

  /// Opens a cursor for as long as the closure runs.
  @inlinable package borrowing func withCursor<R>(
    in table: Table, _ body: (inout Cursor) throws -> R
  ) throws -> R {
    var cursor = try openCursor(in: table)
    return try body(&cursor)
  }

  @usableFromInline borrowing func find(
    _ key: [UInt8], in table: Table
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try checkKey(key)
    if let code = pool.faults?.code(for: .get), code != 0 {
      throw .lmdb(code, "A value could not be read")
    }
    return try unsafe look(up: key, in: table, of: handle)
  }

  @usableFromInline borrowing func openCursor(in table: Table) throws(StorageError) -> Cursor {
    try unsafe Cursor(transaction: handle, table: table)
  }

  /// The size of one table in this state.
  package borrowing func statistics(of table: Table) throws(StorageError) -> TableStatistics {
    var stat = MDB_stat()
    let code = unsafe mdb_stat(handle, table.handle, &stat)
    guard code == 0 else { throw .lmdb(code, "Statistics could not be read") }
    return TableStatistics(stat)
  }

  /// How many pages of the file hold nothing in this state.
  ///
  /// Some of them may still be seen by older readers.
  package borrowing func freePages() throws(StorageError) -> Int {
    var cursor: OpaquePointer?
    // Table 0 is LMDB's own list of freed pages: lists of page numbers, each with its count first.
    var code = unsafe mdb_cursor_open(handle, 0, &cursor)
    guard code == 0, let cursor = unsafe cursor else {
      throw .lmdb(code, "Free pages could not be counted")
    }
    defer { unsafe mdb_cursor_close(cursor) }
    var pages = 0
    var key = unsafe MDB_val()
    var value = unsafe MDB_val()
    code = unsafe mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
    while code == 0 {
      let list = unsafe UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
      if list.count >= MemoryLayout<Int>.size { pages += unsafe list.loadUnaligned(as: Int.self) }
      code = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
    }
    guard code == MDB_NOTFOUND else { throw .lmdb(code, "Free pages could not be counted") }
    return pages
  }
}

/// What both kinds of transaction do to find a value.
@inline(__always)
func look(
  up key: [UInt8], in table: Table, of transaction: OpaquePointer
) throws(StorageError) -> UnsafeRawBufferPointer? {
  try unsafe withValue(of: key) { (wanted) throws(StorageError) -> UnsafeRawBufferPointer? in
    var value = unsafe MDB_val()
    let code = unsafe mdb_get(transaction, table.handle, &wanted, &value)
    guard code == 0 else {
      if code == MDB_NOTFOUND { return nil }
      throw .lmdb(code, "A value could not be read")
    }
    return unsafe UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
  }
}
