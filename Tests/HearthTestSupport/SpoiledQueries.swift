package import HearthModel

extension RandomSchema {
  /// A query with one or two things added that are often against the rules of 5.9, in whatever
  /// combination: the first rule in the order of the table must be the one that is told.
  package mutating func spoiled(_ query: StructuredQuery) -> StructuredQuery {
    var query = query
    for _ in 0..<number(1...2) {
      if oneIn(2) { spoilFilter(&query) } else { spoilRest(&query) }
    }
    return query
  }

  private mutating func spoilFilter(_ query: inout StructuredQuery) {
    let path = pick(paths)
    func list(_ count: Int, distinct: Bool = true) -> Value {
      .array((0..<count).map { .integer(Int64(distinct ? $0 : 0)) })
    }
    func leaf(_ path: FieldPath, _ op: FilterOperator, _ value: Value) -> QueryFilter {
      .field(FieldFilter(path, op, value))
    }
    var added: [QueryFilter]
    switch number(0...15) {
    case 0: added = [leaf(path, pick([.in, .notIn, .arrayContainsAny]), .array([]))]
    case 1: added = [leaf(path, pick([.in, .notIn, .arrayContainsAny]), .integer(1))]
    case 2: added = [pick([.or([]), .and([]), .or([.and([])]), .and([.or([])])])]
    case 3:
      added = [
        leaf(path, pick([.notEqual, .isNotNull, .isNotNaN]), .integer(1)),
        leaf(pick(paths), pick([.notEqual, .notIn, .isNotNull]), list(2)),
      ]
    case 4:
      added = [
        leaf(path, .notIn, list(2)),
        pick([
          leaf(path, .in, list(2)), .or([leaf(path, .equal, .null), leaf(path, .isNaN, .null)]),
        ]),
      ]
    case 5:
      added = [leaf(.documentName, pick([.arrayContains, .arrayContainsAny, .isNull]), list(1))]
    case 6: added = [leaf(.documentName, pick([.equal, .notEqual, .lessThan]), spoiledName())]
    case 7:
      added = [leaf(.documentName, pick([.in, .notIn]), .array([spoiledName(), spoiledName()]))]
    case 8: added = [leaf(path, pick([.in, .arrayContainsAny]), list(number(29...32)))]
    case 9: added = [leaf(path, .notIn, list(number(9...12), distinct: oneIn(2)))]
    case 10:
      added = [leaf(path, .in, list(number(2...6))), leaf(pick(paths), .in, list(number(4...9)))]
    case 11:
      added = [
        leaf(path, .arrayContains, .integer(1)),
        leaf(oneIn(2) ? path : pick(paths), pick([.arrayContains, .arrayContainsAny]), list(2)),
      ]
    case 12:
      added = (0..<number(9...12)).map { leaf(FieldPath(["f\($0)"]), .greaterThan, .integer(1)) }
    case 13:
      // Disjunctions within bounds, but with many filters in all.
      added = (0..<number(2...4)).map { leaf(FieldPath(["f\($0)"]), .equal, .integer(1)) }
      added.append(leaf(path, .in, list(number(20...30))))
    case 14:
      added = [
        leaf(.documentName, oneIn(2) ? .equal : .in, .array([.string("a")])),
        leaf(path, .greaterThan, .integer(1)),
      ]
      if oneIn(2) { added[0] = leaf(.documentName, .equal, .string("a")) }
    default:
      added = [leaf(FieldPath(oneIn(2) ? ["__x__"] : ["m", "__name__"]), .equal, .integer(1))]
    }
    var filters = added
    if let filter = query.filter, !oneIn(4) { filters.append(filter) }
    filters.shuffle(using: &generator)
    query.filter = oneIn(5) ? .or(filters) : .and(filters)
  }

  private mutating func spoiledName() -> Value {
    pick([
      .string(""), .string("a"), .string("a/b"), .string("r/a"), .string("/r/a/"),
      .string("r/a/r"), .string("r//a"), .string("__x__"), .string("__id7__"),
      .string("__id07__"), .string("."), .integer(1), .null, .double(.nan), .array([]),
      .string("r/__id-5__"), .string(String(repeating: "i", count: 1501)),
      .reference(collections[0].document("a")),
    ])
  }

  private mutating func spoilRest(_ query: inout StructuredQuery) {
    switch number(0...9) {
    case 0: query.orderBy += [pick(query.orderBy + [OrderBy(.documentName)])]
    case 1: query.orderBy.insert(OrderBy(.documentName), at: 0)
    case 2: query.start = Bound(values: [], inclusive: oneIn(2))
    case 3: query.end = Bound(values: [], inclusive: oneIn(2))
    case 4:
      let count = query.orderBy.count + number(0...1)
      query.start = Bound(values: Array(repeating: .integer(1), count: count), inclusive: true)
    case 5:
      query.orderBy.append(OrderBy(.documentName))
      let values = query.orderBy.map { $0.path.isName ? spoiledName() : .integer(1) }
      query.end = Bound(values: values, inclusive: true)
    case 6:
      query.limit = number(-1...1)
      query.limitIsToLast = oneIn(2)
    case 7:
      query.limit = 1
      query.limitIsToLast = true
      if oneIn(2) { query.orderBy = [] }
    case 8: query.offset = -number(0...1)
    default:
      if oneIn(2) {
        query.orderBy.append(OrderBy(FieldPath(["__x__"])))
      } else {
        query.projection = [FieldPath(["a", ""]), pick(paths)]
      }
    }
  }

  /// Aggregations that are often against the rules of 5.8.
  package mutating func spoiledAggregations() -> [Aggregation] {
    let path = pick(paths)
    switch number(0...5) {
    case 0: return []
    case 1: return Array(repeating: Aggregation(.count(upTo: nil)), count: 6)
    case 2: return [Aggregation(.sum(pick([.documentName, FieldPath(["__x__"])])))]
    case 3: return [Aggregation(.sum(path), alias: "x"), Aggregation(.count(upTo: 1), alias: "x")]
    case 4: return [Aggregation(.count(upTo: -1))]
    default: return [Aggregation(.average(path), alias: pick(["", "__x__", "y"]))]
    }
  }
}
