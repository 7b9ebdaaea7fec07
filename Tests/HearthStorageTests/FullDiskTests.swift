import Foundation
import HearthStorage
import Testing

/// A disk of its own for each test: a small file system in memory, which only root may mount.
@Suite struct FullDiskTests {
  private func withSmallDisk(_ body: (_ path: String) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    let mounting = try run(
      "mount", ["-t", "tmpfs", "-o", "size=3m,mode=0700", "none", directory.path])
    guard mounting == 0 else {
      print("full disk: skipped, since only root can mount a small disk")
      return
    }
    defer { _ = try? run("umount", ["-l", directory.path]) }
    try body(directory.path)
  }

  private func open(_ path: String) throws(StorageError) -> Environment {
    try Environment.open(at: path, options: .testing { $0.durability = .durable })
  }

  private func run(_ tool: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// LMDB reports a write that the disk took in part as EIO, which was taken for a broken device:
  /// all writing stopped until the database was opened again.
  @Test func `a full disk is an error that ends when there is room again`() throws {
    try withSmallDisk { disk in
      let environment = try open(disk + "/db")
      defer { environment.close() }
      let table = environment.table("a")
      let ballast = disk + "/ballast"
      try Data(count: 1 << 20).write(to: URL(filePath: ballast))
      let value = [UInt8](repeating: 1, count: 50_000)
      var refused: StorageError?
      for number in 0..<200 where refused == nil {
        do {
          try environment.write { try $0.put([1, UInt8(number)], value, in: table) }
        } catch let error as StorageError {
          refused = error
        }
      }
      #expect(refused?.kind == .diskFull)
      #expect(environment.writesStopped == nil)
      let present = try environment.read { try $0.contains([1, 0], in: table) }
      #expect(present)
      try FileManager.default.removeItem(atPath: ballast)
      try environment.write { try $0.put([2], value, in: table) }
    }
  }

  /// LMDB's lock file was a hole in a full disk, and writing to it through its map ended the process.
  @Test func `opening on a full disk is an error`() throws {
    try withSmallDisk { disk in
      try open(disk + "/db").close()
      try FileManager.default.removeItem(atPath: disk + "/db/lock.mdb")
      let rest = URL(filePath: disk + "/rest")
      #expect(FileManager.default.createFile(atPath: rest.path, contents: nil))
      let file = try FileHandle(forWritingTo: rest)
      while (try? file.write(contentsOf: Data(count: 4096))) != nil {}
      try file.close()
      expectError(.diskFull) { _ = try open(disk + "/db") }
      try FileManager.default.removeItem(at: rest)
      try open(disk + "/db").close()
    }
  }

  @Test func `a copy that fills the disk leaves nothing, and compaction the database`() throws {
    try withSmallDisk { disk in
      let environment = try open(disk + "/db")
      let table = environment.table("a")
      for number in 0..<36 as Range<UInt8> {
        try environment.write {
          try $0.put([number], [UInt8](repeating: 1, count: 50_000), in: table)
        }
      }
      for compacting in [true, false] {
        expectError(.diskFull) {
          try environment.copy(to: disk + "/copy", compacting: compacting)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk) == ["db"])
      }
      environment.close()
      expectError(.diskFull) {
        _ = try Environment.compact(
          at: disk + "/db", options: .testing { $0.durability = .durable }
        ) { _ in }
      }
      let again = try open(disk + "/db")
      defer { again.close() }
      #expect(try again.statistics(of: table).entries == 36)
    }
  }
}
