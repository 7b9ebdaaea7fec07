import Foundation
import HearthStorage
import Testing

@Suite struct MapGrowthTests {
  @Test func `a full map says so, loses nothing, and takes more after growing`() throws {
    let options = EnvironmentOptions.testing(mapSize: 1 << 20) { $0.mapGrowth = 1 << 20 }
    try withEnvironment(options) { environment, _ in
      try environment.write { try $0.put(bytes("kept"), bytes("v"), in: tableA) }
      func fill() throws {
        try environment.write { transaction in
          for number in 0..<100 as Range<UInt8> {
            try transaction.put([1, number], [UInt8](repeating: 1, count: 16000), in: tableA)
          }
        }
      }
      expectError(.mapFull) { try fill() }
      #expect(environment.writesStopped == nil)
      try environment.read { transaction in
        try #expect(transaction.contains(bytes("kept"), in: tableA))
        try #expect(!transaction.contains([1, 0], in: tableA))
      }
      try environment.growMap()
      #expect(environment.fileStatistics.mapSize == 2 << 20)
      try fill()
      try #expect(environment.statistics(of: tableA).entries == 101)
    }
  }

  @Test func `a map that is smaller than the file is no hindrance to opening`() throws {
    let directory = try TemporaryDirectory()
    let first = try Environment.open(at: directory.database, options: .testing())
    try first.write { try $0.put(bytes("k"), [UInt8](repeating: 1, count: 4 << 20), in: tableA) }
    first.close()
    let second = try Environment.open(
      at: directory.database, options: .testing(mapSize: 1 << 20))
    defer { second.close() }
    try second.read { try #expect($0.get(bytes("k"), in: tableA) { $0.byteCount } == 4 << 20) }
  }

  @Test func `a map that the system refuses is halved until it fits`() throws {
    // 64 PiB is beyond the address space of every processor.
    try withEnvironment(.testing(mapSize: 1 << 56)) { environment, _ in
      #expect(environment.fileStatistics.mapSize >= 1 << 30)
      #expect(environment.fileStatistics.mapSize < 1 << 56)
    }
  }

  @Test func `the map cannot grow beyond what the system allows, and stays as it was`() throws {
    try withEnvironment(.testing { $0.mapGrowth = 1 << 60 }) { environment, _ in
      expectError(.mapFull) { try environment.growMap() }
      #expect(environment.fileStatistics.mapSize == 1 << 30)
      #expect(environment.writesStopped == nil)
      try environment.write { try $0.put(bytes("k"), [], in: tableA) }
    }
  }

  @Test func `BR-118: the map grows under eight readers`() throws {
    let isLong = ProcessInfo.processInfo.environment["HEARTH_LONG_TESTS"] != nil
    let goal = (isLong ? 256 : 32) << 20
    let options = EnvironmentOptions.testing(mapSize: 1 << 20) { $0.mapGrowth = 1 << 20 }
    try withEnvironment(options) { environment, _ in
      let value = [UInt8](repeating: 7, count: 3000)
      try environment.write { try $0.put([0], value, in: tableA) }
      let isDone = Lock(false)
      let failures = Lock<[String]>([])
      inThreads(9) { number in
        do {
          if number < 8 {
            var generator = SplitMix(state: UInt64(number))
            while !isDone.withLock({ $0 }) {
              try environment.read { transaction in
                var count = 0
                let start = [UInt8.random(in: 0...200, using: &generator)]
                try transaction.scan(KeyRange(lower: start, upper: nil), in: tableA) { _, found in
                  count += 1
                  if found.withUnsafeBytes({ $0.count != 3000 || $0[0] != 7 || $0[2999] != 7 }) {
                    failures.withLock { $0.append("a reader saw other bytes") }
                  }
                  return count < 50
                }
              }
            }
          } else {
            defer { isDone.withLock { $0 = true } }
            var written = 0
            while environment.fileStatistics.mapSize < goal {
              do {
                try environment.write { transaction in
                  for offset in 0..<100 {
                    let key = written + offset
                    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: key >> $0) }
                    try transaction.put([UInt8(key % 200)] + bytes, value, in: tableA)
                  }
                }
                written += 100
              } catch let error as StorageError where error.kind == .mapFull {
                try environment.growMap()
              }
            }
          }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      #expect(failures.withLock { $0 } == [])
    }
  }
}
