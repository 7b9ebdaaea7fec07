import HearthEncoding
import HearthTestSupport

/// One way to damage a data file.
enum Damage: Sendable {
  case flip(offset: Int, bit: Int)
  /// 512 bytes become zeros.
  case zero(sector: Int)
  case swap(page: Int, other: Int)
  /// A page over another.
  case duplicate(page: Int, over: Int)
  /// A page as it was in an older state of the file: a write that got lost.
  case old(page: Int)
  /// The file ends early.
  case truncate(length: Int)
  /// A changed record with a right checksum: what a checksum that is not looked at would let pass.
  case forge(record: Int)

  static let sectorLength = 512
  /// The kinds as the table names them.
  static let kinds = ["flip", "zero", "swap", "duplicate", "old page", "truncate"]

  var kind: String {
    switch self {
    case .flip: "flip"
    case .zero: "zero"
    case .swap: "swap"
    case .duplicate: "duplicate"
    case .old: "old page"
    case .truncate: "truncate"
    case .forge: "forge"
    }
  }

  /// As it is passed to children and shown.
  var text: String {
    switch self {
    case .flip(let offset, let bit): "flip \(offset) \(bit)"
    case .zero(let sector): "zero \(sector)"
    case .swap(let page, let other): "swap \(page) \(other)"
    case .duplicate(let page, let over): "duplicate \(page) \(over)"
    case .old(let page): "old \(page)"
    case .truncate(let length): "truncate \(length)"
    case .forge(let record): "forge \(record)"
    }
  }

  init?(_ text: String) {
    let words = text.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Int($0) }
    switch (words.first, numbers.count) {
    case ("flip", 2): self = .flip(offset: numbers[0], bit: numbers[1])
    case ("zero", 1): self = .zero(sector: numbers[0])
    case ("swap", 2): self = .swap(page: numbers[0], other: numbers[1])
    case ("duplicate", 2): self = .duplicate(page: numbers[0], over: numbers[1])
    case ("old", 1): self = .old(page: numbers[0])
    case ("truncate", 1): self = .truncate(length: numbers[0])
    case ("forge", 1): self = .forge(record: numbers[0])
    default: return nil
    }
  }
}

/// A sound file, an older state of it, and the damaged ones that can be made of them.
struct DamageSource: Sendable {
  let sound: [UInt8]
  let old: [UInt8]
  let map: PageMap
  private let staleable: [Int]
  private let forgeable: [Int]

  init(sound: [UInt8], old: [UInt8]) {
    self.sound = sound
    self.old = old
    let map = PageMap(sound)
    self.map = map
    let size = map.pageSize
    staleable = (Array(0..<2) + map.live).filter { page in
      let bytes = page * size..<(page + 1) * size
      return bytes.upperBound <= old.count && sound[bytes] != old[bytes]
    }
    forgeable = map.records.indices.filter {
      map.records[$0].table == "documents" && map.records[$0].value.count > 200
    }
  }

  private var pages: Int { sound.count / map.pageSize }

  /// The next damage; truncations go through all lengths in turn.
  func random(_ number: Int, _ generator: inout SeededGenerator) -> Damage {
    func page() -> Int {
      generator.oneIn(20)
        ? Int.random(in: 0..<pages, using: &generator)
        : map.live[Int.random(in: 0..<map.live.count, using: &generator)]
    }
    switch number % 12 {
    case 0: return .zero(sector: sector(page(), &generator))
    case 1: return .swap(page: page(), other: page())
    case 2: return .duplicate(page: page(), over: page())
    case 3, 4: return .old(page: staleable[Int.random(in: 0..<staleable.count, using: &generator)])
    case 5:
      let steps = sound.count / Damage.sectorLength
      return .truncate(length: number / 12 * 7919 % steps * Damage.sectorLength)
    default:
      return .flip(
        offset: offset(page(), &generator), bit: Int.random(in: 0..<8, using: &generator))
    }
  }

  func forged(_ generator: inout SeededGenerator) -> Damage {
    .forge(record: forgeable[Int.random(in: 0..<forgeable.count, using: &generator)])
  }

  private func sector(_ page: Int, _ generator: inout SeededGenerator) -> Int {
    let perPage = map.pageSize / Damage.sectorLength
    return page * perPage + Int.random(in: 0..<perPage, using: &generator)
  }

  /// Anywhere in a page; now and then in a header, or among what only LMDB reads.
  private func offset(_ page: Int, _ generator: inout SeededGenerator) -> Int {
    if generator.oneIn(12) {
      let header = Int.random(in: 0..<2, using: &generator) * map.pageSize
      return header + Int.random(in: 0..<152, using: &generator)
    }
    let start = page * map.pageSize
    let offset = start + Int.random(in: 0..<map.pageSize, using: &generator)
    guard generator.oneIn(4) else { return offset }
    let structure = (start..<start + map.pageSize).filter { map.area($0) == .structure }
    return structure.isEmpty
      ? offset : structure[Int.random(in: 0..<structure.count, using: &generator)]
  }

  /// The damaged file.
  func damaged(_ damage: Damage) -> [UInt8] {
    var bytes = sound
    let size = map.pageSize
    func page(_ number: Int, of file: [UInt8]) -> ArraySlice<UInt8> {
      file[number * size..<(number + 1) * size]
    }
    func put(_ content: ArraySlice<UInt8>, _ number: Int) {
      bytes.replaceSubrange(number * size..<(number + 1) * size, with: content)
    }
    switch damage {
    case .flip(let offset, let bit): bytes[offset] ^= 1 << UInt8(bit)
    case .zero(let sector):
      let start = sector * Damage.sectorLength
      for offset in start..<start + Damage.sectorLength { bytes[offset] = 0 }
    case .swap(let first, let second):
      put(page(second, of: sound), first)
      put(page(first, of: sound), second)
    case .duplicate(let from, let to): put(page(from, of: sound), to)
    case .old(let number): put(page(number, of: old), number)
    case .truncate(let length): bytes.removeSubrange(length...)
    case .forge(let number): forge(map.records[number], &bytes)
    }
    return bytes
  }

  /// What a damage hits.
  func area(_ damage: Damage) -> PageMap.Area {
    switch damage {
    case .flip(let offset, _): return map.area(offset)
    case .zero(let sector):
      let start = sector * Damage.sectorLength
      let areas = Set((start..<start + Damage.sectorLength).map { map.area($0) })
      return areas == [.value] ? .value : areas.contains(.meta) ? .meta : .structure
    case .forge: return .value
    case .swap, .duplicate, .old, .truncate: return .structure
    }
  }

  /// Changes the last byte of a record, a letter, and makes the checksum right again.
  private func forge(_ record: PageMap.Record, _ bytes: inout [UInt8]) {
    let magic = Array("hearthdb".utf8)
    let block = map.records.first { sound[$0.value].starts(with: magic) }
    guard let block else { return }
    let identity = Array(sound[block.value].dropFirst(12).prefix(16))
    bytes[record.value.upperBound - 1] ^= 1
    let body = Array(bytes[record.value].dropFirst(Envelope.headerLength))
    let sealed = Envelope(databaseID: identity).seal(body, key: Array(sound[record.key]), table: 2)
    bytes.replaceSubrange(record.value, with: sealed)
  }
}
