import HearthModel
import HearthTestSupport

/// Negative, zero or positive as `a` sorts before, with or after `b`, byte by byte.
func byteOrder(_ a: [UInt8], _ b: [UInt8]) -> Int {
  let shared = min(a.count, b.count)
  var i = 0
  while i < shared {
    if a[i] != b[i] { return a[i] < b[i] ? -1 : 1 }
    i += 1
  }
  return a.count == b.count ? 0 : (a.count < b.count ? -1 : 1)
}

func path(_ segments: String...) -> DocumentPath {
  DocumentPath(
    collection: CollectionPath(unchecked: Array(segments.dropLast())),
    id: segments[segments.count - 1])
}

/// Values at which encodings break: neighbours in every sense.
let edgeValues: [Value] = {
  var values: [Value] = [.null, .boolean(false), .boolean(true), .double(.nan)]
  for base: Int64 in [0, 1 << 52, 1 << 53, 1 << 54, 1 << 60, 1 << 62] {
    for offset: Int64 in [-1025, -513, -3, -2, -1, 0, 1, 2, 3, 127, 128, 129, 513, 1023, 1025] {
      for number in [base + offset, -(base + offset)] {
        values.append(.integer(number))
        values.append(.double(Double(number)))
      }
    }
  }
  for offset: Int64 in [0, 1, 127, 128, 511, 512, 1022, 1023, 1024, 1025, 2047, 2048] {
    values += [.integer(.max - offset), .integer(.min + offset)]
  }
  for number in [
    0.0, 0.5, 0.1, 1.5, 4.5, .leastNonzeroMagnitude, .leastNormalMagnitude,
    .greatestFiniteMagnitude, .infinity, 0x1p53, 0x1p53.nextUp, 0x1p53.nextDown, 0x1p63,
    0x1p63.nextUp, 0x1p63.nextDown, 1e300, .pi,
  ] {
    values += [.double(number), .double(-number)]
  }
  for (seconds, nanoseconds): (Int64, Int32) in [
    (0, 0), (0, 1), (-1, 999_999_999), (-1, 0), (1, 0), (-62_135_596_800, 0),
    (253_402_300_799, 999_999_999), (.max, 5), (.min, 5),
  ] {
    values.append(.timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds)))
  }
  let texts = [
    "", "\0", "\0\0", "\0a", "\u{1}", "\u{2}", "\u{ff}", "a", "a\0", "a\0\0", "a\0b", "a\u{1}",
    "ab",
    "b", "e\u{301}", "é", "\u{d7ff}", "\u{e000}", "\u{fe12}", "\u{ffff}", "\u{10000}",
    "\u{1f435}", "\u{10ffff}", "Łukasiewicz", "Sierpinski",
  ]
  for text in texts {
    values.append(.string(text))
    values.append(.bytes(Array(text.utf8)))
    values.append(.array([.string(text)]))
    values.append(.array([.string(text), .null]))
    values.append(.map([text: .null]))
    values.append(.map(["a": .string(text), "b": .string("baz")]))
  }
  values += [
    .bytes([0xff]), .bytes([0xff, 0]), .bytes([0, 0xff]), .bytes([0, 1]), .bytes([0, 2]),
  ]
  values += [
    .reference(path("a", "1")), .reference(path("a", "__id1__")),
    .reference(path("a", "__id-2__")), .reference(path("a", "__id12__")),
    .reference(path("a", "1", "b", "1")), .reference(path("a", "__id1__", "b", "1")),
    .reference(path("a", "1\0")), .reference(path("a\0", "1")), .reference(path("b", "0")),
    .geoPoint(GeoPoint(latitude: 0, longitude: 0)),
    .geoPoint(GeoPoint(latitude: -0.0, longitude: -0.0)),
    .geoPoint(GeoPoint(latitude: -90, longitude: 180)),
    .geoPoint(GeoPoint(latitude: 90, longitude: -180)),
    .geoPoint(GeoPoint(latitude: 1, longitude: 2)),
    .array([]), .array([.integer(1), .integer(2), .integer(3)]),
    .array([.integer(1), .integer(2), .integer(3), .integer(1)]), .array([.integer(2)]),
    .array([.double(2)]), .array([.map([:])]), .array([.map([:]), .map([:])]),
    .array([.map(["a": .array([])])]), .array([.map(["a": .array([.null])])]), .array([.null]),
    .vector(VectorValue([])), .vector(VectorValue([9])), .vector(VectorValue([1, 2])),
    .vector(VectorValue([2, 2])), .vector(VectorValue([1, 2, 3])), .vector(VectorValue([.nan, 2])),
    .vector(VectorValue([-.infinity, 2])), .vector(VectorValue([-0.0, 2])),
    .vector(VectorValue([0, 2])), .map([:]), .map(["a": .map([:])]), .map(["b": .string("aaa")]),
    .map(["a": .string("foo"), "b": .string("bar"), "c": .string("qux")]),
    .map(["a": .string("foo"), "b": .string("bar")]), .map(["a": .integer(1)]),
    .map(["a": .double(1)]), .map(["a": .map(["b": .array([.null])])]),
  ]
  return values
}()

