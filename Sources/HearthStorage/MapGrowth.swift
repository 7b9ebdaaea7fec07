import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Environment {
  /// Makes the map larger, after `.mapFull`, on the thread that writes.
  ///
  /// LMDB moves the map without looking at readers, so they are held back at the gate and the
  /// active ones are waited for. A rare drill: the map is a terabyte to begin with (LM-18).
  ///
  /// Beyond the ceiling it does not grow; what is kept back below it is used only `intoReserve`.
  package func growMap(intoReserve: Bool = false) throws(StorageError) {
    try lockWriter()
    defer { writerLock.release() }
    let before = fileStatistics
    let pageSize = superblock.pageSize
    let wanted = max(2 * before.mapSize, before.usedBytes + options.mapGrowth)
    let ceiling = intoReserve ? options.sizeCeiling : Self.ordinaryCeiling(options)
    let most = ceiling.map { $0 / pageSize * pageSize } ?? .max
    let size = min((wanted + pageSize - 1) / pageSize * pageSize, most)
    guard size > before.mapSize else {
      throw StorageError(
        .mapFull,
        "The database has reached its largest size of \(options.sizeCeiling ?? size) bytes.")
    }
    // LMDB unmaps first, and is lost if the new map then fails: ask the system beforehand.
    try Self.checkAddressSpace(size)
    do throws(StorageError) {
      try readers.withoutReaders { () throws(StorageError) in
        let code = unsafe mdb_env_set_mapsize(handle, size)
        guard code == 0 else {
          throw StorageError(
            .storageFailed,
            "The map could not grow to \(size) bytes: close the database and open it again.",
            underlying: code)
        }
      }
    } catch {
      throw failed(error)
    }
  }

  private static func checkAddressSpace(_ size: Int) throws(StorageError) {
    let flags = MAP_PRIVATE | MAP_NORESERVE | Int32(bitPattern: UInt32(MAP_ANONYMOUS))
    let probe = unsafe mmap(nil, size, PROT_NONE, flags, -1, 0)
    guard unsafe probe != MAP_FAILED else {
      throw StorageError(
        .mapFull,
        "The map is full and the system allows none of \(size) bytes: "
          + "raise the address space limit.",
        underlying: errno)
    }
    unsafe munmap(probe, size)
  }
}
