package import HearthModel

/// Random values and fields, biased to the edges of the value types (documents-and-queries, 2):
/// doubles that integers cannot be told from, strings around the surrogates, NaN, nesting.
package struct RandomValues: Sendable {
  package var generator: SeededGenerator

  package init(generator: SeededGenerator) { self.generator = generator }

  package init(seed: UInt64) { self.init(generator: SeededGenerator(seed: seed)) }

  /// A value that may be written; `depth` is how many containers may be nested in it.
  package mutating func value(depth: Int = 2) -> Value {
    let kinds = depth > 0 ? 13 : 10
    switch Int.random(in: 0..<kinds, using: &generator) {
    case 0: return .null
    case 1: return .boolean(generator.oneIn(2))
    case 2, 3: return .integer(integer())
    case 4: return .double(double())
    case 5: return .timestamp(timestamp())
    case 6: return .string(string())
    case 7: return .bytes(Array(string().utf8))
    case 8: return .reference(documentPath())
    case 9:
      return generator.oneIn(2)
        ? .geoPoint(
          GeoPoint(latitude: pick([-90, -0.0, 0, 1, 90]), longitude: pick([-180, 0, 1])))
        : .vector(VectorValue(many(1...3) { $0.double() }))
    case 10, 11:
      return .array(
        many(0...3) { random in
          // An array must not hold an array directly.
          let element = random.value(depth: depth - 1)
          if case .array = element { return .null }
          return element
        })
    default:
      return .map(fields(names: many(0...3) { $0.name() }, depth: depth - 1))
    }
  }

  /// Fields with a random value for most of the names.
  package mutating func fields(names: [String], depth: Int = 2) -> Fields {
    var fields = Fields()
    for name in names where !generator.oneIn(5) { fields[name] = value(depth: depth) }
    return fields
  }

  package mutating func integer() -> Int64 {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return Int64.random(in: -3...3, using: &generator)
    case 1: return (1 << 53) + Int64.random(in: -2...2, using: &generator)
    case 2: return pick([.min, .min + 1, .max - 1, .max, -(1 << 53) - 1])
    default: return Int64(bitPattern: generator.next())
    }
  }

  package mutating func double() -> Double {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      return pick([
        0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        .greatestFiniteMagnitude,
      ])
    case 1: return Double(integer())
    case 2: return pick([0x1p53, -0x1p53, 0x1p63, -0x1p63, 0x1.8p53, 0x1.fffffffffffffp62])
    default: return Double.random(in: -4...4, using: &generator)
    }
  }

  package mutating func timestamp() -> Timestamp {
    Timestamp(
      seconds: pick([-62_135_596_800, -1, 0, 1, 1_800_000_000, 253_402_300_799]),
      nanoseconds: pick([0, 1000, 999_999_000, 500_000_000]))
  }

  package mutating func string() -> String {
    let scalars: [Unicode.Scalar] = [
      "a", "b", "\0", "\u{1}", "\u{7f}", "\u{80}", "é", "\u{301}", "\u{d7ff}", "\u{e000}",
      "\u{fe12}", "\u{ff30}", "\u{ffff}", "\u{10000}", "\u{1f435}",
    ]
    var string = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...4, using: &generator) { string.append(pick(scalars)) }
    return String(string)
  }

  /// A field name that may be written, at times one that needs backticks.
  package mutating func name() -> String {
    pick(["a", "b", "c", "a.b", "`", "\\", "é", "e\u{301}", "1", "*", "__x", "x y", "[", "~"])
  }

  /// The path of a document, at times with a numeric id.
  package mutating func documentPath() -> DocumentPath {
    let collection = CollectionPath(unchecked: [pick(["a", "b", "é"])])
    let path = collection.document(documentID())
    if generator.oneIn(2) { return path }
    return path.collection(pick(["a", "c"])).document(documentID())
  }

  package mutating func documentID() -> String {
    pick(["1", "__id-2__", "__id7__", "__id12__", "__id", "A", "Aa", "a", "e\u{301}", "é"])
  }

  package mutating func pick<T>(_ choices: [T]) -> T {
    choices[Int.random(in: 0..<choices.count, using: &generator)]
  }

  private mutating func many<T>(
    _ counts: ClosedRange<Int>, _ make: (inout RandomValues) -> T
  ) -> [T] {
    var made: [T] = []
    for _ in 0..<Int.random(in: counts, using: &generator) { made.append(make(&self)) }
    return made
  }
}
