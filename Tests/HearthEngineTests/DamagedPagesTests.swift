import Foundation
import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// Damage to LMDB's own pages, which carry no checksums: `verify` must name what it does.
@Suite struct DamagedPagesTests {
  /// The pages of a compact file, in which every page is in use, once.
  private struct File {
    var bytes: [UInt8]
    let pageSize: Int

    func integer(_ offset: Int, _ count: Int) -> Int {
      (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
    }

    /// Pages of trees: branches have the flag 1, leaves 2.
    func pages(flag: Int) -> [Int] {
      stride(from: 2 * pageSize, to: bytes.count, by: pageSize).filter {
        integer($0 + 10, 2) == flag
      }
    }

    /// The keys of a page and where they begin.
    func keys(of page: Int) -> [(offset: Int, key: [UInt8])] {
      stride(from: 16, to: integer(page + 12, 2), by: 2).map { pointer in
        let node = page + integer(page + pointer, 2)
        return (node + 8, Array(bytes[node + 8..<node + 8 + integer(node + 6, 2)]))
      }
    }

    /// Whether a key names a document: a collection's number and an id, of letters here.
    static func namesDocument(_ key: [UInt8]) -> Bool {
      key.count == 7 && key[0] == 1 && key[2] == 0x19 && key[3] == UInt8(ascii: "d")
    }

    mutating func swap(_ first: Int, _ second: Int) {
      let (a, b) = (first..<first + pageSize, second..<second + pageSize)
      let content = Array(bytes[a])
      bytes.replaceSubrange(a, with: Array(bytes[b]))
      bytes.replaceSubrange(b, with: content)
    }
  }

  /// What `verify` finds in a database of 300 documents after a damage, and what a query of all and
  /// 300 lookups see.
  private func after(
    _ damage: (inout File) throws -> Void
  ) async throws -> (findings: [String], ids: [String], found: Int) {
    try await withTemporaryDirectory { directory in
      let path = directory + "/db"
      let ids = (100..<400).map { "d\($0)" }
      let engine = try Engine.open(.test(path: path))
      for id in ids { try await engine.set(id, ["n": .string(String(repeating: id, count: 20))]) }
      await engine.close()
      _ = try Engine.compact(.test(path: path), HearthEngine.Operation())
      let url = URL(filePath: path + "/data.mdb")
      var file = File(bytes: Array(try Data(contentsOf: url)), pageSize: Int(getpagesize()))
      try damage(&file)
      try Data(file.bytes).write(to: url)
      let damaged = try Engine.open(.test(path: path))
      let seen = try damaged.run(StructuredQuery(try CollectionPath("r"))).documents.map(\.path.id)
      let found = try ids.count { try damaged.get(DocumentPath("r/\($0)")).document != nil }
      let findings = try damaged.findings()
      await damaged.close()
      return (findings, seen, found)
    }
  }

  @Test func `an undamaged file has no findings`() async throws {
    let (findings, ids, found) = try await after { _ in }
    #expect(findings == [] && ids.count == 300 && found == 300)
  }

  @Test func `documents on pages that changed places are out of order`() async throws {
    let (findings, ids, _) = try await after { file in
      let leaves = file.pages(flag: 2).filter { page in
        file.keys(of: page).first.map { File.namesDocument($0.key) } == true
      }
      try #require(leaves.count > 3)
      file.swap(leaves[1], leaves[2])
    }
    #expect(ids != ids.sorted())
    #expect(findings.contains { $0.contains("is out of order") }, "\(findings)")
  }

  /// A query of all showed them, so their entries were found, and `verify` had nothing to say.
  @Test func `documents that a damaged branch hides from lookups are named`() async throws {
    let (findings, ids, found) = try await after { file in
      let nodes = file.pages(flag: 1).flatMap { file.keys(of: $0) }
        .filter { File.namesDocument($0.key) }
      let node = try #require(nodes.dropFirst().first)
      // Lookups of what is below the true key and not below this one go to the wrong page.
      file.bytes[node.offset + 4] = UInt8(ascii: "0")
    }
    #expect(ids.count == 300)
    #expect(found < 300)
    #expect(findings.contains { $0.contains("not found where it is looked up") }, "\(findings)")
  }
}
