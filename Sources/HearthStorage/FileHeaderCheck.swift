#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Looks at the two meta pages before LMDB does: LMDB trusts the file, and a damaged header makes it
/// divide by zero or run into pages past the end of the file.
///
/// Only for a file that this process does not have open (LM-04).
enum FileHeaderCheck {
  /// One of the two meta pages, at the offsets of the 64-bit layout of LMDB 0.9.
  struct Meta {
    var bytes: [UInt8]

    static let length = 152

    var pageFlags: UInt16 { integer(at: 10) }
    var magic: UInt32 { integer(at: 16) }
    var version: UInt32 { integer(at: 20) }
    var pageSize: Int { Int(integer(at: 40) as UInt32) }
    var lastPage: UInt64 { integer(at: 136) }
    var transaction: UInt64 { integer(at: 144) }

    /// 0 is the tree of free pages, 1 the tree of tables.
    func flags(ofTree tree: Int) -> UInt16 { integer(at: 44 + 48 * tree) }
    func depth(ofTree tree: Int) -> UInt16 { integer(at: 46 + 48 * tree) }
    func root(ofTree tree: Int) -> UInt64 { integer(at: 80 + 48 * tree) }

    private func integer<T: FixedWidthInteger>(at offset: Int) -> T {
      // LMDB writes in the byte order of the machine.
      unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: T.self) }
    }
  }

  static func check(_ path: String) throws(StorageError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .system(errno, "\(path) could not be opened") }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw .system(errno, "\(path) could not be examined")
    }
    let length = UInt64(status.st_size)

    let first = try meta(descriptor, at: 0, path)
    let pageSize = first.pageSize
    guard (512...32768).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      throw bad(path, "a page size of \(pageSize)")
    }
    let second = try meta(descriptor, at: pageSize, path)
    guard second.pageSize == pageSize else { throw bad(path, "two page sizes") }
    guard length >= 2 * UInt64(pageSize) else { throw bad(path, "less than two pages") }

    let newer = second.transaction > first.transaction ? second : first
    try check(newer, pages: length / UInt64(pageSize), path)
  }

  private static func check(_ meta: Meta, pages: UInt64, _ path: String) throws(StorageError) {
    guard meta.lastPage >= 1 else { throw bad(path, "no last page") }
    // Of the flags, the tree of free pages has integer keys (8), and ours has none.
    guard meta.flags(ofTree: 0) == 8, meta.flags(ofTree: 1) == 0 else {
      throw bad(path, "flags that are never used here")
    }
    for tree in 0...1 {
      let root = meta.root(ofTree: tree)
      let depth = meta.depth(ofTree: tree)
      if root == .max {
        guard depth == 0 else { throw bad(path, "a depth without a root") }
        continue
      }
      // Pages after the last root may be missing: what a transaction frees at its end it never
      // writes. Roots are always written.
      guard root >= 2, root < pages, root <= meta.lastPage else {
        throw bad(path, "a root on page \(root) of \(pages)")
      }
      guard (1...32).contains(depth) else { throw bad(path, "a depth of \(depth)") }
    }
  }

  private static func meta(
    _ descriptor: Int32, at offset: Int, _ path: String
  ) throws(StorageError) -> Meta {
    var bytes = [UInt8](repeating: 0, count: Meta.length)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
    }
    guard count >= 0 else { throw .system(errno, "\(path) could not be read") }
    guard count == Meta.length else { throw bad(path, "no room for its header") }
    let meta = Meta(bytes: bytes)
    guard meta.pageFlags & 0x08 != 0, meta.magic == 0xBEEF_C0DE else {
      throw bad(path, "no header of LMDB")
    }
    guard meta.version == 1 else {
      throw StorageError(
        .formatVersion,
        """
        \(path) has LMDB's file format \(meta.version), this version reads format 1 (LMDB 0.9): \
        export it with the version that wrote it, and import it here.
        """)
    }
    return meta
  }

  private static func bad(_ path: String, _ finding: String) -> StorageError {
    StorageError(
      .badHeader, "\(path) has \(finding): it is damaged or no database. Restore a backup.")
  }
}
