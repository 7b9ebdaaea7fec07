import Foundation
import HearthStorage
import Testing

/// Room that is kept for deletes (the notes on LMDB, 7.3).
@Suite struct BallastTests {
  private func size(_ directory: TemporaryDirectory) throws -> Int? {
    let path = directory.database + "/reserve"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
  }

  private func options(_ durability: StorageDurability) -> EnvironmentOptions {
    .testing {
      $0.durability = durability
      $0.ballastBytes = 1 << 20
    }
  }

  @Test func `room on the disk is kept, given away once, and kept again`() throws {
    try withEnvironment(options(.durable)) { environment, directory in
      let size1 = try size(directory)
      #expect(size1 == 1 << 20)
      #expect(environment.openReserve(for: .disk))
      let size2 = try size(directory)
      #expect(size2 == nil)
      #expect(!environment.openReserve(for: .disk))
      #expect(environment.restoreReserve())
      let size3 = try size(directory)
      #expect(size3 == 1 << 20)
      // A file that was cut is made whole again.
      let handle = FileHandle(forWritingAtPath: directory.database + "/reserve")
      try handle?.truncate(atOffset: 5)
      #expect(environment.restoreReserve())
      let size4 = try size(directory)
      #expect(size4 == 1 << 20)
    }
  }

  @Test func `where commits are not flushed nothing is kept`() throws {
    try withEnvironment(options(.none)) { environment, directory in
      let size5 = try size(directory)
      #expect(size5 == nil)
      #expect(!environment.openReserve(for: .disk))
      #expect(environment.restoreReserve())
    }
  }

  @Test func `the map stops below its ceiling, and the rest is for deletes`() throws {
    let options = EnvironmentOptions.testing(mapSize: 1 << 20) { $0.sizeCeiling = 8 << 20 }
    try withEnvironment(options) { environment, _ in
      let ordinary = 7 << 20
      try environment.growMap()
      #expect(environment.fileStatistics.mapSize == ordinary)
      #expect(throws: StorageError.self) { try environment.growMap() }
      let hasRoom = try environment.hasRoom(beyond: .map)
      #expect(hasRoom)
      #expect(environment.openReserve(for: .map))
      #expect(environment.fileStatistics.mapSize == 8 << 20)
      #expect(!environment.openReserve(for: .map))
    }
    let tooSmall = EnvironmentOptions.testing { $0.sizeCeiling = 1 << 20 }
    expectError(.invalidArgument) { try withEnvironment(tooSmall) { _, _ in } }
  }
}
