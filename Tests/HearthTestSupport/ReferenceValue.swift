import Foundation
package import HearthModel

/// A value as queries see it, with an order of its own (documents-and-queries, 2.2 to 2.4).
///
/// The index form is built as a tree: a budget is spent in comparison order, and what begins when
/// nothing is left is dropped and noted. Nothing here is shared with the library.
package struct ReferenceValue: Sendable {
  fileprivate indirect enum Content: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case timestamp(Int64, Int32)
    case string([UInt8])
    case bytes([UInt8])
    case reference([Segment])
    case geoPoint(Double, Double)
    case array([Content])
    case vector(dimension: Int, [Double])
    case map([Entry])
  }

  fileprivate struct Entry: Sendable {
    var name: [UInt8]
    /// Nil where the budget ended with the name.
    var value: Content?
  }

  /// One id of a path: numeric ids are numbers.
  fileprivate enum Segment: Sendable {
    case number(Int64)
    case text([UInt8])
  }

  fileprivate let content: Content
  /// Whether something was dropped.
  package let isCut: Bool

  /// The index form of a value.
  package init(_ value: Value) { self.init(value, budget: 1500) }

  /// The whole value, for comparisons of 2.2 that no index takes part in.
  package init(whole value: Value) { self.init(value, budget: .max) }

  /// The name of a document, which is never cut.
  package init(name: DocumentPath) { self.init(.reference(name), budget: .max) }

  private init(_ value: Value, budget: Int) {
    var purse = Purse(left: budget)
    content = purse.take(value)
    isCut = purse.isCut
  }

  package var isNull: Bool { rank == 1 }

  package var isNaN: Bool {
    if case .double(let number) = content { return number.isNaN }
    return false
  }

  package var isNumber: Bool { rank == 3 }

  package var isArray: Bool { rank == 9 }

  /// The place of the type in the list of 2.2.
  package var rank: Int { content.rank }

  /// Negative, zero or positive as `a` sorts before, with or after `b`; zero is query equality.
  package static func compare(_ a: ReferenceValue, _ b: ReferenceValue) -> Int {
    let order = Content.compare(a.content, b.content)
    if order != 0 { return order }
    return (a.isCut ? 1 : 0) - (b.isCut ? 1 : 0)
  }
}

/// The budget of one value while it is spent.
private struct Purse {
  var left: Int
  var isCut = false

  mutating func take(_ value: Value) -> ReferenceValue.Content {
    switch value {
    case .null:
      spend(1)
      return .null
    case .boolean(let flag):
      spend(1)
      return .boolean(flag)
    case .integer(let number):
      spend(8)
      return .integer(number)
    case .double(let number):
      spend(8)
      return .double(number)
    case .timestamp(let time):
      spend(8)
      return .timestamp(time.seconds, time.nanoseconds)
    case .geoPoint(let point):
      spend(8)
      return .geoPoint(point.latitude, point.longitude)
    case .string(let text): return .string(take(Array(text.utf8)))
    case .bytes(let bytes): return .bytes(take(bytes))
    case .reference(let path): return .reference(many(path.segments) { $0.take(id: $1) })
    case .array(let elements): return .array(many(elements) { $0.take($1) })
    case .vector(let vector):
      let kept = many(vector.array) { purse, component in
        purse.spend(8)
        return component
      }
      return .vector(dimension: vector.array.count, kept)
    case .map(let fields):
      let sorted = fields.map { (name: Array($0.name.utf8), value: $0.value) }
        .sorted { ReferenceOrder.bytes($0.name, $1.name) < 0 }
      return .map(many(sorted) { $0.take(entry: $1) })
    }
  }

  private mutating func spend(_ cost: Int) { left = max(0, left - cost) }

  private mutating func take(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.count <= left {
      left -= bytes.count
      return bytes
    }
    isCut = true
    defer { left = 0 }
    return Array(bytes[..<left])
  }

  private mutating func take(id: String) -> ReferenceValue.Segment {
    let bytes = Array(id.utf8)
    guard let number = ReferenceOrder.number(ofID: id) else { return .text(take(bytes)) }
    spend(bytes.count)
    return .number(number)
  }

  private mutating func take(entry: (name: [UInt8], value: Value)) -> ReferenceValue.Entry {
    let name = take(entry.name)
    if left > 0 { return ReferenceValue.Entry(name: name, value: take(entry.value)) }
    isCut = true
    return ReferenceValue.Entry(name: name, value: nil)
  }

  private mutating func many<T, R>(_ items: [T], _ take: (inout Purse, T) -> R) -> [R] {
    var taken: [R] = []
    for item in items {
      if left == 0 {
        isCut = true
        break
      }
      taken.append(take(&self, item))
    }
    return taken
  }
}

extension ReferenceValue.Content {
  fileprivate var rank: Int {
    switch self {
    case .null: 1
    case .boolean: 2
    case .integer, .double: 3
    case .timestamp: 4
    case .string: 5
    case .bytes: 6
    case .reference: 7
    case .geoPoint: 8
    case .array: 9
    case .vector: 10
    case .map: 11
    }
  }

