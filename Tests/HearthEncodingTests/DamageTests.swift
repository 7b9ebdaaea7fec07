import HearthEncoding
import HearthModel
import HearthTestSupport
import Testing

struct DamageTests {
  private let envelope = Envelope(databaseID: [1, 2, 3])
  private let fields: Fields = [
    "array": .array([.integer(300), .string("é"), .map(["n": .null])]), "bool": .boolean(true),
    "bytes": .bytes([1, 2, 3]), "double": .double(1.5),
    "geo": .geoPoint(.init(latitude: 1, longitude: 2)),
    "map": .map(["a": .string("text"), "b": .map([:])]), "ref": .reference(path("a", "b")),
    "time": .timestamp(.init(seconds: -5, nanoseconds: 7)), "vec": .vector(.init([1, 2])),
  ]

  private var record: [UInt8] {
    DocumentCodec.record(create: .zero, update: .zero, fields: DocumentCodec.encode(fields))
  }

  /// Decoding everything may fail with data loss, and in no other way.
  private func decode(_ record: [UInt8]) {
    do {
      let document = try EncodedDocument(record: record)
      _ = try? document.value(at: FieldPath(["map", "a"]))
      _ = try document.fields()
    } catch {
      #expect(error.status == .dataLoss)
      #expect(["RECORD_MALFORMED", "RECORD_FORMAT"].contains(error.reason))
    }
  }

