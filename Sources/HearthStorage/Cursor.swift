import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A place in a table, for as long as the closure runs that was given it.
///
/// A new cursor stands before the first and after the last entry at once: `next()` goes to the
/// first entry, `previous()` to the last. After a move that returned false it stands nowhere, and
/// only `first()` and the seeks bring it back.
// Safe: the cursor dies before its transaction, and while it lives its table cannot change.
@safe package struct Cursor: ~Copyable {
  private enum Place {
    case fresh
    case entry
    case nowhere
  }

  private let handle: OpaquePointer
  /// In a write transaction: the table stays as it is while the cursor lives (LM-13).
  private let pinned: WriteState?
  private let table: Table
  private var place = Place.fresh
  @usableFromInline var key: UnsafeRawBufferPointer
  @usableFromInline var value: UnsafeRawBufferPointer

  init(
    transaction: OpaquePointer, table: Table, pinning state: WriteState? = nil
  ) throws(StorageError) {
    var cursor: OpaquePointer?
    let code = unsafe mdb_cursor_open(transaction, table.handle, &cursor)
    guard code == 0, let cursor = unsafe cursor else {
      throw .lmdb(code, "A cursor could not be opened")
    }
    unsafe handle = cursor
    unsafe key = UnsafeRawBufferPointer(start: nil, count: 0)
    unsafe value = UnsafeRawBufferPointer(start: nil, count: 0)
    pinned = state
    self.table = table
    state?.pin(table)
  }

  deinit {
    // Always before the transaction ends: `withCursor` is a closure inside the transaction's.
    unsafe mdb_cursor_close(handle)
    pinned?.unpin(table)
  }

  private mutating func move(_ operation: MDB_cursor_op) throws(StorageError) -> Bool {
    var key = unsafe MDB_val()
    return try unsafe move(operation, &key)
  }

  @inline(__always)
  private mutating func move(
    _ operation: MDB_cursor_op, _ key: inout MDB_val
  ) throws(StorageError) -> Bool {
    var value = unsafe MDB_val()
    let code = unsafe mdb_cursor_get(handle, &key, &value, operation)
    if code == 0 {
      unsafe self.key = UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
      unsafe self.value = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
      place = .entry
      return true
    }
    return try leave(code)
  }

  @inline(never)
  private mutating func leave(_ code: Int32) throws(StorageError) -> Bool {
    unsafe key = UnsafeRawBufferPointer(start: nil, count: 0)
    unsafe value = UnsafeRawBufferPointer(start: nil, count: 0)
    place = .nowhere
    if code == MDB_NOTFOUND { return false }
    let error = StorageError.lmdb(code, "A cursor could not move")
    pinned?.fail(error)
    throw error
  }

  /// Goes to the first key that is not below `key`; false if there is none.
  ///
  /// An empty key is below every other.
  package mutating func seek(_ key: [UInt8]) throws(StorageError) -> Bool {
    if key.isEmpty { return try first() }
    try checkKey(key)
    // The bytes are only looked at during the call; afterwards the key points into the page.
    return try unsafe key.withUnsafeBufferPointer { (bytes) throws(StorageError) -> Bool in
      var wanted = unsafe MDB_val(
        mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      return try unsafe move(MDB_SET_RANGE, &wanted)
    }
  }

  /// Goes to the last entry of the table; false if it is empty.
  package mutating func seekLast() throws(StorageError) -> Bool {
    try move(MDB_LAST)
  }

  /// Goes to the last key below `key`; false if there is none.
  package mutating func seekBefore(_ key: [UInt8]) throws(StorageError) -> Bool {
    if key.isEmpty { return try leave(MDB_NOTFOUND) }
    return try seek(key) ? move(MDB_PREV) : move(MDB_LAST)
  }

  /// Goes to the first entry of the table; false if it is empty.
  package mutating func first() throws(StorageError) -> Bool {
    try move(MDB_FIRST)
  }

  /// Goes to the following entry; false at the end.
  package mutating func next() throws(StorageError) -> Bool {
    switch place {
    case .entry: try move(MDB_NEXT)
    case .fresh: try move(MDB_FIRST)
    case .nowhere: false
    }
  }

  /// Goes to the preceding entry; false at the beginning.
  package mutating func previous() throws(StorageError) -> Bool {
    switch place {
    case .entry: try move(MDB_PREV)
    case .fresh: try move(MDB_LAST)
    case .nowhere: false
    }
  }

  /// Shows the key's bytes; none if the cursor is at no entry.
  @inlinable package borrowing func withKey<R, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try body(unsafe key.bytes)
  }

  /// Shows the value's bytes; none if the cursor is at no entry.
  @inlinable package borrowing func withValue<R, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try body(unsafe value.bytes)
  }

  /// Shows key and value; no bytes if the cursor is at no entry.
  @inlinable package borrowing func withEntry<R, E: Error>(
    _ body: (_ key: RawSpan, _ value: RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try body(unsafe key.bytes, unsafe value.bytes)
  }

  /// How many bytes the key has.
  package var keyLength: Int { unsafe key.count }

  /// How many bytes the value has.
  package var valueLength: Int { unsafe value.count }

  /// A copy of the key.
  package borrowing func keyBytes() -> [UInt8] { unsafe Array(key) }

  /// A copy of the value.
  package borrowing func valueBytes() -> [UInt8] { unsafe Array(value) }

  /// Whether the key begins with `prefix`.
  package borrowing func keyHasPrefix(_ prefix: [UInt8]) -> Bool {
    guard unsafe key.count >= prefix.count, let start = unsafe key.baseAddress else {
      return prefix.isEmpty
    }
    return unsafe prefix.withUnsafeBytes {
      unsafe compare(start, $0.baseAddress, prefix.count) == 0
    }
  }

  /// Below 0, 0 or above 0 as the key comes before `other`, equals it, or comes after it.
  package borrowing func compareKey(to other: [UInt8]) -> Int {
    let common = unsafe min(key.count, other.count)
    let order = unsafe other.withUnsafeBytes {
      unsafe compare(key.baseAddress, $0.baseAddress, common)
    }
    if order != 0 { return order < 0 ? -1 : 1 }
    return unsafe key.count == other.count ? 0 : key.count < other.count ? -1 : 1
  }

  private borrowing func compare(
    _ a: UnsafeRawPointer?, _ b: UnsafeRawPointer?, _ count: Int
  ) -> Int32 {
    guard count > 0, let a = unsafe a, let b = unsafe b else { return 0 }
    return unsafe memcmp(a, b, count)
  }
}
