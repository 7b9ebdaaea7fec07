/// What the bytes of a sound data file are, read at the offsets of LMDB 0.9's 64-bit layout.
///
/// A reader of its own, so that a mistake of the engine's about pages cannot hide one here.
struct PageMap {
  enum Area: String, CaseIterable, Sendable {
    /// The two headers.
    case meta
    /// Pages in no tree.
    case free
    /// Headers and pointers of LMDB's pages, and its list of free pages.
    case structure
    case key
    case value
    /// Room inside a page that is in use.
    case gap
  }

  /// One stored value and its key.
  struct Record: Sendable {
    var table: String
    var key: Range<Int>
    var value: Range<Int>
  }

  let pageSize: Int
  private let bytes: [UInt8]
  private var areas: [Area]
  /// Pages of trees and values, the headers left out.
  private(set) var live: [Int] = []
  private(set) var records: [Record] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    pageSize = Int(PageMap.integer(bytes, 40, 4))
    areas = Array(repeating: .free, count: bytes.count)
    mark(0..<2 * pageSize, .meta)
    let first = PageMap.integer(bytes, 144, 8)
    let meta = PageMap.integer(bytes, pageSize + 144, 8) > first ? pageSize : 0
    walk(Int(bitPattern: UInt(root(meta + 40))), table: "", isFreeList: true)
    walk(Int(bitPattern: UInt(root(meta + 88))), table: "", isFreeList: false)
    live.sort()
  }

  /// What a byte is.
  func area(_ offset: Int) -> Area { areas[offset] }

  private static func integer(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
  }

  private func integer(_ offset: Int, _ count: Int) -> UInt64 {
    PageMap.integer(bytes, offset, count)
  }

  private func root(_ tree: Int) -> UInt64 { integer(tree + 40, 8) }

  private mutating func mark(_ range: Range<Int>, _ area: Area) {
    for offset in range.clamped(to: 0..<areas.count) { areas[offset] = area }
  }

  private mutating func walk(_ number: Int, table: String, isFreeList: Bool) {
    let start = number * pageSize
    // No root, and what a transaction freed at its end and never wrote.
    guard number > 0, start + pageSize <= bytes.count else { return }
    live.append(number)
    let isBranch = integer(start + 10, 2) & 0x01 != 0
    let lower = Int(integer(start + 12, 2))
    mark(start..<start + pageSize, isFreeList ? .structure : .gap)
    mark(start..<start + lower, .structure)
    for pointer in stride(from: 16, to: lower, by: 2) {
      let node = start + Int(integer(start + pointer, 2))
      let low = Int(integer(node, 4))
      let flags = Int(integer(node + 4, 2))
      let keyEnd = node + 8 + Int(integer(node + 6, 2))
      mark(node..<node + 8, .structure)
      mark(node + 8..<keyEnd, isFreeList || isBranch ? .structure : .key)
      if isBranch {
        walk(low | flags << 32, table: table, isFreeList: isFreeList)
      } else if flags & 0x02 != 0 {
        mark(keyEnd..<keyEnd + 48, .structure)
        let name = String(decoding: bytes[node + 8..<keyEnd], as: UTF8.self)
        walk(Int(bitPattern: UInt(root(keyEnd))), table: name, isFreeList: isFreeList)
      } else if flags & 0x01 != 0 {
        mark(keyEnd..<keyEnd + 8, .structure)
        large(Int(integer(keyEnd, 8)), low, table, node + 8..<keyEnd, isFreeList)
      } else if !isFreeList {
        mark(keyEnd..<keyEnd + low, .value)
        records.append(
          Record(table: table, key: node + 8..<keyEnd, value: keyEnd..<keyEnd + low))
      }
    }
  }

  /// A value in pages of its own.
  private mutating func large(
    _ number: Int, _ length: Int, _ table: String, _ key: Range<Int>, _ isFreeList: Bool
  ) {
    let start = number * pageSize
    let count = (15 + length) / pageSize + 1
    guard start + count * pageSize <= bytes.count else { return }
    live += number..<number + count
    mark(start..<start + count * pageSize, isFreeList ? .structure : .gap)
    mark(start..<start + 16, .structure)
    if isFreeList { return }
    mark(start + 16..<start + 16 + length, .value)
    records.append(Record(table: table, key: key, value: start + 16..<start + 16 + length))
  }
}
