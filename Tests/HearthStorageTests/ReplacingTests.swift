import Foundation
import HearthStorage
import Testing

/// Compaction in place, and databases that are built before they get their name.
@Suite struct ReplacingTests {
  private func options(_ change: (inout EnvironmentOptions) -> Void = { _ in })
    -> EnvironmentOptions
  {
    .testing {
      $0.createIfMissing = false
      change(&$0)
    }
  }

  /// A database most of whose pages are free.
  private func makeSparse(_ path: String) throws {
    let environment = try Environment.open(at: path, options: .testing())
    defer { environment.close() }
    for round in 0..<2 as Range<UInt8> {
      try environment.write { transaction in
        for number in 0..<200 as Range<UInt8> {
          if round == 0 {
            try transaction.put([number], [UInt8](repeating: 7, count: 3000), in: tableA)
          } else if number > 3 {
            try transaction.delete([number], in: tableA)
          }
        }
      }
    }
  }

  private func expectContent(_ path: String) throws {
    let environment = try Environment.open(at: path, options: options())
    defer { environment.close() }
    try environment.read { transaction in
      for number in 0..<4 as Range<UInt8> {
        let value = try transaction.bytes([number], in: tableA)
        #expect(value == [UInt8](repeating: 7, count: 3000))
      }
      let absent = try transaction.contains([4], in: tableA)
      #expect(!absent)
    }
  }

  @Test func `compaction gives free pages back and keeps what is stored`() throws {
    let directory = try TemporaryDirectory()
    try makeSparse(directory.database)
    let sizes = try Environment.compact(at: directory.database, options: options()) { copy in
      let free = try copy.read { transaction in try transaction.freePages() }
      #expect(free == 0)
    }
    #expect(sizes.after < sizes.before / 4)
    #expect(!directory.exists("db/hearth.compacting"))
    try expectContent(directory.database)
  }

  /// The crash is played by copying the directory at the point where it would happen.
  @Test func `a crash during compaction leaves the old file or the new one`() throws {
    let points: [StorageFaults.Point] = [.compactionCopied, .compactionRenamed]
    for point in points {
      let directory = try TemporaryDirectory()
      try makeSparse(directory.database)
      let faults = StorageFaults()
      let crashed = directory.path + "/crashed"
      faults.at(point) { [database = directory.database] in
        try? FileManager.default.createDirectory(
          atPath: crashed, withIntermediateDirectories: false,
          attributes: [.posixPermissions: 0o700])
        for name in ["data.mdb", "hearth.compacting"] {
          try? FileManager.default.copyItem(
            atPath: database + "/" + name, toPath: crashed + "/" + name)
        }
      }
      _ = try Environment.compact(
        at: directory.database, options: options { $0.faults = faults }
      ) { _ in }
      #expect(directory.exists("crashed/hearth.compacting"))
      try expectContent(crashed)
      #expect(!directory.exists("crashed/hearth.compacting"))
    }
  }

