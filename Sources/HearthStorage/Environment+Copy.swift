import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Environment {
  /// Writes a compact copy of the last committed state into a new directory `path`.
  ///
  /// The copy appears under its name only when it is complete and synced (LM-20). Writing goes on
  /// meanwhile, and the file grows by what it writes.
  package func copy(to path: String) throws(StorageError) {
    let path = Files.resolved(path)
    guard try Files.information(path) == nil else {
      throw StorageError(.invalidArgument, "\(path) exists already: choose another path.")
    }
    _ = try checkReaders()
    let staging = path + ".copying"
    // What a copy that crashed has left.
    if try Files.information(staging) != nil { try Files.removeDirectory(staging) }
    guard try Files.makeDirectory(staging) else {
      throw StorageError(.invalidArgument, "Another copy to \(path) is being made.")
    }
    do throws(StorageError) {
      try writeCopy(staging + "/data.mdb")
      try Files.sync(staging, isDirectory: true)
      guard unsafe rename(staging, path) == 0 else {
        throw .system(errno, "\(staging) could not be renamed to \(path)")
      }
    } catch {
      try? Files.removeDirectory(staging)
      throw error
    }
    try Files.sync(Files.parent(of: path), isDirectory: true)
  }

  private func writeCopy(_ file: String) throws(StorageError) {
    // LMDB would make the file readable for others, and would not sync it.
    let descriptor = try Files.create(file)
    defer { Files.close(descriptor) }
    try readers.reading { () throws(StorageError) in
      let code = unsafe mdb_env_copyfd2(handle, descriptor, UInt32(MDB_CP_COMPACT))
      guard code == 0 else { throw .lmdb(code, "\(path) could not be copied") }
    }
    try Files.sync(descriptor, file)
  }
}
