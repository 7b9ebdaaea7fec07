import HearthModel
import HearthTestSupport

/// Random writes and queries on few small documents, so that whatever is asked finds something.
struct ModelOperations {
  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  static let collections = [
    CollectionPath(unchecked: ["r"]), CollectionPath(unchecked: ["s"]),
    CollectionPath(unchecked: ["r", "a", "sub"]), CollectionPath(unchecked: ["r", "b", "sub"]),
  ]
  private static let ids = ["a", "b", "c", "d", "e", "f", "Z", "__id7__", "é", "10", "2", "~"]
  static let paths = [
    FieldPath(["a"]), FieldPath(["b"]), FieldPath(["c"]), FieldPath(["tags"]),
    FieldPath(["m", "x"]), FieldPath(["m", "y"]), FieldPath(["m"]),
  ]
  private static let rare: [Value] = [
    .null, .boolean(false), .boolean(true), .double(.nan), .double(-.infinity), .double(-0.0),
    .double(0), .double(1), .double(1.5), .integer(.max), .double(0x1p63), .string(""),
    .string("aa"), .string("\u{ffff}"), .string("\u{10000}"), .string("a\0"), .bytes([]),
    .bytes([0, 255]), .timestamp(Timestamp(seconds: 1, nanoseconds: 1000)),
    .geoPoint(GeoPoint(latitude: 0, longitude: -0.0)), .vector(VectorValue([1, 2])),
    .reference(collections[0].document("b")), .map(["x": .integer(1)]), .map([:]), .array([]),
  ]

