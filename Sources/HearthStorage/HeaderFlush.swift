#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Brings the header of a data file to the disk as it is read here (LM-17).
///
/// After a flush that failed, or a process that died in one, the disk may hold another header than
/// the one that the system shows: an older one, or that of a commit which was given up. The system
/// takes the page for clean and will not write it again. Commits that build on the header that is
/// shown use pages which are free by it, and not by the other one, so that a loss of power would
/// leave torn data. Written once more as it is, the header is dirty, and is flushed.
enum HeaderFlush {
  /// For a file that this process does not have open, and whose header was checked.
  static func run(_ path: String, pageSize: Int) throws(StorageError) {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .system(errno, "\(path) could not be opened") }
    defer { close(descriptor) }
    try run(descriptor, path, pageSize: pageSize)
  }

  /// While nobody writes.
  static func run(_ descriptor: Int32, _ path: String, pageSize: Int) throws(StorageError) {
    // The same bytes in the same place: no moment at which the header is anything else.
    var bytes = [UInt8](repeating: 0, count: 2 * pageSize)
    let length = bytes.count
    let got = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, length, 0)
    }
    guard got == length else {
      throw .system(got < 0 ? errno : EIO, "The header of \(path) could not be read")
    }
    let put = unsafe bytes.withUnsafeBytes {
      unsafe pwrite(descriptor, $0.baseAddress, length, 0)
    }
    guard put == length else {
      throw .system(put < 0 ? errno : EIO, "The header of \(path) could not be written")
    }
    try Files.sync(descriptor, path)
  }
}
