import HearthStorage
import Testing

@Suite struct CursorTests {
  private func withKeys(
    _ keys: [String], _ body: (borrowing ReadTransaction) throws -> Void
  ) throws {
    try withEnvironment { environment, _ in
      try environment.write { transaction in
        for key in keys { try transaction.put(bytes(key), bytes("v" + key), in: tableA) }
      }
      try environment.read(body)
    }
  }

  @Test func `an empty table has no place for a cursor`() throws {
    try withKeys([]) { transaction in
      try transaction.withCursor(in: tableA) { cursor in
        try #expect(!cursor.next())
        try #expect(!cursor.first())
        try #expect(!cursor.seekLast())
        try #expect(!cursor.seek(bytes("k")))
        try #expect(!cursor.seekBefore(bytes("k")))
        #expect(cursor.keyBytes() == [])
        #expect(cursor.withEntry { $0.byteCount + $1.byteCount } == 0)
      }
    }
  }

  @Test func `seeks find the neighbours of a key`() throws {
    try withKeys(["b", "d"]) { transaction in
      try transaction.withCursor(in: tableA) { cursor in
        try #expect(cursor.seek(bytes("b")) && cursor.keyBytes() == bytes("b"))
        try #expect(cursor.seek(bytes("c")) && cursor.keyBytes() == bytes("d"))
        try #expect(!cursor.seek(bytes("e")))
        try #expect(cursor.seek([]) && cursor.keyBytes() == bytes("b"))
        try #expect(cursor.seekBefore(bytes("d")) && cursor.keyBytes() == bytes("b"))
        try #expect(cursor.seekBefore(bytes("e")) && cursor.valueBytes() == bytes("vd"))
        try #expect(!cursor.seekBefore(bytes("b")))
        try #expect(!cursor.seekBefore([]))
        try #expect(cursor.seekLast() && cursor.keyBytes() == bytes("d"))
      }
    }
  }

  @Test func `a new cursor goes to either end, a lost one stays lost until it seeks`() throws {
    try withKeys(["a", "b"]) { transaction in
      try transaction.withCursor(in: tableA) { cursor in
        try #expect(cursor.next() && cursor.keyBytes() == bytes("a"))
        try #expect(cursor.next() && !cursor.next())
        try #expect(!cursor.next() && !cursor.previous())
        #expect(cursor.keyLength == 0)
        try #expect(cursor.first() && cursor.keyBytes() == bytes("a"))
      }
      try transaction.withCursor(in: tableA) { cursor in
        try #expect(cursor.previous() && cursor.keyBytes() == bytes("b"))
        try #expect(cursor.previous() && !cursor.previous() && !cursor.next())
      }
    }
  }

  @Test func `keys compare as unsigned bytes`() throws {
    try withKeys(["bb"]) { transaction in
      try transaction.withCursor(in: tableA) { cursor in
        try #expect(cursor.first())
        #expect(cursor.compareKey(to: bytes("bb")) == 0)
        #expect(cursor.compareKey(to: bytes("b")) == 1)
        #expect(cursor.compareKey(to: bytes("bbb")) == -1)
        #expect(cursor.compareKey(to: [0xFF]) == -1)
        #expect(cursor.compareKey(to: []) == 1)
        #expect(cursor.keyHasPrefix(bytes("b")) && cursor.keyHasPrefix(bytes("bb")))
        #expect(cursor.keyHasPrefix([]) == true)
        #expect(!cursor.keyHasPrefix(bytes("bbb")) && !cursor.keyHasPrefix(bytes("c")))
        #expect(cursor.keyLength == 2 && cursor.valueLength == 3)
      }
    }
  }

  @Test func `a seek with a key that is too long is refused`() throws {
    try withKeys([]) { transaction in
      try transaction.withCursor(in: tableA) { cursor in
        let error = #expect(throws: StorageError.self) {
          _ = try cursor.seek([UInt8](repeating: 1, count: 512))
        }
        #expect(error?.kind == .badKey)
      }
    }
  }

  /// Not a local function: one that captures a borrowed transaction crashes the compiler (6.3.1).
  private func scan(
    _ transaction: borrowing ReadTransaction, _ range: KeyRange, descending: Bool = false,
    limit: Int = 9
  ) throws -> [String] {
    var found: [String] = []
    try transaction.scan(range, in: tableA, descending: descending) { key, _ in
      found.append(key.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
      return found.count < limit
    }
    return found
  }

  @Test func `a scan stops where its range or its caller says`() throws {
    try withKeys(["a", "b", "ba", "bb", "c"]) { transaction in
      try #expect(scan(transaction, .all) == ["a", "b", "ba", "bb", "c"])
      try #expect(scan(transaction, .all, descending: true) == ["c", "bb", "ba", "b", "a"])
      try #expect(scan(transaction, .prefix(bytes("b"))) == ["b", "ba", "bb"])
      try #expect(scan(transaction, .prefix(bytes("b")), descending: true) == ["bb", "ba", "b"])
      try #expect(scan(transaction, .all, limit: 2) == ["a", "b"])
      try #expect(scan(transaction, .all, descending: true, limit: 1) == ["c"])
      try #expect(scan(transaction, KeyRange(lower: bytes("b"), upper: bytes("b"))) == [])
      try #expect(
        scan(transaction, KeyRange(lower: bytes("bc"), upper: bytes("c")), descending: true) == [])
      try #expect(scan(transaction, KeyRange(lower: bytes("d"), upper: nil)) == [])
    }
  }
}

