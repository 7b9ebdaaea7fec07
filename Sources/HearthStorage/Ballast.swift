#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that holds nothing but room on the disk, given up when the disk is full so that deleting,
/// which needs room before it frees any, stays possible.
struct Ballast: Sendable {
  static let fileName = "reserve"

  let path: String
  let byteCount: Int

  init(in directory: String, byteCount: Int) {
    path = directory + "/" + Ballast.fileName
    self.byteCount = byteCount
  }

  /// Makes the file if it is not whole; false if the disk has no room for it, or not much more.
  ///
  /// `spare` bytes have to be left beside it.
  func make(leaving spare: Int) -> Bool {
    if byteCount == 0 { return true }
    if let size = try? Files.information(path)?.size, size >= byteCount { return true }
    remove()
    guard let descriptor = try? Files.create(path) else { return false }
    defer { Files.close(descriptor) }
    guard DiskSpace.free(descriptor) >= byteCount + spare, allocate(descriptor) else {
      remove()
      return false
    }
    return true
  }

  /// Gives the room away; false if there is none to give.
  @discardableResult
  func remove() -> Bool { unsafe unlink(path) == 0 }

  private func allocate(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      var wish = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
        fst_length: off_t(byteCount), fst_bytesalloc: 0)
      return unsafe fcntl(descriptor, F_PREALLOCATE, &wish) == 0
        && ftruncate(descriptor, off_t(byteCount)) == 0
    #else
      return posix_fallocate(descriptor, 0, off_t(byteCount)) == 0
    #endif
  }
}
