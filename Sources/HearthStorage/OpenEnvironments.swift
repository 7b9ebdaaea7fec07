/// The data files this process has open (LM-03).
///
/// LMDB forgets all of a process's locks on a file when any descriptor of that file is closed, so a
/// second opening would quietly disarm the first. Paths, symbolic and hard links cannot fool it.
enum OpenEnvironments {
  struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
  }

  private static let files = Lock<Set<FileIdentity>>([])
  private static let opening = Lock<Void>(())

  /// One opening at a time: of two at once, the second then sees what the first has opened.
  static func exclusively<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
    try opening.withLock { (_) throws(StorageError) -> R in try body() }
  }

  static func check(_ file: FileIdentity, path: String) throws(StorageError) {
    if files.withLock({ $0.contains(file) }) {
      throw StorageError(
        .alreadyOpen, "\(path) is open in this process already: use that one, or close it first.")
    }
  }

  static func insert(_ file: FileIdentity) {
    files.withLock { _ = $0.insert(file) }
  }

  static func remove(_ file: FileIdentity) {
    files.withLock { _ = $0.remove(file) }
  }
}
