import Foundation
import HearthStorage
import Testing

@Suite struct CopyTests {
  @Test func `a copy is a database of its own, smaller and complete`() throws {
    try withEnvironment { environment, directory in
      for round in 0..<20 as Range<UInt8> {
        try environment.write { transaction in
          for number in 0..<100 as Range<UInt8> {
            try transaction.put([number], [UInt8](repeating: round, count: 500), in: tableB)
          }
        }
      }
      let path = directory.path + "/copy"
      try environment.copy(to: path + "/")
      #expect(!directory.exists("copy.copying"))
      let copy = try Environment.open(
        at: path, options: .testing { $0.createIfMissing = false })
      defer { copy.close() }
      #expect(copy.superblock == environment.superblock)
      #expect(copy.fileStatistics.usedBytes < environment.fileStatistics.usedBytes)
      try copy.read { transaction in
        for number in 0..<100 as Range<UInt8> {
          try #expect(
            transaction.bytes([number], in: tableB) == [UInt8](repeating: 19, count: 500))
        }
      }
      try copy.write { try $0.put(bytes("k"), [], in: tableA) }
      try environment.read { try #expect(!$0.contains(bytes("k"), in: tableA)) }
    }
  }

  @Test func `a copy under load is one committed state`() throws {
    try withEnvironment { environment, directory in
      try environment.write { try $0.put([0], [0], in: tableA) }
      let isDone = Lock(false)
      let failures = Lock<[String]>([])
      inThreads(2) { number in
        defer { isDone.withLock { $0 = true } }
        do {
          if number == 0 {
            var round: UInt8 = 0
            while !isDone.withLock({ $0 }) {
              round &+= 1
              try environment.write { transaction in
                for key in 0..<50 as Range<UInt8> {
                  try transaction.put([key], [round], in: tableA)
                }
              }
            }
          } else {
            for copy in 0..<10 { try environment.copy(to: directory.path + "/copy\(copy)") }
          }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      #expect(failures.withLock { $0 } == [])
      for number in 0..<10 {
        let copy = try Environment.open(
          at: directory.path + "/copy\(number)", options: .testing { $0.createIfMissing = false })
        defer { copy.close() }
        var values: Set<[UInt8]> = []
        try copy.read { transaction in
          try transaction.scan(.all, in: tableA) { _, value in
            values.insert(value.withUnsafeBytes { Array($0) })
            return true
          }
        }
        #expect(values.count == 1)
      }
    }
  }

  @Test func `a copy replaces nothing, and leftovers do not hinder it`() throws {
    try withEnvironment { environment, directory in
      expectError(.targetExists) { try environment.copy(to: directory.database) }
      expectError(.notFound) {
        try environment.copy(to: directory.path + "/missing/copy")
      }
      let leftover = directory.path + "/copy.copying"
      try FileManager.default.createDirectory(atPath: leftover, withIntermediateDirectories: false)
      try Data("torn".utf8).write(to: URL(fileURLWithPath: leftover + "/data.mdb"))
      try environment.copy(to: directory.path + "/copy")
      #expect(directory.exists("copy/data.mdb") && !directory.exists("copy.copying"))
    }
  }
}
