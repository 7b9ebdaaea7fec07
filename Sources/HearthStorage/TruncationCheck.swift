/// Looks for pages in use behind the end of a file that is shorter than its header says.
///
/// Such a file can be sound: what a transaction frees at its end is never written. But if it lost a
/// part that is used, touching that part would end the process with SIGBUS, long after the opening.
/// So the trees of this rare kind of file are walked, and every page they refer to must be there.
struct TruncationCheck {
  private let file: FileHeaderCheck.File
  /// Pages still to be seen at most: damaged trees may run in circles.
  private var budget: UInt64

  init(_ file: FileHeaderCheck.File) {
    self.file = file
    budget = file.pages
  }

  mutating func run(_ meta: FileHeaderCheck.Page) throws(StorageError) {
    try walk(meta.root(ofTree: meta.freeTree), depth: 0)
    try walk(meta.root(ofTree: meta.mainTree), depth: 0)
  }

  private mutating func walk(_ number: UInt64, depth: Int) throws(StorageError) {
    if number == .max { return }
    try check(number, count: 1)
    guard budget > 0, depth <= 66 else { throw file.bad("trees that run in circles") }
    budget -= 1
    let page = try file.read(file.pageSize, at: Int(number) * file.pageSize)
    let isBranch = page.flags & 0x01 != 0
    guard isBranch || page.flags & 0x02 != 0 else {
      throw file.bad("something else than a tree's page on page \(number)")
    }
    let lower = Int(page.integer(UInt16.self, at: 12))
    guard (16...file.pageSize).contains(lower) else { throw file.bad("a damaged page \(number)") }
    for pointer in stride(from: 16, to: lower & ~1, by: 2) {
      let node = Int(page.integer(UInt16.self, at: pointer))
      guard node >= lower, node + 8 <= file.pageSize else {
        throw file.bad("a damaged page \(number)")
      }
      let low = UInt64(page.integer(UInt32.self, at: node))
      let flags = UInt64(page.integer(UInt16.self, at: node + 4))
      if isBranch {
        // A branch node has the upper bits of the page's number where a leaf has flags.
        try walk(low | flags << 32, depth: depth + 1)
      } else {
        let record = node + 8 + Int(page.integer(UInt16.self, at: node + 6))
        try follow(page, record, length: low, flags: flags, depth)
      }
    }
  }

  /// Follows what a leaf refers to outside of itself: a value's own pages, or the tree of a table.
  private mutating func follow(
    _ page: FileHeaderCheck.Page, _ record: Int, length: UInt64, flags: UInt64, _ depth: Int
  ) throws(StorageError) {
    let size = flags & 0x02 != 0 ? FileHeaderCheck.Page.treeLength : flags & 0x01 != 0 ? 8 : 0
    guard record + size <= file.pageSize else { throw file.bad("a damaged leaf") }
    if flags & 0x02 != 0 {
      try walk(page.root(ofTree: record), depth: depth + 1)
    } else if flags & 0x01 != 0 {
      try check(
        page.integer(at: record), count: (15 + length) / UInt64(file.pageSize) + 1)
    }
  }

  private func check(_ number: UInt64, count: UInt64) throws(StorageError) {
    guard number >= 2, number < file.pages, count <= file.pages - number else {
      throw file.bad("page \(number) in use, but only \(file.pages) pages")
    }
  }
}
