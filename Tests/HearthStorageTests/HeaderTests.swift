import Foundation
import HearthStorage
import Testing

/// Damage to the file that must be found before LMDB trusts it.
@Suite struct HeaderTests {
  private func withFile(
    _ damage: (inout Data) -> Void, expecting kind: StorageError.Kind?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let directory = try TemporaryDirectory()
    let environment = try Environment.open(at: directory.database, options: .testing())
    for number in 0..<3 as Range<UInt8> {
      try environment.write { try $0.put([number + 1], [number], in: tableA) }
    }
    environment.close()
    let url = URL(fileURLWithPath: directory.database + "/data.mdb")
    var data = try Data(contentsOf: url)
    damage(&data)
    try data.write(to: url)
    guard let kind else {
      let environment = try Environment.open(at: directory.database, options: .testing())
      return environment.close()
    }
    expectError(kind, sourceLocation: sourceLocation) {
      _ = try Environment.open(at: directory.database, options: .testing())
    }
    // The failed opening released everything: the same answer, not "in use" or "already open".
    expectError(kind, sourceLocation: sourceLocation) {
      _ = try Environment.open(at: directory.database, options: .testing())
    }
  }

  private static let page = Int(getpagesize())

  /// Where the newer of the two meta pages begins.
  private func newer(_ data: Data) -> Int {
    func transaction(_ start: Int) -> [UInt8] { Array(data[start + 144..<start + 152].reversed()) }
    return transaction(0).lexicographicallyPrecedes(transaction(Self.page)) ? Self.page : 0
  }

  @Test func `an undamaged file opens`() throws {
    try withFile({ _ in }, expecting: nil)
  }

  /// A flipped bit in a header's transaction number undid the last commit, and nobody noticed.
  @Test func `headers that do not belong together are refused`() throws {
    let older = { (data: Data) in Self.page - self.newer(data) }
    try withFile({ $0[self.newer($0) + 144] ^= 0x40 }, expecting: .badHeader)
    try withFile({ $0[self.newer($0) + 144] = 0 }, expecting: .badHeader)
    try withFile({ $0[older($0) + 144] ^= 0x40 }, expecting: .badHeader)
    try withFile({ $0[older($0) + 151] ^= 0x80 }, expecting: .badHeader)
  }

  @Test(arguments: [0, 100, 4095, 4096, 8191])
  func `a file without two pages is refused`(length: Int) throws {
    try withFile({ $0 = $0.prefix(length) }, expecting: .badHeader)
  }

  @Test func `a file cut below its roots is refused`() throws {
    try withFile({ $0 = $0.prefix(2 * Self.page) }, expecting: .badHeader)
    try withFile({ $0 = $0.prefix(3 * Self.page) }, expecting: .badHeader)
  }

  @Test func `a file is refused wherever it is cut, and opens when only free pages are missing`()
    throws
  {
    let directory = try TemporaryDirectory()
    let environment = try Environment.open(at: directory.database, options: .testing())
    for number in 0..<100 as Range<UInt8> {
      let value = [UInt8](repeating: number, count: number % 10 == 0 ? 9000 : 500)
      try environment.write { try $0.put([number], value, in: tableA) }
    }
    // What a transaction takes at the end and gives back is never written.
    try environment.write { transaction in
      for number in 0..<250 as Range<UInt8> {
        try transaction.put([0, number], [UInt8](repeating: 0, count: 9000), in: tableB)
      }
      for number in 0..<250 as Range<UInt8> { try transaction.delete([0, number], in: tableB) }
    }
    environment.close()
    let url = URL(fileURLWithPath: directory.database + "/data.mdb")
    let sound = try Data(contentsOf: url)
    let last = Array(sound[newer(sound)...])[136..<144].reversed().reduce(0) { $0 << 8 | Int($1) }
    #expect(sound.count < (last + 1) * Self.page)
    var refused = 0
    for pages in 3...sound.count / Self.page {
      try sound.prefix(pages * Self.page).write(to: url)
      do {
        let environment = try Environment.open(at: directory.database, options: .testing())
        defer { environment.close() }
        // What opens can be read to the end: a missing page would end the process here.
        try environment.read { transaction in
          for number in 0..<100 as Range<UInt8> {
            let value = try transaction.bytes([number], in: tableA)
            #expect(value?.count == (number % 10 == 0 ? 9000 : 500))
          }
        }
      } catch let error as StorageError {
        #expect(error.kind == .badHeader)
        refused += 1
      }
    }
    #expect(refused > 10)
  }

  @Test func `a damaged magic number is refused in either header`() throws {
    try withFile({ $0[16] ^= 1 }, expecting: .badHeader)
    try withFile({ $0[Self.page + 16] ^= 1 }, expecting: .badHeader)
    try withFile({ $0[10] ^= 8 }, expecting: .badHeader)
    try withFile({ $0 = Data(repeating: 0, count: $0.count) }, expecting: .badHeader)
  }

  @Test func `another version of LMDB's format is named as such`() throws {
    try withFile({ $0[20] = 3 }, expecting: .formatVersion)
  }

  @Test func `a page size that cannot be is refused`() throws {
    for size in [0, 1, 256, 4097, 65536] as [UInt32] {
      try withFile(
        { data in
          withUnsafeBytes(of: size) { data.replaceSubrange(40..<44, with: $0) }
        }, expecting: .badHeader)
    }
    // The first header decides where the second is looked for.
    try withFile({ $0[Self.page + 41] = 0x20 }, expecting: .badHeader)
  }

  @Test func `roots, depths and flags of the newer header are checked`() throws {
    for offset in [80 + 3, 128 + 3, 46 + 1, 94 + 1, 92, 44] {
      try withFile({ $0[newer($0) + offset] ^= 0x40 }, expecting: .badHeader)
    }
    // The older header may be worn.
    try withFile({ $0[Self.page - newer($0) + 128 + 3] ^= 0x40 }, expecting: nil)
  }

  @Test func `the roots of all tables are checked`() throws {
    /// Every copy of the list of tables is damaged, the live one among them.
    func change(_ data: inout Data, _ offset: Int) {
      var start = data.startIndex
      while let range = data.range(of: Data("hearth".utf8), in: start..<data.endIndex) {
        if data[range.upperBound] != UInt8(ascii: "d") { data[range.upperBound + offset] ^= 0x40 }
        start = range.upperBound
      }
    }
    for offset in [4, 7, 40 + 3] {
      try withFile({ change(&$0, offset) }, expecting: .badHeader)
    }
  }

  @Test func `a superblock that is damaged, foreign or newer is refused`() throws {
    func change(_ data: inout Data, _ offset: Int, _ value: UInt8) {
      var start = data.startIndex
      while let range = data.range(of: Data("hearthdb".utf8), in: start..<data.endIndex) {
        data[range.lowerBound + offset] ^= value
        start = range.upperBound
      }
    }
    try withFile({ change(&$0, 20, 1) }, expecting: .corrupted)
    try withFile({ change(&$0, 11, 3) }, expecting: .formatVersion)
    try withFile({ change(&$0, 0, 1) }, expecting: .notADatabase)
  }
}