  @Test func `a copy that its check refuses changes nothing`() throws {
    struct Refused: Error {}
    let directory = try TemporaryDirectory()
    try makeSparse(directory.database)
    #expect(throws: Refused.self) {
      _ = try Environment.compact(at: directory.database, options: options()) { _ in
        throw Refused()
      }
    }
    #expect(!directory.exists("db/hearth.compacting"))
    try expectContent(directory.database)
    let environment = try Environment.open(at: directory.database, options: options())
    defer { environment.close() }
    #expect(throws: Refused.self) {
      try environment.copy(to: directory.path + "/copy", checking: { _ in throw Refused() })
    }
    #expect(!directory.exists("copy") && !directory.exists("copy.copying"))
    // An open database is not compacted.
    expectError(.alreadyOpen) {
      _ = try Environment.compact(at: directory.database, options: options()) { _ in }
    }
  }

  @Test func `a cancelled copy leaves nothing`() throws {
    try withEnvironment { environment, directory in
      try environment.write { try $0.put([1], [1], in: tableA) }
      let before = CopyCancellation()
      before.cancel()
      expectError(.cancelled) {
        try environment.copy(to: directory.path + "/copy", cancellation: before)
      }
      let during = CopyCancellation()
      expectError(.cancelled) {
        try environment.copy(
          to: directory.path + "/copy", compacting: false, cancellation: during,
          checking: { _ in during.cancel() })
      }
      #expect(!directory.exists("copy") && !directory.exists("copy.copying"))
      try environment.copy(to: directory.path + "/copy", compacting: false)
      #expect(directory.exists("copy/data.mdb"))
    }
  }

  /// The copy is cut off in the middle of LMDB's own writing.
  @Test func `a copy can be cancelled while LMDB writes it`() throws {
    try withEnvironment { environment, directory in
      for number in 0..<64 as Range<UInt8> {
        try environment.write {
          try $0.put([number], [UInt8](repeating: 1, count: 1 << 20), in: tableA)
        }
      }
      let staging = directory.path + "/copy.copying/data.mdb"
      let cancellation = CopyCancellation()
      let outcome = Lock<StorageError?>(nil)
      inThreads(2) { number in
        if number == 0 {
          do {
            try environment.copy(to: directory.path + "/copy", cancellation: cancellation)
          } catch {
            outcome.withLock { $0 = error as? StorageError }
          }
        } else {
          for _ in 0..<5000 where !FileManager.default.fileExists(atPath: staging) {
            usleep(100)
          }
          cancellation.cancel()
        }
      }
      #expect(outcome.withLock { $0?.kind } == .cancelled)
      #expect(!directory.exists("copy") && !directory.exists("copy.copying"))
      try environment.write { try $0.put([1], [2], in: tableA) }
    }
  }

  @Test func `a built database appears when it is complete`() throws {
    struct Failed: Error {}
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.path + "/db.importing", withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    try Data("torn".utf8).write(to: URL(filePath: directory.path + "/db.importing/data.mdb"))
    #expect(throws: Failed.self) {
      try Environment.build(at: directory.database, options: .testing()) { environment in
        try environment.write { try $0.put([9], [9], in: tableA) }
        throw Failed()
      }
    }
    #expect(!directory.exists("db") && !directory.exists("db.importing"))
    try Environment.build(at: directory.database, options: .testing()) { environment in
      try environment.write { try $0.put([1], [1], in: tableA) }
      #expect(!directory.exists("db"))
      // Meanwhile nobody else builds the same.
      expectError(.databaseInUse) {
        try Environment.build(at: directory.database, options: .testing()) { _ in }
      }
    }
    #expect(directory.exists("db/data.mdb") && !directory.exists("db.importing"))
    let environment = try Environment.open(at: directory.database, options: options())
    let found = try environment.read { try $0.bytes([1], in: tableA) }
    environment.close()
    #expect(found == [1])
    expectError(.targetExists) {
      try Environment.build(at: directory.database, options: .testing()) { _ in }
    }
  }

  @Test func `BR-124: a held read shows as the oldest, and the file grows until it ends`() throws {
    try withEnvironment { environment, _ in
      @Sendable func overwrite() throws {
        for number in 0..<200 {
          try environment.write {
            try $0.put([UInt8(number % 10)], [UInt8](repeating: 1, count: 900), in: tableA)
          }
        }
      }
      try overwrite()
      let calm = environment.fileStatistics.usedBytes
      try overwrite()
      let quiet = try environment.activeReaders()
      #expect(quiet.count == 0 && quiet.oldestLag == 0)
      #expect(environment.fileStatistics.usedBytes <= calm + 64 << 10)
      let reading = Lock(false)
      let written = Lock(false)
      inThreads(2) { number in
        do {
          if number == 0 {
            try environment.read { _ in
              reading.withLock { $0 = true }
              while !written.withLock({ $0 }) { usleep(200) }
            }
          } else {
            while !reading.withLock({ $0 }) { usleep(200) }
            defer { written.withLock { $0 = true } }
            try overwrite()
            let held = try environment.activeReaders()
            #expect(held.count == 1 && held.oldestLag == 200)
          }
        } catch {
          Issue.record(error)
        }
      }
      let grown = environment.fileStatistics.usedBytes
      #expect(grown > calm + 512 << 10)
      // Once the read has ended, the file grows no more.
      try overwrite()
      try overwrite()
      #expect(environment.fileStatistics.usedBytes <= grown + 64 << 10)
      let free = try environment.read { try $0.freePages() }
      #expect(free > 100)
    }
  }
}