  mutating func pick<T>(_ choices: [T]) -> T {
    choices[Int.random(in: 0..<choices.count, using: &generator)]
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  mutating func document() -> DocumentPath {
    // Most of the work goes to one collection, since only full ones have interesting results.
    let collection = generator.oneIn(3) ? pick(Self.collections) : Self.collections[0]
    return collection.document(pick(Self.ids))
  }

  mutating func scalar() -> Value {
    if generator.oneIn(4) { return pick(Self.rare) }
    return generator.oneIn(3)
      ? .string(pick(["a", "b", "c"])) : .integer(Int64.random(in: 0...3, using: &generator))
  }

  private mutating func elements(_ counts: ClosedRange<Int>) -> [Value] {
    (0..<number(counts)).map { _ in
      let element = scalar()
      if case .array = element { return .null }
      return element
    }
  }

  private mutating func value(_ path: FieldPath) -> Value {
    switch path.segments.last {
    case "tags" where !generator.oneIn(8): return .array(elements(0...3))
    case "m" where !generator.oneIn(8):
      var inner = Fields()
      if !generator.oneIn(4) { inner["x"] = scalar() }
      if !generator.oneIn(4) { inner["y"] = scalar() }
      return .map(inner)
    default: return scalar()
    }
  }

  // MARK: Writes

  mutating func writes(_ twin: ReferenceDatabase) -> [Write] {
    let count = generator.oneIn(2) ? number(2...8) : 1
    return (0..<count).map { _ in write(twin) }
  }

  private mutating func write(_ twin: ReferenceDatabase) -> Write {
    let path = document()
    if generator.oneIn(6) {
      return Write(
        document: path, operation: .delete,
        precondition: generator.oneIn(6) ? .exists(true) : version(path, twin))
    }
    var fields = Fields()
    var mask: [FieldPath]?
    if generator.oneIn(2) {
      for path in Self.paths where path.segments.count == 1 && !generator.oneIn(4) {
        fields[path.segments[0]] = value(path)
      }
    } else {
      var chosen: [FieldPath] = []
      for path in Self.paths where generator.oneIn(3) {
        chosen.append(path)
        // What the mask names and the fields lack is deleted.
        if !generator.oneIn(4) { fields.set(value(path), at: path) }
      }
      mask = chosen
    }
    var transforms: [FieldTransform] = []
    if generator.oneIn(4) { transforms = (0..<number(1...2)).map { _ in transform() } }
    var precondition: Precondition?
    switch number(0...11) {
    case 0: precondition = .exists(false)
    case 1, 2, 3: precondition = .exists(true)
    case 4: precondition = version(path, twin)
    default: break
    }
    return Write(
      document: path,
      operation: .update(fields: fields, mask: mask, transforms: transforms),
      precondition: precondition)
  }

  private mutating func version(
    _ path: DocumentPath, _ twin: ReferenceDatabase
  ) -> Precondition? {
    guard generator.oneIn(6) else { return nil }
    // The right one, or that of another document.
    let other = generator.oneIn(3) ? document() : path
    return .updateVersion(twin.documents[other]?.updateVersion ?? twin.version)
  }

  private mutating func transform() -> FieldTransform {
    let path = pick(Self.paths)
    func number(_ value: Value) -> Value { value.rank == .number ? value : .integer(1) }
    switch self.number(0...5) {
    case 0: return FieldTransform(path: path, kind: .serverTimestamp)
    case 1: return FieldTransform(path: path, kind: .increment(number(scalar())))
    case 2: return FieldTransform(path: path, kind: .maximum(number(scalar())))
    case 3: return FieldTransform(path: path, kind: .minimum(number(scalar())))
    case 4: return FieldTransform(path: path, kind: .arrayUnion(elements(1...2)))
    default: return FieldTransform(path: path, kind: .arrayRemove(elements(1...2)))
    }
  }

  // MARK: Queries

  mutating func query() -> StructuredQuery {
    let collection = generator.oneIn(3) ? pick(Self.collections) : Self.collections[0]
    var query = StructuredQuery(collection)
    var filters: [QueryFilter] = []
    for _ in 0..<number(0...2) { filters.append(filter(collection)) }
    if generator.oneIn(4) {
      // Several equalities: a merge of automatic indexes.
      for path in [Self.paths[0], Self.paths[1], Self.paths[4]] where generator.oneIn(2) {
        filters.append(.field(FieldFilter(path, .equal, scalar())))
      }
    }
    if generator.oneIn(12) { filters.append(.or([filter(collection), filter(collection)])) }
    if !filters.isEmpty { query.filter = .and(filters) }
    for path in Self.paths where generator.oneIn(9) {
      query.orderBy.append(OrderBy(path, pick([.ascending, .descending])))
    }
    query.orderBy.shuffle(using: &generator)
    if generator.oneIn(6) {
      query.orderBy.append(OrderBy(.documentName, pick([.ascending, .descending])))
    }
    query.start = bound(query, collection)
    query.end = bound(query, collection)
    if generator.oneIn(3) {
      query.limit = number(0...4)
      query.limitIsToLast = !query.orderBy.isEmpty && generator.oneIn(2)
    }
    if generator.oneIn(10) { query.offset = number(1...3) }
    return query
  }

  private mutating func filter(_ collection: CollectionPath) -> QueryFilter {
    if generator.oneIn(12) {
      let op: FilterOperator = pick([.equal, .lessThan, .greaterThanOrEqual, .notEqual])
      return .field(FieldFilter(.documentName, op, .string(pick(Self.ids))))
    }
    let path = pick(Self.paths)
    if path.segments == ["tags"], !generator.oneIn(4) {
      return generator.oneIn(3)
        ? .field(FieldFilter(path, .arrayContainsAny, .array(elements(1...3))))
        : .field(FieldFilter(path, .arrayContains, scalar()))
    }
    let op = generator.oneIn(3) ? .equal : pick(FilterOperator.allCases)
    switch op {
    case .in, .notIn, .arrayContainsAny:
      return .field(FieldFilter(path, op, .array(elements(1...3))))
    case .isNull, .isNaN, .isNotNull, .isNotNaN:
      return .field(FieldFilter(path, op, .null))
    default: return .field(FieldFilter(path, op, value(path)))
    }
  }

  private mutating func bound(
    _ query: StructuredQuery, _ collection: CollectionPath
  ) -> Bound? {
    guard !query.orderBy.isEmpty, generator.oneIn(4) else { return nil }
    let count = number(1...query.orderBy.count)
    let values = query.orderBy.prefix(count).map { order -> Value in
      order.path.isDocumentName ? .string(pick(Self.ids)) : value(order.path)
    }
    return Bound(values: values, inclusive: generator.oneIn(2))
  }
}