  @Test func `every flipped bit of a sealed record is data loss`() throws {
    let key = KeyLayout.document(CollectionNumber(1), id: "id")
    for body in [record, []] {
      let sealed = envelope.seal(body, key: key, table: 2)
      let start = try envelope.open(sealed, key: key, table: 2)
      #expect(Array(sealed[start...]) == body)
      for bit in 0..<(8 * sealed.count) {
        var damaged = sealed
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        let error = #expect(throws: HearthError.self) {
          try envelope.open(damaged, key: key, table: 2)
        }
        #expect(error?.status == .dataLoss)
      }
      for bit in 0..<(8 * key.count) {
        var damaged = key
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(throws: HearthError.self) { try envelope.open(sealed, key: damaged, table: 2) }
      }
      for count in 0..<sealed.count {
        let cut = Array(sealed[..<count])
        #expect(throws: HearthError.self) { try envelope.open(cut, key: key, table: 2) }
      }
      #expect(throws: HearthError.self) { try envelope.open(sealed, key: key, table: 3) }
      #expect(throws: HearthError.self) {
        try Envelope(databaseID: [9]).open(sealed, key: key, table: 2)
      }
    }
  }

  @Test func `reasons tell a damaged record from one of an unknown format`() {
    var sealed = envelope.seal(record, key: [1], table: 2)
    sealed[12] ^= 1
    let damaged = sealed
    #expect(
      #expect(throws: HearthError.self) { try envelope.open(damaged, key: [1], table: 2) }?.reason
        == "CHECKSUM_MISMATCH")
    sealed[0] = 9
    let newer = sealed
    #expect(
      #expect(throws: HearthError.self) { try envelope.open(newer, key: [1], table: 2) }?.reason
        == "RECORD_FORMAT")
    var other = record
    other[0] = 9
    let record = other
    #expect(
      #expect(throws: HearthError.self) { try EncodedDocument(record: record) }?.reason
        == "RECORD_FORMAT")
  }

  @Test func `a record without an envelope never traps when bits flip`() {
    for bit in 0..<(8 * record.count) {
      var damaged = record
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      decode(damaged)
    }
    for i in record.indices {
      for byte: UInt8 in [0, 1, 0x7f, 0x80, 0xff] {
        var damaged = record
        damaged[i] = byte
        decode(damaged)
      }
    }
  }

  @Test func `a truncated record is always noticed`() {
    for count in 0..<record.count {
      let cut = Array(record[..<count])
      #expect(throws: HearthError.self) { try EncodedDocument(record: cut) }
    }
    let longer = record + [0]
    #expect(throws: HearthError.self) { try EncodedDocument(record: longer) }
  }

  @Test func `nesting beyond every limit is refused before the stack ends`() throws {
    var value = Value.null
    for _ in 0..<200 { value = .array([.map(["a": value])]) }
    let fields: Fields = ["a": value]
    let document = try EncodedDocument(
      record: DocumentCodec.record(
        create: .zero, update: .zero, fields: DocumentCodec.encode(fields)))
    #expect(throws: HearthError.self) { try document.fields() }
    #expect(throws: HearthError.self) { try document.value(at: FieldPath(["a"])) }
  }

  @Test func `random bytes never trap a decoder`() {
    var generator = SeededGenerator(seed: testSeed("Damage garbage"))
    let tags: [UInt8] = [
      0, 1, 2, 3, 5, 0x0e, 0x0f, 0x10, 0x14, 0x19, 0x1e, 0x25, 0x2d, 0x32, 0x35, 0x37, 0x80, 0xff,
    ]
    for _ in 0..<(2000 * soakFactor) {
      let bytes = (0..<generator.number(0..<40)).map { _ in
        generator.oneIn(2)
          ? tags[generator.number(0..<tags.count)] : UInt8(generator.number(0..<256))
      }
      var record = record[..<DocumentCodec.fieldsOffset]
      record.append(contentsOf: bytes)
      decode(Array(record))
      for start in [0, 1, 50, -1] {
        for descending in [false, true] {
          let end = try? ValueKey.componentEnd(in: bytes, from: start, descending: descending)
          if let end { #expect(end > start && end <= bytes.count) }
        }
        _ = try? NameKey.decodeID(in: bytes, from: start)
        _ = try? NameKey.decodePath(in: bytes, from: start)
        var position = start
        _ = try? OrderedNumber.read(from: bytes, at: &position)
      }
      _ = try? KeyLayout.documentID(of: bytes)
      if let range = try? LongKey.splitTail(bytes) { #expect(range.upperBound <= bytes.count) }
      _ = try? envelope.open(bytes, key: bytes, table: 1)
      var reader = ByteReader(bytes)
      while let _ = try? reader.text(), !reader.isAtEnd { _ = try? reader.varint() }
    }
  }
}

struct ByteReaderTests {
  @Test func `what is written is read`() throws {
    let numbers: [UInt64] = [0, 1, 127, 128, 1 << 32, .max - 1, .max]
    let signed: [Int64] = [0, -1, 1, 63, -64, 64, .min, .max]
    var writer = ByteWriter()
    for number in numbers {
      writer.varint(number)
      writer.fixed64(number)
      writer.fixed32(UInt32(truncatingIfNeeded: number))
    }
    for number in signed { writer.signed(number) }
    writer.text("é")
    writer.blob([0, 0xff])
    writer.byte(7)
    var reader = ByteReader(writer.bytes)
    for number in numbers {
      #expect(try reader.varint() == number)
      #expect(try reader.fixed64() == number)
      #expect(try reader.fixed32() == UInt32(truncatingIfNeeded: number))
    }
    for number in signed { #expect(try reader.signed() == number) }
    #expect(try reader.text() == "é")
    #expect(try reader.blob() == [0, 0xff])
    #expect(reader.remaining == 1)
    #expect(try reader.byte() == 7)
    #expect(reader.isAtEnd)
    #expect(throws: HearthError.self) { try reader.byte() }
    #expect(throws: HearthError.self) { try reader.fixed64() }
    #expect(throws: HearthError.self) { try reader.fixed32() }
  }

  @Test func `numbers of too many bits and text that is not UTF-8 are damage`() {
    var long = ByteReader(Array(repeating: 0xff, count: 11))
    #expect(throws: HearthError.self) { try long.varint() }
    var text = ByteReader([1, 0xff])
    #expect(throws: HearthError.self) { try text.text() }
  }
}
