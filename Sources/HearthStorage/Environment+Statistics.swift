import CLMDB

/// How large the file and its map are.
package struct FileStatistics: Sendable, Equatable {
  package var mapSize: Int
  /// What the pages that were ever used take; some may be free again.
  package var usedBytes: Int
  package var lastTransactionID: UInt64
  /// Reader slots that were ever taken since the lock file was made.
  package var readers: Int
}

/// The reads that are under way.
package struct ActiveReaders: Sendable, Equatable {
  package var count = 0
  /// How many commits came after what the oldest of them sees; pages freed since then cannot be
  /// used again until it ends.
  package var oldestLag = 0

  /// Reads LMDB's table of readers: process, thread, and the transaction seen or `-`.
  init(_ lines: [String], newest: UInt64) {
    for line in lines {
      let columns = line.split(whereSeparator: \.isWhitespace)
      guard columns.count == 3, let transaction = UInt64(columns[2]) else { continue }
      count += 1
      if newest > transaction { oldestLag = max(oldestLag, Int(newest - transaction)) }
    }
  }
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

  /// The size of the data file on disk.
  package var fileSize: Int {
    var size = 0
    try? readers.reading { () throws(StorageError) in
      var descriptor: Int32 = -1
      unsafe mdb_env_get_fd(handle, &descriptor)
      size = Files.size(descriptor)
    }
    return size
  }

  /// The reads that are under way in this process and in others.
  package func activeReaders() throws(StorageError) -> ActiveReaders {
    try readers.reading { () throws(StorageError) -> ActiveReaders in
      var lines: [String] = []
      let code = unsafe withUnsafeMutablePointer(to: &lines) { lines in
        unsafe mdb_reader_list(
          handle,
          { line, context in
            guard let line = unsafe line, let context = unsafe context else { return 0 }
            unsafe context.assumingMemoryBound(to: [String].self).pointee
              .append(String(cString: line))
            return 0
          }, lines)
      }
      guard code >= 0 else { throw .lmdb(code, "The readers could not be listed") }
      var information = unsafe MDB_envinfo()
      unsafe mdb_env_info(handle, &information)
      return unsafe ActiveReaders(lines, newest: UInt64(information.me_last_txnid))
    }
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
