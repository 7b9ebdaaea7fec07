import HearthEngine
public import HearthModel

/// What a database takes on disk at one moment.
public struct StorageStatistics: Sendable, Equatable {
  /// One table of the file.
  public struct Table: Sendable, Equatable {
    /// `catalog`, `documents` or `entries`.
    public let name: String
    /// Records in it.
    public let entries: Int
    /// Levels of its tree.
    public let depth: Int
    /// What its pages take.
    public let bytes: Int
  }

  /// The storage format of the file.
  public let formatVersion: Int
  /// The commit time of the newest version.
  public let version: Timestamp
  /// The size of the data file.
  public let fileBytes: Int
  /// What pages take that hold something.
  public let usedBytes: Int
  /// What pages take that hold nothing any more, and are used again before the file grows.
  ///
  /// Many of them are a reason to compact.
  public let freeBytes: Int
  /// The address space reserved: how large the file can become.
  public let mapBytes: Int
  /// The size of a page.
  public let pageBytes: Int
  /// The tables, in the order of the file.
  public let tables: [Table]
  /// Reads under way, those of other processes that look into the file included.
  public let activeReaders: Int
  /// How many storage commits the oldest of them lags behind: pages freed since then cannot be
  /// used again until it ends.
  public let oldestReaderLag: Int
}

extension Firestore {
  /// Sizes, free space and readers as of now; takes no longer than a few reads.
  ///
  /// - Throws: ``HearthError`` if the database cannot be used.
  public func storageStatistics() throws -> StorageStatistics {
    let found = try engine().storageSnapshot()
    return StorageStatistics(
      formatVersion: found.formatVersion, version: found.version.time, fileBytes: found.fileBytes,
      usedBytes: found.usedPages * found.pageSize, freeBytes: found.freePages * found.pageSize,
      mapBytes: found.mapBytes, pageBytes: found.pageSize,
      tables: found.tables.map {
        StorageStatistics.Table(
          name: $0.name, entries: $0.entries, depth: $0.depth, bytes: $0.pages * found.pageSize)
      },
      activeReaders: found.readers, oldestReaderLag: found.oldestReaderLag)
  }
}
