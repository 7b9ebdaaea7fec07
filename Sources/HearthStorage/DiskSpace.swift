#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How much room a file's disk has.
enum DiskSpace {
  /// LMDB reports a write that the disk took in part as EIO; with less room than this it is taken
  /// for a full disk.
  private static let little = 1 << 20

  /// The error for a failed write if the reason is a full disk; nil if it is not.
  static func shortage(
    _ code: Int32, _ descriptor: Int32, _ action: String
  ) -> StorageError? {
    guard code == EIO, isExhausted(descriptor) else { return nil }
    return .lmdb(ENOSPC, action)
  }

  private static func isExhausted(_ descriptor: Int32) -> Bool { free(descriptor) < little }

  /// The bytes that we may still use on the disk of an open file; very many if nobody can tell.
  static func free(_ descriptor: Int32) -> Int {
    var information = statvfs()
    guard unsafe fstatvfs(descriptor, &information) == 0 else { return .max / 4 }
    let blocks = geteuid() == 0 ? information.f_bfree : information.f_bavail
    let (bytes, overflow) = Int(clamping: blocks)
      .multipliedReportingOverflow(by: Int(clamping: information.f_frsize))
    return overflow ? .max / 4 : min(bytes, .max / 4)
  }
}
