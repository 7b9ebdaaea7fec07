#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// LMDB's own lock file, which holds the table of readers.
enum LockFile {
  /// LMDB makes the file as a hole and writes to it through a map: on a full disk that ends the
  /// process.
  ///
  /// Allocating it first turns that into an error.
  static func allocate(in directory: String, maxReaders: Int) throws(StorageError) {
    #if canImport(Glibc)
      let path = directory + "/lock.mdb"
      let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw .system(errno, "\(path) could not be made") }
      defer { close(descriptor) }
      // One cache line for each reader and two for the head; what is more becomes readers.
      let size = (maxReaders + 2) * 64
      var code = posix_fallocate(descriptor, 0, off_t(size))
      while code == EINTR { code = posix_fallocate(descriptor, 0, off_t(size)) }
      // A file system that cannot allocate ahead keeps LMDB's way.
      if code != 0 && code != EOPNOTSUPP && code != EINVAL {
        throw .system(code, "\(path) could not be allocated")
      }
    #endif
  }
}