  fileprivate static func compare(_ a: Self, _ b: Self) -> Int {
    switch (a, b) {
    case (.boolean(let x), .boolean(let y)): return (x ? 1 : 0) - (y ? 1 : 0)
    case (.integer(let x), .integer(let y)): return ReferenceOrder.of(x, y)
    case (.double(let x), .double(let y)): return ReferenceOrder.doubles(x, y)
    case (.integer(let x), .double(let y)): return ReferenceOrder.mixed(x, y)
    case (.double(let x), .integer(let y)): return -ReferenceOrder.mixed(y, x)
    case (.timestamp(let x, let p), .timestamp(let y, let q)):
      return x == y ? ReferenceOrder.of(p, q) : ReferenceOrder.of(x, y)
    case (.string(let x), .string(let y)), (.bytes(let x), .bytes(let y)):
      return ReferenceOrder.bytes(x, y)
    case (.reference(let x), .reference(let y)):
      return ReferenceOrder.lists(x, y, ReferenceValue.Segment.compare)
    case (.geoPoint(let x, let p), .geoPoint(let y, let q)):
      let latitude = ReferenceOrder.doubles(x, y)
      return latitude == 0 ? ReferenceOrder.doubles(p, q) : latitude
    case (.array(let x), .array(let y)): return ReferenceOrder.lists(x, y, compare)
    case (.vector(let m, let x), .vector(let n, let y)):
      return m == n ? ReferenceOrder.lists(x, y, ReferenceOrder.doubles) : ReferenceOrder.of(m, n)
    case (.map(let x), .map(let y)):
      return ReferenceOrder.lists(x, y) { p, q in
        let names = ReferenceOrder.bytes(p.name, q.name)
        guard names == 0, let value = p.value, let other = q.value else { return names }
        return compare(value, other)
      }
    default: return ReferenceOrder.of(a.rank, b.rank)
    }
  }
}

extension ReferenceValue.Segment {
  fileprivate static func compare(_ a: Self, _ b: Self) -> Int {
    switch (a, b) {
    case (.number(let x), .number(let y)): ReferenceOrder.of(x, y)
    case (.number, .text): -1
    case (.text, .number): 1
    case (.text(let x), .text(let y)): ReferenceOrder.bytes(x, y)
    }
  }
}

/// The orders that the specification's order of values is made of.
enum ReferenceOrder {
  static func of<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : (a > b ? 1 : 0) }

  /// Unsigned bytes, the shorter prefix first.
  static func bytes(_ a: [UInt8], _ b: [UInt8]) -> Int {
    let order = a.withUnsafeBytes { p in
      b.withUnsafeBytes { q -> Int32 in
        guard let x = p.baseAddress, let y = q.baseAddress else { return 0 }
        return memcmp(x, y, min(p.count, q.count))
      }
    }
    return order == 0 ? of(a.count, b.count) : Int(order)
  }

  /// NaN first and equal to itself; the zeros are equal.
  static func doubles(_ a: Double, _ b: Double) -> Int {
    if a.isNaN || b.isNaN { return of(b.isNaN ? 1 : 0, a.isNaN ? 1 : 0) }
    return of(a, b)
  }

  /// Exact: the floor of the double in 128 bits, then its fraction.
  static func mixed(_ integer: Int64, _ double: Double) -> Int {
    if double.isNaN { return 1 }
    if abs(double) >= 0x1p100 { return double > 0 ? -1 : 1 }
    let floor = double.rounded(.down)
    let order = of(Int128(integer), Int128(floor))
    return order == 0 && double > floor ? -1 : order
  }

  static func lists<T>(_ a: [T], _ b: [T], _ compare: (T, T) -> Int) -> Int {
    for (x, y) in zip(a, b) {
      let order = compare(x, y)
      if order != 0 { return order }
    }
    return of(a.count, b.count)
  }

  /// The number of an id of the form `__id<n>__`, canonically written (1.2).
  static func number(ofID id: String) -> Int64? {
    guard id.utf8.starts(with: "__id".utf8), id.utf8.count > 6 else { return nil }
    let digits = id.utf8.dropFirst(4).dropLast(2).map { Character(Unicode.Scalar($0)) }
    guard let number = Int64(String(digits)) else { return nil }
    return id.utf8.elementsEqual("__id\(number)__".utf8) ? number : nil
  }

  /// Field paths: segment by segment, the shorter prefix first (3.1).
  static func paths(_ a: FieldPath, _ b: FieldPath) -> Int {
    lists(a.segments, b.segments) { bytes(Array($0.utf8), Array($1.utf8)) }
  }

  static func sorted(_ paths: some Sequence<FieldPath>) -> [FieldPath] {
    paths.sorted { self.paths($0, $1) < 0 }
  }
}
