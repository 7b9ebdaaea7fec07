import CLMDB

/// One of the named tables of an environment, known by its position in `tableNames`.
package struct Table: Hashable, Sendable {
  /// The position in `EnvironmentOptions.tableNames`.
  package let number: Int

  /// The table with this position; no check that the environment has so many.
  package init(number: Int) {
    precondition(number >= 0, "tables are numbered from 0")
    self.number = number
  }

  /// Storage's own table comes before the others, so the handles are consecutive from here.
  ///
  /// Opening checks it; arithmetic then saves every read a look into the environment.
  static let firstHandle: MDB_dbi = 3

  var handle: MDB_dbi { Self.firstHandle + MDB_dbi(truncatingIfNeeded: number) }
}

/// How large a table is.
package struct TableStatistics: Sendable, Equatable {
  package var entries: Int
  package var depth: Int
  package var branchPages: Int
  package var leafPages: Int
  package var overflowPages: Int

  init(_ stat: MDB_stat) {
    entries = Int(stat.ms_entries)
    depth = Int(stat.ms_depth)
    branchPages = Int(stat.ms_branch_pages)
    leafPages = Int(stat.ms_leaf_pages)
    overflowPages = Int(stat.ms_overflow_pages)
  }
}

/// Keys have 1 to 511 bytes, whatever the library would allow (LM-10).
package let maximumKeyLength = 511

@inline(__always) func checkKey(_ key: [UInt8]) throws(StorageError) {
  if key.isEmpty || key.count > maximumKeyLength { throw badKey(key.count) }
}

@inline(never) func badKey(_ length: Int) -> StorageError {
  StorageError(.badKey, "A key has 1 to \(maximumKeyLength) bytes, this one has \(length).")
}

/// Calls `body` with the key as LMDB wants it.
///
/// LMDB does not change what a key points to.
@inline(__always) func withValue<R, E: Error>(
  of bytes: [UInt8], _ body: (inout MDB_val) throws(E) -> R
) throws(E) -> R {
  try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(E) -> R in
    var value = unsafe MDB_val(
      mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
    return try unsafe body(&value)
  }
}
