import CLMDB

/// What ran out.
package enum Shortage: Sendable, Equatable {
  case disk
  /// The map has reached the largest size that it may have.
  case map
}

extension Environment {
  /// How much is kept back below the ceiling, for deleting when everything else is used up.
  static func reserve(below ceiling: Int) -> Int { min(ceiling / 8, 64 << 20) }

  /// What the map may come to in ordinary times.
  static func ordinaryCeiling(_ options: EnvironmentOptions) -> Int? {
    options.sizeCeiling.map { $0 - reserve(below: $0) }
  }

  /// Gives out what was kept back; false if nothing is left of it.
  package func openReserve(for shortage: Shortage) -> Bool {
    switch shortage {
    case .disk: ballast.remove()
    case .map: (try? growMap(intoReserve: true)) != nil
    }
  }

  /// Whether what was kept back is there again, or was never needed.
  package func restoreReserve() -> Bool { ballast.make(leaving: 8 * ballast.byteCount) }

  /// Whether there is clearly more room than what should be kept back, freed pages of the file
  /// included.
  ///
  /// Walks LMDB's list of freed pages, so it is asked only where room has become short.
  package func hasRoom(beyond shortage: Shortage) throws -> Bool {
    let freed = try read { transaction in try transaction.freePages() } * superblock.pageSize
    switch shortage {
    case .disk:
      var descriptor: Int32 = -1
      unsafe mdb_env_get_fd(handle, &descriptor)
      return freed + DiskSpace.free(descriptor) >= 2 * max(ballast.byteCount, 1 << 20)
    case .map:
      guard let ceiling = Environment.ordinaryCeiling(options) else { return true }
      return fileStatistics.usedBytes - freed <= ceiling
    }
  }
}
