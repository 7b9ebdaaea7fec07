import HearthModel

/// Where a name stands among the documents that a query asks for.
///
/// A name in a filter or cursor need not belong to the queried collection; it only positions
/// (5.6). Settling that here gives the executor only names that its indexes can hold.
enum NamePosition {
  /// Before every queried document.
  case before
  /// After every queried document.
  case after
  /// At this document, which may or may not exist.
  case at(DocumentPath)
  /// After this document and before the next one, as names of its subcollections are.
  case behind(DocumentPath)

  init(_ path: DocumentPath, in scope: StructuredQuery.Scope) {
    guard case .collection(let collection) = scope else {
      self = .at(path)
      return
    }
    let segments = path.segments
    for (own, queried) in zip(segments, collection.segments) {
      let order = PathRules.compareIDs(own, queried)
      if order != 0 {
        self = order < 0 ? .before : .after
        return
      }
    }
    let depth = collection.segments.count
    if segments.count <= depth {
      self = .before
    } else {
      let document = collection.document(segments[depth])
      self = segments.count == depth + 1 ? .at(document) : .behind(document)
    }
  }
}

/// The filters on `__name__` of one disjunction, joined.
struct NameRestriction {
  private let scope: StructuredQuery.Scope
  private var lower: NameInterval.Endpoint?
  private var upper: NameInterval.Endpoint?
  private var excluded: [DocumentPath] = []
  private var isRestricted = false
  /// Whether no name can pass.
  private(set) var isContradictory = false
  /// The names of `==`, nil if there was none.
  private(set) var equal: DocumentPath?

  init(scope: StructuredQuery.Scope) { self.scope = scope }

  mutating func add(_ filter: FieldFilter) throws(HearthError) {
    isRestricted = true
    switch filter.op {
    case .notEqual: try exclude([filter.value])
    case .notIn:
      if case .array(let values) = filter.value { try exclude(values) }
    case .equal: equal(try position(of: filter.value))
    case .greaterThan: raise(try position(of: filter.value), inclusive: false)
    case .greaterThanOrEqual: raise(try position(of: filter.value), inclusive: true)
    case .lessThan: cut(try position(of: filter.value), inclusive: false)
    case .lessThanOrEqual: cut(try position(of: filter.value), inclusive: true)
    case .in, .arrayContains, .arrayContainsAny, .isNull, .isNaN, .isNotNull, .isNotNaN:
      throw Planner.notNormalized(filter.text)
    }
  }

  /// The restriction as an interval, nil if there is none.
  var interval: NameInterval? {
    guard isRestricted else { return nil }
    let ends = NameInterval(lower: lower, upper: upper)
    var distinct: [DocumentPath] = []
    for path in excluded.sorted() where ends.isWithinEnds(path) && distinct.last != path {
      distinct.append(path)
    }
    if lower == nil, upper == nil, distinct.isEmpty { return nil }
    return NameInterval(lower: lower, upper: upper, excluded: distinct)
  }

  /// Whether the ends have crossed.
  var isEmpty: Bool {
    if isContradictory { return true }
    guard let lower, let upper else { return false }
    let order = DocumentPath.compare(lower.path, upper.path)
    if order == 0, lower.inclusive, upper.inclusive { return excluded.contains(lower.path) }
    return order >= 0
  }

  private func position(of value: Value) throws(HearthError) -> NamePosition {
    NamePosition(try Planner.documentPath(of: value), in: scope)
  }

  /// Whether a name at `.at` can be that of a queried document; a group asks any parent.
  private func isQueried(_ path: DocumentPath) -> Bool {
    guard case .collectionGroup(let id) = scope else { return true }
    return UTF8Order.equal(path.collection.collectionID, id.string)
  }

  private mutating func exclude(_ values: [Value]) throws(HearthError) {
    for value in values {
      if case .at(let path) = try position(of: value), isQueried(path) { excluded.append(path) }
    }
  }

  private mutating func equal(_ position: NamePosition) {
    guard case .at(let path) = position, isQueried(path) else {
      isContradictory = true
      return
    }
    equal = path
    raise(position, inclusive: true)
    cut(position, inclusive: true)
  }

  private mutating func raise(_ position: NamePosition, inclusive: Bool) {
    let end: NameInterval.Endpoint
    switch position {
    case .before: return
    case .after:
      isContradictory = true
      return
    case .at(let path): end = NameInterval.Endpoint(path, inclusive: inclusive)
    case .behind(let path): end = NameInterval.Endpoint(path, inclusive: false)
    }
    guard let lower else { return lower = end }
    let order = DocumentPath.compare(end.path, lower.path)
    if order > 0 || (order == 0 && !end.inclusive) { self.lower = end }
  }

  private mutating func cut(_ position: NamePosition, inclusive: Bool) {
    let end: NameInterval.Endpoint
    switch position {
    case .before:
      isContradictory = true
      return
    case .after: return
    case .at(let path): end = NameInterval.Endpoint(path, inclusive: inclusive)
    case .behind(let path): end = NameInterval.Endpoint(path, inclusive: true)
    }
    guard let upper else { return upper = end }
    let order = DocumentPath.compare(end.path, upper.path)
    if order < 0 || (order == 0 && !end.inclusive) { self.upper = end }
  }
}
