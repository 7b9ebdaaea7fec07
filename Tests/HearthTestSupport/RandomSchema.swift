package import HearthModel

/// The fields of one random world with the few values that each takes, and documents, writes and
/// operands made from them.
package struct RandomSchema: Sendable {
  /// A field and what it holds.
  struct Field {
    var path: FieldPath
    /// Values of documents and operands; few, so that they meet often.
    var palette: [Value]
    /// Whether documents hold arrays of the palette's values.
    var isList: Bool
  }

  package var generator: SeededGenerator
  private(set) var fields: [Field] = []
  /// The collections with documents; the first is the biggest, and queries mostly ask it.
  package private(set) var collections: [CollectionPath] = []
  private var ids: [String] = []

  /// The collection id of `r`, of the collections that its group holds, and of no other.
  static let groupID = "r"

  private static let allIDs = [
    "a", "b", "c", "d", "e", "f", "__id7__", "__id12__", "__id-2__", "12", "A", "é", "e\u{301}",
    "\0", "\0\0", "z", String(repeating: "l", count: 520), String(repeating: "l", count: 521),
    String(repeating: "z", count: 1499), String(repeating: "z", count: 1500),
  ]

  package init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    makeFields()
    let root = CollectionPath(unchecked: [RandomSchema.groupID])
    collections = [
      root, root.document("a").collection("r"), CollectionPath(unchecked: ["q", "b", "r"]),
      root.document("a").collection("q"), CollectionPath(unchecked: ["ra"]),
      root.document("__id7__").collection("r"),
    ]
    ids = Array(RandomSchema.allIDs.shuffled(using: &generator).prefix(number(5...12)))
  }

  private mutating func makeFields() {
    var names = ["a", "b", "c", "a-b", "a.b", "é", "e\u{301}", "`", "z"]
    names.shuffle(using: &generator)
    var paths = names.prefix(number(2...3)).map { FieldPath([$0]) }
    if generator.oneIn(3) { paths += [FieldPath(["m", "x"]), FieldPath(["m", "é"])] }
    var longLeft = 2
    for path in paths {
      var families = [pick(ValueFamilies.common)]
      if generator.oneIn(2) { families.append(pick(ValueFamilies.rare)) }
      if longLeft > 0, generator.oneIn(5) {
        longLeft -= 1
        families = [pick(ValueFamilies.long)]
      }
      fields.append(Field(path: path, palette: palette(families), isList: false))
    }
    let elements = palette([pick(ValueFamilies.common), pick(ValueFamilies.rare)])
    fields.append(
      Field(path: FieldPath(["tags"]), palette: elements.filter { !$0.isList }, isList: true))
  }

  private mutating func palette(_ families: [[Value]]) -> [Value] {
    var palette: [Value] = []
    for family in families {
      palette += family.shuffled(using: &generator).prefix(families.count == 1 ? 7 : 4)
    }
    return palette + [.integer(1)]
  }

  // MARK: Chance

  package mutating func pick<T>(_ choices: [T]) -> T {
    choices[Int.random(in: 0..<choices.count, using: &generator)]
  }

  package mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  package mutating func oneIn(_ n: Int) -> Bool { generator.oneIn(n) }

  // MARK: Values

  /// All paths that may be asked for: the fields, and the map around some of them.
  var paths: [FieldPath] {
    let parents = fields.contains { $0.path.segments.count > 1 } ? [FieldPath(["m"])] : []
    return fields.map(\.path) + parents
  }

  /// A value such as documents hold at a path.
  mutating func value(_ path: FieldPath) -> Value {
    guard let field = fields.first(where: { $0.path == path }) else {
      return .map(document()["m"].flatMap(\.fields) ?? Fields())
    }
    guard field.isList, !oneIn(6) else { return pick(field.palette) }
    return .array(elements(of: field, 0...4))
  }

  /// A value such as arrays at a path hold, or the field itself.
  mutating func element(_ path: FieldPath) -> Value {
    pick(fields.first { $0.path == path }?.palette ?? [.integer(1)])
  }

  private mutating func elements(of field: Field, _ counts: ClosedRange<Int>) -> [Value] {
    (0..<number(counts)).map { _ in pick(field.palette) }
  }

  // MARK: Documents and writes

  mutating func document() -> Fields {
    var fields = Fields()
    for field in self.fields where !oneIn(6) {
      let isPalette = !field.isList || oneIn(8)
      let value = isPalette ? pick(field.palette) : .array(elements(of: field, 0...4))
      fields.set(value, at: field.path)
    }
    if oneIn(12) { fields["m"] = pick([.integer(1), .map([:]), .null]) }
    return fields
  }

  package mutating func name(in collection: CollectionPath) -> DocumentPath {
    collection.document(pick(ids))
  }

  /// Some writes that fill the collections.
  package mutating func filling() -> [Write] {
    var writes: [Write] = []
    for (position, collection) in collections.enumerated() {
      for id in ids where position == 0 ? !oneIn(6) : oneIn(3) {
        writes.append(
          Write(
            document: collection.document(id),
            operation: .update(fields: document(), mask: nil, transforms: [])))
      }
    }
    return writes
  }

  /// A few writes of every kind: replacing, merging, transforming, deleting.
  package mutating func changes() -> [Write] {
    (0..<number(1...4)).map { _ in change() }
  }

  private mutating func change() -> Write {
    let path = name(in: oneIn(3) ? pick(collections) : collections[0])
    if oneIn(5) { return Write(document: path, operation: .delete) }
    let given = document()
    switch number(0...3) {
    case 0:
      return Write(
        document: path, operation: .update(fields: given, mask: nil, transforms: []))
    case 1:
      // What the mask names and the fields lack is deleted.
      let mask = paths.filter { $0 != FieldPath(["m"]) && oneIn(2) }
      return Write(
        document: path, operation: .update(fields: given, mask: mask, transforms: []))
    default:
      let transforms = (0..<number(1...2)).map { _ in transform() }
      return Write(
        document: path,
        operation: .update(fields: Fields(), mask: [], transforms: transforms))
    }
  }

  private mutating func transform() -> FieldTransform {
    let path = pick(fields).path
    let element = element(path)
    let number = ReferenceValue(element).isNumber ? element : .integer(1)
    let operand: Value = element.isList ? .null : element
    switch self.number(0...4) {
    case 0: return FieldTransform(path: path, kind: .increment(number))
    case 1: return FieldTransform(path: path, kind: .maximum(number))
    case 2: return FieldTransform(path: path, kind: .minimum(number))
    case 3: return FieldTransform(path: path, kind: .arrayUnion([operand, operand]))
    default: return FieldTransform(path: path, kind: .arrayRemove([operand]))
    }
  }
}

extension Value {
  /// Whether this is an array, which no array may hold.
  var isList: Bool {
    if case .array = self { return true }
    return false
  }

  /// The fields of a map.
  var fields: Fields? {
    if case .map(let fields) = self { return fields }
    return nil
  }
}
