package import HearthModel
import HearthStorage

/// What a database takes on disk.
package struct StorageSnapshot: Sendable, Equatable {
  package struct Table: Sendable, Equatable {
    package var name: String
    package var entries: Int
    package var depth: Int
    package var pages: Int
  }

  package var formatVersion = 0
  package var pageSize = 0
  /// The size of the data file.
  package var fileBytes = 0
  /// Pages that hold something, and pages that hold nothing any more.
  package var usedPages = 0
  package var freePages = 0
  package var mapBytes = 0
  package var tables: [Table] = []
  package var version = CommitVersion.zero
  /// Reads under way, and how many commits the oldest of them lags behind.
  package var readers = 0
  package var oldestReaderLag = 0
}

extension Engine {
  /// Sizes as of now; walks the list of free pages, nothing else.
  package func storageSnapshot() throws(HearthError) -> StorageSnapshot {
    let environment = parts.environment
    let store = parts.reader.store
    // Before the read, which would count itself.
    let readers: ActiveReaders
    do {
      readers = try environment.activeReaders()
    } catch {
      throw HearthError(error)
    }
    var snapshot = try read { transaction in
      var snapshot = StorageSnapshot()
      for (name, table) in [
        ("catalog", store.catalog), ("documents", store.documents), ("entries", store.entries),
      ] {
        let statistics = try transaction.statistics(of: table)
        snapshot.tables.append(
          StorageSnapshot.Table(
            name: name, entries: statistics.entries, depth: statistics.depth,
            pages: statistics.branchPages + statistics.leafPages + statistics.overflowPages))
      }
      snapshot.freePages = try transaction.freePages()
      snapshot.version = try CatalogRecords.head(store, transaction)
      return snapshot
    }
    let file = environment.fileStatistics
    snapshot.formatVersion = environment.superblock.formatVersion
    snapshot.pageSize = environment.superblock.pageSize
    snapshot.fileBytes = environment.fileSize
    snapshot.usedPages = file.usedBytes / max(1, snapshot.pageSize) - snapshot.freePages
    snapshot.mapBytes = file.mapSize
    snapshot.readers = readers.count
    snapshot.oldestReaderLag = readers.oldestLag
    return snapshot
  }
}
