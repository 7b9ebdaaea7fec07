import HearthEncoding
import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// Records and walks of the real tables against a sorted array (LMDB notes, 9.3).
@Suite struct KeyWalkTests {
  private func withStore(
    _ body: (Environment, RecordStore) throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      var options = EnvironmentOptions(
        tableNames: TableName.allCases.map(\.rawValue),
        randomBytes: { Array(repeating: 7, count: $0) }, nowMicroseconds: { 1 })
      options.durability = .none
      let environment = try Environment.open(at: directory + "/db", options: options)
      defer { environment.close() }
      // Every long key with the same prefix collides: all that a hash could tell apart is gone.
      let colliding = LongKey(hashKey: environment.superblock.hashKey) { _ in
        Array(repeating: 9, count: 16)
      }
      try body(environment, RecordStore(environment: environment, longKey: colliding))
      try body(environment, RecordStore(environment: environment))
    }
  }

  /// Keys that share 480 to 520 bytes and differ behind, and short ones around them.
  private func keys(_ generator: inout SeededGenerator) -> [[UInt8]] {
    var keys: Set<[UInt8]> = [[0], [0x61], [0xff], [0xff, 0xff]]
    for _ in 0..<60 {
      let shared = Int.random(in: 480...520, using: &generator)
      var key = [UInt8](repeating: 0x61, count: shared)
      if generator.oneIn(5) { key[Int.random(in: 0..<shared, using: &generator)] = 0x62 }
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        key.append([0, 1, 0x61, 0xff].randomElement(using: &generator) ?? 0)
      }
      keys.insert(key)
    }
    return Array(keys)
  }

  private func walk(
    _ edge: [UInt8], _ descending: Bool, _ environment: Environment, _ store: RecordStore
  ) throws -> [[UInt8]] {
    try environment.read { transaction in
      try transaction.withCursor(in: store.entries) { cursor in
        var walk = KeyWalk(store: store, table: store.entries, descending: descending)
        var found: [[UInt8]] = []
        var more = try walk.seek(edge, &cursor)
        while more {
          let payload = try walk.payload(cursor)
          #expect(payload == Array(walk.key.suffix(3)))
          found.append(walk.key)
          more = try walk.step(&cursor)
        }
        return found
      }
    }
  }

  @Test func `walks from every edge in both directions give the sorted keys`() async throws {
    var generator = SeededGenerator(seed: testSeed("keyWalk"))
    for _ in 0..<(2 * soakFactor) {
      try await withStore { environment, store in
        let all = keys(&generator)
        var present: [[UInt8]] = []
        try environment.write { transaction in
          for key in all.shuffled(using: &generator) {
            try store.put(key, Array(key.suffix(3)), in: store.entries, transaction)
          }
          // Deletes leave holes among colliding keys.
          for key in all {
            if generator.oneIn(3) {
              #expect(try store.delete(key, in: store.entries, transaction))
              #expect(try !store.delete(key, in: store.entries, transaction))
            } else {
              present.append(key)
            }
          }
        }
        present.sort(by: bytesLess)
        try environment.read { transaction in
          for key in all {
            let isPresent = present.contains(key)
            #expect(try store.contains(key, in: store.entries, transaction) == isPresent)
            let payload = try store.get(key, in: store.entries, transaction)
            #expect(payload == (isPresent ? Array(key.suffix(3)) : nil))
          }
        }
        let edges = all + all.map { $0 + [0] } + all.map { Array($0.dropLast()) }
        for edge in edges where !edge.isEmpty {
          #expect(
            try walk(edge, false, environment, store)
              == present.filter { !bytesLess($0, edge) })
          #expect(
            try walk(edge, true, environment, store)
              == present.filter { bytesLess($0, edge) }.reversed())
        }
        try environment.write { transaction in
          for key in present { try store.delete(key, in: store.entries, transaction) }
        }
        #expect(try walk([0], false, environment, store) == [])
      }
    }
  }

  @Test func `walks that share a cursor and seek again and again find what a sorted array does`()
    async throws
  {
    var generator = SeededGenerator(seed: testSeed("sharedCursor"))
    for _ in 0..<(4 * soakFactor) {
      try await withStore { environment, store in
        let present = keys(&generator).sorted(by: bytesLess)
        try environment.write { transaction in
          for key in present {
            try store.put(key, Array(key.suffix(3)), in: store.entries, transaction)
          }
        }
        try environment.read { transaction in
          try transaction.withCursor(in: store.entries) { cursor in
            var walks = [false, true, false, true].map { descending in
              (
                walk: KeyWalk(store: store, table: store.entries, descending: descending),
                descending: descending, rest: [[UInt8]]()
              )
            }
            var last: Int?
            for _ in 0..<600 {
              let number = Int.random(in: 0..<walks.count, using: &generator)
              let found: Bool
              // Only who moved the cursor last may step.
              if last == number, !walks[number].rest.isEmpty, !generator.oneIn(3) {
                walks[number].rest.removeFirst()
                found = try walks[number].walk.step(&cursor)
              } else {
                let edge =
                  (present.randomElement(using: &generator) ?? [0])
                  + (generator.oneIn(2) ? [] : [0])
                walks[number].rest =
                  walks[number].descending
                  ? present.filter { bytesLess($0, edge) }.reversed()
                  : present.filter { !bytesLess($0, edge) }
                found = try walks[number].walk.seek(edge, &cursor)
              }
              last = number
              #expect(found == !walks[number].rest.isEmpty)
              guard found, let key = walks[number].rest.first else { continue }
              #expect(walks[number].walk.key == key)
              #expect(try walks[number].walk.payload(cursor) == Array(key.suffix(3)))
            }
          }
        }
        try environment.write { transaction in
          for key in present { try store.delete(key, in: store.entries, transaction) }
        }
      }
    }
  }

  @Test func `writing a key again replaces its record, whatever was deleted before it`()
    async throws
  {
    try await withStore { environment, store in
      let stem = [UInt8](repeating: 0x61, count: 500)
      let keys = (0..<5 as Range<UInt8>).map { stem + [$0] }
      try environment.write { transaction in
        for key in keys { try store.put(key, [1, 2, 3], in: store.entries, transaction) }
        for gone in [1, 2] { try store.delete(keys[gone], in: store.entries, transaction) }
        // A hole in front of a key must not make it twice.
        for key in keys[3...] {
          #expect(try store.get(key, in: store.entries, transaction) == [1, 2, 3])
          try store.put(key, Array(key.suffix(3)), in: store.entries, transaction)
        }
        try store.put(keys[0], Array(keys[0].suffix(3)), in: store.entries, transaction)
      }
      #expect(try walk([0], false, environment, store) == [keys[0], keys[3], keys[4]])
      try environment.write { transaction in
        for key in keys { try store.delete(key, in: store.entries, transaction) }
      }
      #expect(try walk([0], false, environment, store) == [])
    }
  }
}