extension SeededGenerator {
  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func text() -> String {
    let pieces = [
      "a", "b", "\0", "\u{1}", "é", "e\u{301}", "\u{d7ff}", "\u{e000}", "\u{ffff}", "\u{10000}",
      "longer piece",
    ]
    return (0..<number(0..<5)).map { _ in pieces[number(0..<pieces.count)] }.joined()
  }

  mutating func id() -> String {
    switch number(0..<6) {
    case 0: "__id\(number(-300..<300))__"
    case 1: "__id\(Int64.random(in: .min ... .max, using: &self))__"
    case 2: "\(number(0..<20))"
    default: "d" + text()
    }
  }

  mutating func documentPath() -> DocumentPath {
    var segments: [String] = []
    for _ in 0..<number(1..<4) { segments += [oneIn(2) ? "a" : "c" + text(), id()] }
    let id = segments.removeLast()
    return DocumentPath(collection: CollectionPath(unchecked: segments), id: id)
  }

  mutating func double() -> Double {
    switch number(0..<4) {
    case 0: Double(bitPattern: next())
    case 1: Double(number(-10..<10)) / 2
    case 2: [-0.0, 0.0, .nan, .infinity, -.infinity][number(0..<5)]
    default: Double(Int64(bitPattern: next()))
    }
  }

  mutating func fields(depth: Int) -> Fields {
    Fields((0..<number(0..<4)).map { _ in (text(), value(depth: depth - 1)) })
  }

  /// A random value of at most `depth` nested containers, often near another one.
  mutating func value(depth: Int = 3) -> Value {
    if oneIn(4) { return edgeValues[number(0..<edgeValues.count)] }
    switch number(0..<(depth > 0 ? 12 : 10)) {
    case 0: return .null
    case 1: return .boolean(oneIn(2))
    case 2: return .integer(Int64(number(-5..<5)))
    case 3: return .integer(Int64(bitPattern: next()))
    case 4: return .double(double())
    case 5:
      return .timestamp(
        Timestamp(seconds: Int64(number(-3..<3)), nanoseconds: Int32(number(0..<3))))
    case 6: return .string(text())
    case 7: return .bytes((0..<number(0..<4)).map { _ in [0, 1, 2, 0xff][number(0..<4)] })
    case 8: return .reference(documentPath())
    case 9:
      if oneIn(2) { return .vector(VectorValue((0..<number(1..<4)).map { _ in double() })) }
      return .geoPoint(
        GeoPoint(latitude: Double(number(-2..<2)), longitude: Double(number(-2..<2))))
    case 10: return .array((0..<number(0..<4)).map { _ in value(depth: depth - 1) })
    default: return .map(fields(depth: depth))
    }
  }
}
