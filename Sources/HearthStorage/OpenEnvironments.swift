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
  /// How many openings there were; what matters is the lock.
  private static let openings = Lock(0)

  /// One opening or closing at a time: of two openings, the second then sees the first.
  static func exclusively<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    try openings.withLock { (count) throws(E) -> R in
      count += 1
      return try body()
    }
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
