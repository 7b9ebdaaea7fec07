#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lock that lets one process at a time use a database.
///
/// `flock` belongs to the open file, not to the process, so closing another descriptor of the same
/// file does not drop it, as it would drop LMDB's own record locks.
final class ProcessLock: Sendable {
  static let fileName = "hearth.lock"

  private let descriptor: Int32

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Takes the lock in the directory, or throws `.databaseInUse` naming the holder.
  static func take(in directory: String) throws(StorageError) -> ProcessLock {
    let path = directory + "/" + fileName
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(errno, "\(path) could not be opened") }
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      let holder = readHolder(descriptor)
      close(descriptor)
      guard code == EWOULDBLOCK else { throw .system(code, "\(path) could not be locked") }
      throw StorageError(
        .databaseInUse,
        "\(directory) is in use by another process\(holder): close it there.", underlying: code)
    }
    writeHolder(descriptor)
    return ProcessLock(descriptor: descriptor)
  }

  func release() {
    // Unlocked first: a process that is just being started elsewhere holds a copy of the descriptor
    // until it executes, and with it the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func writeHolder(_ descriptor: Int32) {
    // For the error text of others only, so a failure is no reason not to open.
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let text = Array("\(getpid()), since \(now.tv_sec)\n".utf8)
    _ = ftruncate(descriptor, 0)
    _ = unsafe text.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  private static func readHolder(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
    }
    guard count > 1 else { return "" }
    let text = String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self)
    return " (process \(text.prefix { $0 != "," }))"
  }
}
