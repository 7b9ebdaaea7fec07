import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// Deleting when the disk is full (the notes on LMDB, 7.3).
@Suite struct RoomTests {
  private let diskFull: Int32 = 28

  private func withFullDisk(
    _ body: (Engine, StorageFaults) async throws -> Void
  ) async throws {
    let faults = StorageFaults()
    try await withEngine { options in
      options.durability = .durable
      options.faults = faults
    } _: { engine in
      try await engine.set("a", ["n": 1])
      try await engine.set("b", ["n": 1])
      try await body(engine, faults)
    }
  }

  @Test func `a delete that finds the disk full is done with the room kept for it`() async throws {
    try await withFullDisk { engine, faults in
      faults.fail(.commit, with: diskFull)
      _ = try await engine.commit([Write(document: doc("a"), operation: .delete)])
      #expect(try engine.get(doc("a")).document?.path == nil)
      #expect(try engine.findings() == [])
    }
  }

  @Test func `another write is refused, harms no delete beside it, and is welcome again later`()
    async throws
  {
    try await withFullDisk { engine, faults in
      faults.fail(.commit, with: diskFull)
      let why = await reason { try await engine.set("c", ["n": 1]) }
      #expect(why == "DISK_FULL")
      // The disk has room in truth, so the reserve is there again before the next group.
      try await engine.set("c", ["n": 2])
      #expect(try engine.ids(query()) == ["a", "b", "c"])
      faults.fail(.commit, with: diskFull)
      async let deleted = reason {
        _ = try await engine.commit([Write(document: doc("a"), operation: .delete)])
      }
      async let written = reason { try await engine.set("d", ["n": 1]) }
      let outcomes = await [deleted, written]
      // In one group or in two: the delete is done, whichever of the commits failed.
      #expect(outcomes[0] == "no error")
      let ids = try engine.ids(query())
      #expect(ids == (outcomes[1] == "DISK_FULL" ? ["b", "c"] : ["b", "c", "d"]))
    }
  }
}