/// Random operations against a sorted dictionary.
@Suite struct TableModelTests {
  /// Keys are short and from few bytes, so that they often meet, are prefixes of each other and hit
  /// the extreme bytes.
  private func randomKey(_ generator: inout SplitMix) -> [UInt8] {
    let alphabet: [UInt8] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF]
    let length =
      Int.random(in: 0..<40, using: &generator) == 0
      ? 511 : Int.random(in: 1...4, using: &generator)
    return (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `a table behaves as a sorted dictionary`(seed: UInt64) throws {
    var generator = SplitMix(state: seed)
    var model: [[UInt8]: [UInt8]] = [:]
    try withEnvironment { environment, _ in
      for _ in 0..<25 {
        var next = model
        do {
          try environment.write { transaction in
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
              let key = randomKey(&generator)
              if Int.random(in: 0..<3, using: &generator) == 0 {
                let removed = try transaction.delete(key, in: tableA)
                #expect(removed == (next.removeValue(forKey: key) != nil), "seed \(seed)")
              } else {
                let size = Int.random(in: 0...6, using: &generator) == 0 ? 5000 : 9
                let value = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
                try transaction.put(key, value, in: tableA)
                next[key] = value
              }
            }
            try compare(transaction, next, &generator, seed)
            if Int.random(in: 0..<4, using: &generator) == 0 { throw CancellationError() }
          }
          model = next
        } catch is CancellationError {
          // Aborted on purpose: the model stays as it was.
        }
        try environment.read { try compare($0, model, &generator, seed) }
        let entries = try environment.statistics(of: tableA).entries
        #expect(entries == model.count, "seed \(seed)")
      }
    }
  }

  private func compare(
    _ reader: borrowing some TableReader & ~Copyable, _ model: [[UInt8]: [UInt8]],
    _ generator: inout SplitMix, _ seed: UInt64
  ) throws {
    let sorted = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
    var found: [[UInt8]] = []
    try reader.scan(.all, in: tableA) { key, value in
      let key = key.withUnsafeBytes { Array($0) }
      #expect(value.withUnsafeBytes { Array($0) } == model[key], "seed \(seed)")
      found.append(key)
      return true
    }
    #expect(found == sorted, "seed \(seed)")
    for _ in 0..<10 {
      let key = randomKey(&generator)
      try #expect(reader.bytes(key, in: tableA) == model[key], "seed \(seed)")
      let range = KeyRange(lower: randomKey(&generator), upper: key)
      let expected = sorted.filter(range.contains)
      for descending in [false, true] {
        var found: [[UInt8]] = []
        try reader.scan(range, in: tableA, descending: descending) { key, _ in
          found.append(key.withUnsafeBytes { Array($0) })
          return true
        }
        #expect(found == (descending ? expected.reversed() : expected), "seed \(seed)")
      }
      try reader.withCursor(in: tableA) { cursor in
        try #expect(
          cursor.seek(key)
            ? cursor.keyBytes() == sorted.first { !$0.lexicographicallyPrecedes(key) }
            : sorted.allSatisfy { $0.lexicographicallyPrecedes(key) }, "seed \(seed)")
        try #expect(
          cursor.seekBefore(key)
            ? cursor.keyBytes() == sorted.last { $0.lexicographicallyPrecedes(key) }
            : !sorted.contains { $0.lexicographicallyPrecedes(key) }, "seed \(seed)")
      }
    }
  }
}

@Suite struct KeyRangeTests {
  @Test func `a prefix range ends before the next prefix`() {
    #expect(KeyRange.prefix([1, 2]) == KeyRange(lower: [1, 2], upper: [1, 3]))
    #expect(KeyRange.prefix([1, 0xFF]) == KeyRange(lower: [1, 0xFF], upper: [2]))
    #expect(KeyRange.prefix([0xFF, 0xFF]) == KeyRange(lower: [0xFF, 0xFF], upper: nil))
    #expect(KeyRange.prefix([]) == .all)
  }

  @Test func `a range is half open`() {
    let range = KeyRange(lower: [1], upper: [2])
    #expect(range.contains([1]) && range.contains([1, 0xFF]))
    #expect(!range.contains([2]) && !range.contains([0]) && !range.contains([]))
    #expect(!range.isEmpty && KeyRange(lower: [2], upper: [2]).isEmpty)
    #expect(!KeyRange.all.isEmpty && KeyRange.all.contains([0xFF]))
  }

  @Test func `an intersection holds what is in both`() {
    let a = KeyRange(lower: [1], upper: [5])
    #expect(a.intersection(.all) == a && KeyRange.all.intersection(a) == a)
    #expect(a.intersection(KeyRange(lower: [3], upper: [9])) == KeyRange(lower: [3], upper: [5]))
    #expect(a.intersection(KeyRange(lower: [7], upper: nil)).isEmpty)
  }
}
