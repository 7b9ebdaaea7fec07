#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Looks at the two meta pages before LMDB does: LMDB trusts the file, and a damaged header makes
/// it divide by zero or run into pages past the end of the file.
///
/// Only for a file that this process does not have open (LM-04).
enum FileHeaderCheck {
  /// Bytes of a page, read at the offsets of the 64-bit layout of LMDB 0.9.
  struct Page {
    var bytes: [UInt8]

    func integer<T: FixedWidthInteger>(_ type: T.Type = T.self, at offset: Int) -> T {
      // LMDB writes in the byte order of the machine.
      unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: T.self) }
    }

    /// What pages of all kinds begin with.
    var flags: UInt16 { integer(at: 10) }

    // Of a meta page only.
    var magic: UInt32 { integer(at: 16) }
    var version: UInt32 { integer(at: 20) }
    var pageSize: Int { Int(integer(UInt32.self, at: freeTree)) }
    var lastPage: UInt64 { integer(at: 136) }
    var transaction: UInt64 { integer(at: 144) }

    /// Where the records of the two trees begin: of free pages, and of tables.
    var freeTree: Int { 40 }
    var mainTree: Int { 88 }

    // Of a tree whose record, 48 bytes long, begins at the offset.
    func flags(ofTree offset: Int) -> UInt16 { integer(at: offset + 4) }
    func depth(ofTree offset: Int) -> UInt16 { integer(at: offset + 6) }
    func root(ofTree offset: Int) -> UInt64 { integer(at: offset + 40) }

    static let metaLength = 152
    static let treeLength = 48
  }

  /// An open file and what of it may be referred to.
  struct File {
    var path: String
    var descriptor: Int32
    var pageSize = 0
    var pages: UInt64 = 0
    var lastPage: UInt64 = 0

    func bad(_ finding: String) -> StorageError {
      StorageError(
        .badHeader, "\(path) has \(finding): it is damaged or no database. Restore a backup.")
    }

    func read(_ length: Int, at offset: Int) throws(StorageError) -> Page {
      var bytes = [UInt8](repeating: 0, count: length)
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
      }
      guard count >= 0 else { throw .system(errno, "\(path) could not be read") }
      guard count == length else { throw bad("no room for its header") }
      return Page(bytes: bytes)
    }
  }

  /// Gives the size of the file's pages.
  @discardableResult
  static func check(_ path: String) throws(StorageError) -> Int {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .system(errno, "\(path) could not be opened") }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw .system(errno, "\(path) could not be examined")
    }
    var file = File(path: path, descriptor: descriptor)
    let first = try meta(file, at: 0)
    file.pageSize = first.pageSize
    guard (512...32768).contains(file.pageSize), file.pageSize & (file.pageSize - 1) == 0 else {
      throw file.bad("a page size of \(file.pageSize)")
    }
    let second = try meta(file, at: file.pageSize)
    guard second.pageSize == file.pageSize else { throw file.bad("two page sizes") }
    file.pages = UInt64(status.st_size) / UInt64(file.pageSize)
    guard file.pages >= 2 else { throw file.bad("less than two pages") }

    let newer = second.transaction > first.transaction ? second : first
    // Commits write the headers in turn. Were a damaged one passed over, or an old one taken for
    // the newest, the last commit would be undone without a trace, or pages in use be overwritten.
    let older = min(first.transaction, second.transaction)
    guard newer.transaction - older <= 1 else {
      throw file.bad("headers of transactions \(first.transaction) and \(second.transaction)")
    }
    file.lastPage = newer.lastPage
    guard file.lastPage >= 1 else { throw file.bad("no last page") }
    // The tree of free pages has integer keys (flag 8); ours has no flags.
    try checkTree(newer, at: newer.freeTree, flags: 8, file)
    try checkTree(newer, at: newer.mainTree, flags: 0, file)
    try checkTables(newer, file)
    if file.pages <= file.lastPage {
      var truncation = TruncationCheck(file)
      try truncation.run(newer)
    }
    return file.pageSize
  }

  private static func checkTree(
    _ page: Page, at offset: Int, flags: UInt16, _ file: File
  ) throws(StorageError) {
    guard page.flags(ofTree: offset) == flags else {
      throw file.bad("flags that are never used here")
    }
    let root = page.root(ofTree: offset)
    let depth = page.depth(ofTree: offset)
    if root == .max {
      guard depth == 0 else { throw file.bad("a depth without a root") }
      return
    }
    // The file may end before its last page (see `TruncationCheck`), but roots are always written.
    guard root >= 2, root < file.pages, root <= file.lastPage else {
      throw file.bad("a root on page \(root) of \(file.pages)")
    }
    guard (1...32).contains(depth) else { throw file.bad("a depth of \(depth)") }
  }

  /// Our few tables fit into one leaf; a file where they do not is found out when they are opened.
  private static func checkTables(_ meta: Page, _ file: File) throws(StorageError) {
    guard meta.depth(ofTree: meta.mainTree) == 1 else { return }
    let root = Int(meta.root(ofTree: meta.mainTree))
    let page = try file.read(file.pageSize, at: root * file.pageSize)
    let lower = Int(page.integer(UInt16.self, at: 12))
    guard page.flags & 0x02 != 0, (16...file.pageSize).contains(lower) else {
      throw file.bad("a damaged list of tables")
    }
    for pointer in stride(from: 16, to: lower & ~1, by: 2) {
      let node = Int(page.integer(UInt16.self, at: pointer))
      guard node >= lower, node + 8 <= file.pageSize else {
        throw file.bad("a damaged list of tables")
      }
      let isTable = page.integer(UInt16.self, at: node + 4) & 0x02 != 0
      let record = node + 8 + Int(page.integer(UInt16.self, at: node + 6))
      if !isTable { continue }
      guard record + Page.treeLength <= file.pageSize else {
        throw file.bad("a damaged list of tables")
      }
      try checkTree(page, at: record, flags: 0, file)
    }
  }

  private static func meta(_ file: File, at offset: Int) throws(StorageError) -> Page {
    let meta = try file.read(Page.metaLength, at: offset)
    guard meta.flags & 0x08 != 0, meta.magic == 0xBEEF_C0DE else {
      throw file.bad("no header of LMDB")
    }
    guard meta.version == 1 else {
      throw StorageError(
        .formatVersion,
        """
        \(file.path) has LMDB's file format \(meta.version), this version reads format 1 (0.9): \
        export it with the version that wrote it, and import it here.
        """)
    }
    return meta
  }
}
