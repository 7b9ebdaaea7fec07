/// What a commit survives.
package enum StorageDurability: Sendable {
  /// Power loss.
  case durable
  /// Power loss, but for the last commit.
  case relaxed
  /// The death of the process only; a power loss may leave a broken file.
  case none
}

/// How an environment is opened.
package struct EnvironmentOptions: Sendable {
  /// Whether a database is made where there is none.
  package var createIfMissing = true
  package var durability: StorageDurability = .durable
  /// Address space to reserve.
  ///
  /// Halved on failure, down to 1 GiB; smaller values are for tests.
  package var mapSize: Int = 1 << 40
  /// The least that `growMap()` adds to what is used.
  package var mapGrowth: Int = 1 << 30
  /// The most that the map may grow to, nil for what the system allows; a part of it is kept back
  /// for deletes.
  package var sizeCeiling: Int?
  /// Room that is kept on the disk for deletes; 0 for none.
  ///
  /// Only where commits are flushed: what may be lost anyway needs no such care.
  package var ballastBytes = 8 << 20
  package var maxReaders = 1024
  /// At most 16, made with the database and the same ever after; their order numbers the tables.
  package var tableNames: [String]
  /// Where the database's id and hash key come from.
  package var randomBytes: @Sendable (Int) -> [UInt8]
  /// The clock for the creation time in the superblock.
  package var nowMicroseconds: @Sendable () -> Int64
  /// How many pages a write transaction should dirty at most (LM-15).
  package var pageBudget = 4096
  package var faults: StorageFaults?
  /// The version of LMDB, asked once per opening.
  package var libraryVersion: @Sendable () -> LibraryVersion = { .linked }

  /// Options with the defaults for everything not named here.
  package init(
    tableNames: [String],
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    nowMicroseconds: @escaping @Sendable () -> Int64
  ) {
    self.tableNames = tableNames
    self.randomBytes = randomBytes
    self.nowMicroseconds = nowMicroseconds
  }

  func check() throws(StorageError) {
    guard (1...16).contains(tableNames.count) else {
      throw StorageError(.invalidArgument, "Name 1 to 16 tables, not \(tableNames.count).")
    }
    var seen: Set<String> = [Superblock.tableName]
    for name in tableNames where name.isEmpty || !seen.insert(name).inserted {
      throw StorageError(.invalidArgument, "The table name \"\(name)\" is empty or taken.")
    }
    guard sizeCeiling.map({ $0 >= 8 << 20 }) ?? true else {
      throw StorageError(.invalidArgument, "The largest size must be at least 8 MiB.")
    }
    guard mapSize >= 64 << 10, ballastBytes >= 0, mapGrowth > 0, maxReaders >= 2, pageBudget > 0
    else {
      throw StorageError(
        .invalidArgument,
        "The map size must be at least 64 KiB, and growth, readers and page budget positive.")
    }
  }
}
