import HearthModel
import HearthTestSupport

/// What the random programs of one world are made of: few names, few documents and few values, so
/// that they meet often, at the edges of the value types.
struct RandomWorld {
  var random: RandomValues
  let paths: [DocumentPath]
  let collections: [CollectionPath]
  let names: [String]
  private let pool: [Value]
  /// What some document holds, so that queries find something.
  var witness = Fields()

  static let groupID = "c"

  init(seed: UInt64) {
    random = RandomValues(seed: seed)
    names = RandomWorld.names(&random)
    pool = RandomWorld.pool(&random, names)
    let parent = DocumentPath(collection: CollectionPath(unchecked: ["c"]), id: "1")
    let other = DocumentPath(collection: CollectionPath(unchecked: ["d"]), id: "x y")
    collections = [
      CollectionPath(unchecked: ["c"]), parent.collection("c"), other.collection("c"),
      CollectionPath(unchecked: ["d"]),
    ]
    let ids = [
      "1", "2", "12", "A", "Aa", "a", "__id-2__", "__id7__", "__id12__", "__id", "é", "e\u{301}",
      "\u{ffff}", "\u{10000}", "\u{d7ff}", "\u{e000}", "x y", "%2f", "\u{1}", "~",
    ]
    let root = collections[0]
    var paths = ids.shuffled(using: &random.generator).prefix(9).map { root.document($0) }
    paths.append(root.document("1"))
    for collection in collections.dropFirst() {
      for id in ids.shuffled(using: &random.generator).prefix(3) {
        paths.append(collection.document(id))
      }
    }
    // A document may come twice by chance; its order does not matter.
    self.paths = Array(Set(paths)).sorted()
  }

  private static func names(_ random: inout RandomValues) -> [String] {
    var names = ["a", "b"]
    for _ in 0..<3 {
      let name = random.name()
      if !names.contains(where: { UTF8Order.equal($0, name) }) { names.append(name) }
    }
    return names
  }

  private static func pool(_ random: inout RandomValues, _ names: [String]) -> [Value] {
    var pool: [Value] = [.null, 1, .double(1), .double(.nan), "a"]
    for _ in 0..<5 { pool.append(random.value(depth: 0)) }
    for _ in 0..<3 { pool.append(random.value(depth: 2)) }
    let integer = random.integer()
    pool += [.integer(integer), .double(Double(integer)), .integer(integer &+ 1)]
    pool += [.double(random.double()), .double(Double(integer).nextUp)]
    let string = random.string()
    pool += [.string(string), .string(string + "\0"), .bytes(Array(string.utf8)), .string("")]
    pool += [.array([]), .map(Fields()), .array([1, .null]), .array([.double(1)])]
    pool.append(.map(random.fields(names: names, depth: 1)))
    pool.append(.timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_999)))
    return pool
  }

  mutating func oneIn(_ n: Int) -> Bool { random.generator.oneIn(n) }

  mutating func below(_ n: Int) -> Int { Int.random(in: 0..<n, using: &random.generator) }

  mutating func pick<T>(_ choices: [T]) -> T { random.pick(choices) }

  mutating func value() -> Value {
    switch below(10) {
    case 0: random.value(depth: 2).tame
    case 1, 2, 3: pick([1, 2, 3, .double(2), "a", "b"])
    default: pick(pool).tame
    }
  }

  /// A value that the witness has at a path, or any.
  mutating func value(at path: FieldPath) -> Value {
    guard let value = witness.value(at: path), !value.holdsServerTime, !oneIn(3) else {
      return value()
    }
    return value
  }

  /// A value that an array may hold.
  mutating func element() -> Value {
    while true {
      let value = self.value()
      switch value {
      case .array, .vector: continue
      default: return value
      }
    }
  }

  mutating func elements(_ most: Int) -> [Value] { (0..<below(most + 1)).map { _ in element() } }

  mutating func name() -> String { pick(names) }

  mutating func path() -> DocumentPath { pick(paths) }

  /// A field's path, at times into a map.
  mutating func field() -> FieldPath {
    var segments = [witness.isEmpty || oneIn(2) ? name() : pick(witness.map(\.name))]
    while segments.count < 3, oneIn(4) { segments.append(name()) }
    return FieldPath(segments)
  }

  mutating func fields() -> Fields {
    var fields = Fields()
    for name in names where !oneIn(4) {
      switch below(6) {
      case 0: fields[name] = .array(elements(4))
      case 1: fields[name] = .map(inner())
      default: fields[name] = value()
      }
    }
    return fields
  }

  private mutating func inner() -> Fields {
    var inner = Fields()
    for name in names where oneIn(2) { inner[name] = value() }
    return inner
  }
}

extension Value {
  /// Without vectors that the emulator refuses, so that it does not refuse every second commit:
  /// those in arrays, and those with NaN.
  fileprivate var tame: Value {
    switch self {
    case .vector(let vector): .vector(VectorValue(vector.array.map { $0.isNaN ? 0 : $0 }))
    case .map(let fields): .map(Fields(fields.map { ($0.name, $0.value.tame) }))
    case .array(let elements):
      .array(
        elements.map { element in
          if case .vector = element { return .null }
          return element.tame
        })
    default: self
    }
  }
}
