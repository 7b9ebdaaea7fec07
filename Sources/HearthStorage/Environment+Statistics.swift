import CLMDB

/// How large the file and its map are.
package struct FileStatistics: Sendable, Equatable {
  package var mapSize: Int
  package var usedBytes: Int
  package var lastTransactionID: UInt64
  /// Reader slots that were ever taken since the lock file was made.
  package var readers: Int
}

extension Environment {
  /// The size of one table.
  package func statistics(of table: Table) throws(StorageError) -> TableStatistics {
    let transaction = try beginRead()
    return try transaction.statistics(of: table)
  }

  /// The size of file and map; zeros once closed.
  package var fileStatistics: FileStatistics {
    var information = unsafe MDB_envinfo()
    do throws(StorageError) {
      try readers.reading { () throws(StorageError) in
        _ = unsafe mdb_env_info(handle, &information)
      }
    } catch {
      unsafe information = MDB_envinfo()
    }
    return unsafe FileStatistics(
      mapSize: Int(information.me_mapsize),
      usedBytes: (Int(information.me_last_pgno) + 1) * superblock.pageSize,
      lastTransactionID: UInt64(information.me_last_txnid),
      readers: Int(information.me_numreaders))
  }

  /// Frees the reader slots of processes that died, and says how many there were (LM-23).
  package func checkReaders() throws(StorageError) -> Int {
    try readers.reading { () throws(StorageError) -> Int in
      var dead: Int32 = 0
      let code = unsafe mdb_reader_check(handle, &dead)
      guard code == 0 else { throw .lmdb(code, "The reader slots could not be checked") }
      return Int(dead)
    }
  }
}
