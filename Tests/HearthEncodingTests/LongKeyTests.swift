import HearthEncoding
import HearthModel
import HearthTestSupport
import Testing

struct LongKeyTests {
  private let plain = LongKey(hashKey: Array(repeating: 3, count: 16))
  private let colliding = LongKey(hashKey: []) { _ in Array(repeating: 7, count: 16) }

  @Test func `only keys beyond the prefix are long`() {
    let short = [UInt8](repeating: 1, count: 494)
    #expect(!plain.isLong(short))
    #expect(plain.storedKey(short) == short)
    #expect(LongKey.tail(short).isEmpty)
    let long = short + [9]
    #expect(plain.isLong(long))
    #expect(plain.storedKey(long).count == 511)
    #expect(plain.storedKey(long, probe: 4).last == 4)
    #expect(LongKey.tail(long) == [9])
    #expect(plain.storedKey(long) != plain.storedKey(short + [8]))
    let other = LongKey(hashKey: Array(repeating: 4, count: 16))
    #expect(plain.storedKey(long) != other.storedKey(long))
  }

  @Test func `tail and payload come apart again`() throws {
    for count in [1, 127, 128, 7000] {
      let tail = [UInt8](repeating: 5, count: count)
      for payload: [UInt8] in [[], [1, 2, 3]] {
        let value = LongKey.prependTail(tail[...], to: payload)
        let range = try LongKey.splitTail(value)
        #expect(Array(value[range]) == tail)
        #expect(Array(value[range.upperBound...]) == payload)
      }
    }
    for value: [UInt8] in [[], [0], [1], [0x80], .init(repeating: 0xff, count: 20), [3, 1, 1]] {
      #expect(throws: HearthError.self) { try LongKey.splitTail(value) }
    }
  }

  /// What a table does: stored keys in byte order, collisions probed.
  private func store(_ keys: [[UInt8]], _ longKey: LongKey) throws -> [(
    key: [UInt8], tail: [UInt8]
  )] {
    var table: [[UInt8]: [UInt8]] = [:]
    for full in keys {
      var probe: UInt8 = 0
      let tail = Array(LongKey.tail(full))
      while let present = table[longKey.storedKey(full, probe: probe)], present != tail {
        probe += 1
      }
      table[longKey.storedKey(full, probe: probe)] = tail
    }
    return table.map { (key: $0.key, tail: $0.value) }.sorted { byteOrder($0.key, $1.key) < 0 }
  }

  /// What a reader does: full keys in order, each group of long keys sorted by tail.
  private func read(_ table: [(key: [UInt8], tail: [UInt8])]) -> [[UInt8]] {
    var out: [[UInt8]] = []
    var position = 0
    while position < table.count {
      let key = table[position].key
      guard LongKey.isStoredLong(key.span.bytes) else {
        out.append(key)
        position += 1
        continue
      }
      let prefix = key[..<LongKey.prefixLength]
      var group: [[UInt8]] = []
      while position < table.count, table[position].key.count == LongKey.storedLimit,
        table[position].key[..<LongKey.prefixLength] == prefix
      {
        let (key, tail) = table[position]
        group.append(LongKey.fullKey(stored: key.span.bytes, tail: tail.span.bytes))
        position += 1
      }
      out += group.sorted { byteOrder($0, $1) < 0 }
    }
    return out
  }

  @Test(arguments: [false, true])
  func `stored order with sorted groups is the order of full keys`(collide: Bool) throws {
    var generator = SeededGenerator(seed: testSeed("LongKey order"))
    let longKey = collide ? colliding : plain
    for _ in 0..<(15 * soakFactor) {
      let base = [UInt8](repeating: 0x61, count: 600)
      var keys: Set<[UInt8]> = []
      for _ in 0..<generator.number(1..<20) {
        var key = Array(base[..<generator.number(480..<520)])
        if generator.oneIn(4) { key[generator.number(470..<480)] = 0x60 }
        for _ in 0..<generator.number(0..<4) {
          key.append(UInt8([0, 0x61, 0xff][generator.number(0..<3)]))
        }
        keys.insert(key)
      }
      let ordered = keys.sorted { byteOrder($0, $1) < 0 }
      let table = try store(Array(keys).shuffled(using: &generator), longKey)
      #expect(table.count == keys.count)
      #expect(read(table) == ordered)

      // A seek to the stored prefix of a bound skips nothing that lies inside the bound.
      let bound =
        generator.oneIn(2)
        ? ordered[generator.number(0..<ordered.count)]
        : Array(base[..<generator.number(480..<520)])
      let seek = Array(bound.prefix(LongKey.prefixLength))
      let above = read(table.filter { byteOrder($0.key, seek) >= 0 })
      #expect(
        above.filter { byteOrder($0, bound) >= 0 } == ordered.filter { byteOrder($0, bound) >= 0 })
      #expect(
        above.filter { byteOrder($0, bound) > 0 } == ordered.filter { byteOrder($0, bound) > 0 })
      let below = ordered.filter { byteOrder($0, bound) < 0 }
      let unread = read(table.filter { byteOrder($0.key, seek) < 0 })
      #expect(Array(below.prefix(unread.count)) == unread)
      #expect(
        (unread + above.filter { byteOrder($0, bound) < 0 }).reversed() == below.reversed())
    }
  }
}
