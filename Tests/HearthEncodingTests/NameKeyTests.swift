import HearthEncoding
import HearthModel
import HearthTestSupport
import Testing

struct NameKeyTests {
  private func key(_ id: String) -> [UInt8] {
    var key: [UInt8] = []
    NameKey.appendID(id, to: &key)
    return key
  }

  private func key(_ path: DocumentPath) -> [UInt8] {
    var key: [UInt8] = []
    NameKey.appendPath(path, to: &key)
    return key
  }

  @Test func `ids sort as the specification's example says`() throws {
    let ids = [
      "__id-2__", "__id7__", "__id12__", "12", "7", "A", "Aa", "__id", "_id1__", "a",
    ]
    for (i, a) in ids.enumerated() {
      #expect(try NameKey.decodeID(in: [9] + key(a), from: 1) == a)
      for (j, b) in ids.enumerated() {
        #expect(byteOrder(key(a), key(b)) == (i - j).signum())
      }
    }
  }

  @Test func `random ids and paths sort by name and come back`() throws {
    var generator = SeededGenerator(seed: testSeed("NameKey"))
    for _ in 0..<(3000 * soakFactor) {
      let a = generator.documentPath()
      let b =
        generator.oneIn(3) ? a.collection(generator.id()).document("x") : generator.documentPath()
      #expect(byteOrder(key(a), key(b)) == DocumentPath.compare(a, b).signum(), "\(a) \(b)")
      #expect(
        byteOrder(key(a.id), key(b.id)) == PathRules.compareIDs(a.id, b.id).signum())
      #expect(try NameKey.decodePath(in: [9] + key(a), from: 1) == a)
      #expect(UTF8Order.equal(try NameKey.decodeID(in: key(a.id), from: 0), a.id))
    }
  }

  @Test func `a document's key leads back to collection and id`() throws {
    for number: UInt64 in [0, 1, 255, 256, .max] {
      for id in ["a", "__id9223372036854775807__", "\0", "é"] {
        let key = KeyLayout.document(CollectionNumber(number), id: id)
        let back = try KeyLayout.documentID(of: key)
        #expect(back.collection.value == number)
        #expect(back.id == id)
        #expect(key.starts(with: KeyLayout.documentsPrefix(CollectionNumber(number))))
      }
    }
  }

  @Test func `a prefix has one end`() {
    #expect(KeyLayout.end(ofPrefix: [1, 2]) == [1, 3])
    #expect(KeyLayout.end(ofPrefix: [1, 0xff, 0xff]) == [2])
    #expect(KeyLayout.end(ofPrefix: [0xff]) == nil)
  }

  @Test func `damaged names are noticed`() {
    for key: [UInt8] in [
      [], [0x10], [0x10, 1, 2], [0x19], [0x19, 0xff], [0x77, 1],
      [0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ] {
      #expect(throws: HearthError.self) { try NameKey.decodeID(in: key, from: 0) }
    }
    for key: [UInt8] in [
      [], [0x19, 0x61], [0x19, 0x61, 0], [0x19, 0x61, 0, 1], [0x19, 0x61, 0, 3, 0x19, 0x61, 0, 1],
      [0x19, 0x61, 0, 1, 0x19, 0xc0, 0, 1], [0x19, 0x61, 0, 1, 0x19, 0, 1],
      [0x19, 0x61, 0, 1, 0x10, 1],
    ] {
      #expect(throws: HearthError.self) { try NameKey.decodePath(in: key, from: 0) }
    }
  }
}

struct OrderedNumberTests {
  private func key(_ number: UInt64) -> [UInt8] {
    var key: [UInt8] = []
    OrderedNumber.append(number, to: &key)
    return key
  }

  @Test func `numbers sort by their bytes and come back`() throws {
    var numbers: [UInt64] = [0]
    for shift: UInt64 in 0..<64 {
      let power: UInt64 = 1 << shift
      numbers += [power - 1, power, power + 1]
    }
    numbers += [.max - 1, .max]
    for a in numbers {
      var position = 1
      #expect(try OrderedNumber.read(from: [7] + key(a) + [7], at: &position) == a)
      #expect(position == key(a).count + 1)
      for b in numbers {
        #expect(byteOrder(key(a), key(b)) == (a == b ? 0 : (a < b ? -1 : 1)))
      }
    }
  }

  @Test func `damaged numbers are noticed`() {
    for key: [UInt8] in [[], [9, 1, 1, 1, 1, 1, 1, 1, 1, 1], [1], [2, 1], [1, 0], [2, 0, 1]] {
      var position = 0
      #expect(throws: HearthError.self) { try OrderedNumber.read(from: key, at: &position) }
    }
  }
}
