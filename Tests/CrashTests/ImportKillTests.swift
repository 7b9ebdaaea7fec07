import Foundation
import Hearth
import HearthTestSupport
import Testing

/// Kills a process that imports or compacts; what it leaves must be usable.
@Suite(.serialized) struct ImportKillTests {
  private static let documents = 4000

  private func makeExport(_ directory: String) async throws -> String {
    let file = directory + "/export.ndjson"
    try await withDatabase(at: directory + "/source") { database in
      for start in stride(from: 0, to: Self.documents, by: 500) {
        let batch = database.batch()
        for number in start..<start + 500 {
          batch.setData(
            ["n": number, "text": "number \(number)"],
            forDocument: database.document("things/t\(number)/parts/p"))
        }
        try await batch.commit()
      }
      let report = try await database.export(to: URL(filePath: file))
      #expect(report.documents == Self.documents)
    }
    return file
  }

  /// Starts the child and kills it after so many bytes of its reports; false if it ended by itself.
  private func kill(after bytes: Int, _ arguments: [String]) throws -> Bool {
    let executable = try #require(builtProduct("HearthCrashChild"))
    let child = try ChildProcess(executable, arguments, silent: true)
    var seen = 0
    while seen < bytes {
      let deadline = DispatchTime.now().uptimeNanoseconds + 1_000_000_000
      guard let more = child.read(until: deadline) else { break }
      seen += more.count
    }
    child.kill()
    return child.wait() == .signal(9)
  }

  private func count(_ path: String) async throws -> Int {
    try await withDatabase(at: path) { database in
      let report = try await database.verify()
      #expect(report.findings == [])
      return report.documents
    }
  }

  @Test func `an import that is killed leaves no database, and can be repeated`() async throws {
    try await withTemporaryDirectory { directory in
      let file = try await makeExport(directory)
      let target = directory + "/target"
      var kills = 0
      for records in [0, 1, 2, 4, 7, 9] {
        guard try kill(after: 16 * records, ["import", target, file]) else { break }
        kills += 1
        #expect(!FileManager.default.fileExists(atPath: target + "/data.mdb"))
      }
      #expect(kills >= 4)
      if !FileManager.default.fileExists(atPath: target) {
        try await Firestore.importDatabase(at: URL(filePath: target), from: URL(filePath: file))
      }
      #expect(!FileManager.default.fileExists(atPath: target + ".importing"))
      #expect(try await count(target) == Self.documents)
    }
  }

  /// A million documents with `HEARTH_SOAK=100`; the bound is the same.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status"), "needs Linux"))
  func `BR-127, BR-137: the memory of an import does not depend on its length`() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory + "/objects.ndjson"
      try writeObjects(file, documents: 10_000 * soakFactor)
      let executable = try #require(builtProduct("HearthCrashChild"))
      let child = try ChildProcess(executable, ["measure", directory + "/db", file])
      let reports = try await blocking { child.readToEnd() }
      #expect(child.wait() == .exit(0))
      let kibibytes = stride(from: 0, to: reports.count / 16 * 16, by: 16).map { start in
        reports[start + 8..<start + 16].reversed().reduce(0) { $0 << 8 | Int($1) }
      }
      #expect(kibibytes.count >= 20)
      #expect((kibibytes.max() ?? .max) < 300 << 10)
    }
  }

  /// Plain objects with a kilobyte each.
  private func writeObjects(_ file: String, documents: Int) throws {
    _ = FileManager.default.createFile(atPath: file, contents: nil)
    let handle = try #require(FileHandle(forWritingAtPath: file))
    let text = String(repeating: "x", count: 1000)
    for start in stride(from: 0, to: documents, by: 1000) {
      let lines = (start..<start + 1000).map { "{\"id\":\($0),\"text\":\"\(text)\"}\n" }
      try handle.write(contentsOf: Data(lines.joined().utf8))
    }
    try handle.close()
  }

  @Test func `a merge that is killed leaves whole commits, and can be repeated`() async throws {
    try await withTemporaryDirectory { directory in
      let file = try await makeExport(directory)
      let target = directory + "/target"
      try await withDatabase(at: target) {
        try await $0.document("things/own").setData(["n": 0])
      }
      var found: [Int] = []
      for records in [2, 3, 5] {
        guard try kill(after: 16 * records, ["merge", target, file]) else { break }
        let documents = try await count(target)
        #expect((documents - 1) % 500 == 0)
        found.append(documents)
      }
      #expect(found.contains { $0 > 1 && $0 <= Self.documents })
      _ = try await withDatabase(at: target) {
        try await $0.import(from: URL(filePath: file), merge: true)
      }
      #expect(try await count(target) == Self.documents + 1)
    }
  }

  @Test func `a compaction that is killed leaves the database as it was`() async throws {
    try await withTemporaryDirectory { directory in
      let file = try await makeExport(directory)
      let target = directory + "/target"
      try await Firestore.importDatabase(at: URL(filePath: target), from: URL(filePath: file))
      for records in 0..<8 {
        #expect(try kill(after: 16 * records, ["compact", target]))
        #expect(try await count(target) == Self.documents)
        #expect(!FileManager.default.fileExists(atPath: target + "/hearth.compacting"))
      }
    }
  }
}
