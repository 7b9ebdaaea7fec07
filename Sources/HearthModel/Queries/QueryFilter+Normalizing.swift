extension FieldFilter {
  /// `== null` as IS_NULL and so on (documents-and-queries, 5.1 step 1); members of lists stay.
  var withUnaryTests: FieldFilter {
    let unary: FilterOperator
    switch op {
    case .equal where value.isNull: unary = .isNull
    case .equal where value.isNaN: unary = .isNaN
    case .notEqual where value.isNull: unary = .isNotNull
    case .notEqual where value.isNaN: unary = .isNotNaN
    case .isNull, .isNaN, .isNotNull, .isNotNaN: unary = op
    default: return self
    }
    return FieldFilter(path, unary, .null)
  }
}

extension QueryFilter {
  /// Steps 1 and 2 of 5.1: unary tests, flattening, no exact duplicates; operands in the form in
  /// which values are stored, so that a time finds the document it was written to.
  ///
  /// Nil if nothing is filtered: an empty `and`. An `or` one of whose branches filters nothing
  /// keeps that branch as an empty `and`.
  func flattened() -> QueryFilter? {
    switch self {
    case .field(let filter):
      let stored = FieldFilter(filter.path, filter.op, filter.value.normalizedForStorage)
      return .field(stored.withUnaryTests)
    case .and(let children):
      var flat: [QueryFilter] = []
      for child in children {
        switch child.flattened() {
        case nil: break
        case .and(let inner)?: flat += inner
        case let other?: flat.append(other)
        }
      }
      flat = QueryFilter.withoutDuplicates(flat)
      return flat.count > 1 ? .and(flat) : flat.first
    case .or(let children):
      var flat: [QueryFilter] = []
      for child in children {
        switch child.flattened() {
        case nil: flat.append(.and([]))
        case .or(let inner)?: flat += inner
        case let other?: flat.append(other)
        }
      }
      flat = QueryFilter.withoutDuplicates(flat)
      if flat.count == 1, case .and(let inner)? = flat.first, inner.isEmpty { return nil }
      return flat.count > 1 ? .or(flat) : flat.first
    }
  }

  private static func withoutDuplicates(_ filters: [QueryFilter]) -> [QueryFilter] {
    var seen: Set<QueryFilter> = []
    return filters.filter { seen.insert($0).inserted }
  }

  /// The number of disjunctions after step 3, without making them; stops at `Int.max`.
  var disjunctionCount: Int {
    switch self {
    case .field(let filter):
      guard filter.op == .in || filter.op == .arrayContainsAny,
        case .array(let members) = filter.value
      else { return 1 }
      return members.count
    case .and(let children):
      return children.reduce(1) { product, child in
        let (result, overflow) = product.multipliedReportingOverflow(by: child.disjunctionCount)
        return overflow ? .max : result
      }
    case .or(let children):
      return children.reduce(0) { sum, child in
        let (result, overflow) = sum.addingReportingOverflow(child.disjunctionCount)
        return overflow ? .max : result
      }
    }
  }

  /// Step 3: the disjunctions, whose count must have been checked.
  func disjunctions() -> [Conjunction] {
    switch self {
    case .field(let filter): return filter.expanded.map { Conjunction(filters: [$0]) }
    case .or(let children): return children.flatMap { $0.disjunctions() }
    case .and(let children):
      return children.reduce([Conjunction(filters: [])]) { made, child in
        let more = child.disjunctions()
        return made.flatMap { left in more.map { left.and($0) } }
      }
    }
  }
}

extension FieldFilter {
  /// `in` and `array-contains-any` member by member; raw equality with null stays raw (5.3).
  fileprivate var expanded: [FieldFilter] {
    guard case .array(let members) = value else { return [self] }
    switch op {
    case .in: return members.map { FieldFilter(path, .equal, $0) }
    case .arrayContainsAny: return members.map { FieldFilter(path, .arrayContains, $0) }
    default: return [self]
    }
  }
}

/// One disjunction of a query: filters that must all hold.
///
/// `in` and `array-contains-any` are expanded, `== null` and its like are unary tests. An
/// `.equal` with null or NaN comes from a list and matches nothing (documents-and-queries, 5.3).
package struct Conjunction: Sendable, Hashable {
  package var filters: [FieldFilter]

  package init(filters: [FieldFilter]) { self.filters = filters }

  /// Both together; a filter that stands in both is kept once.
  fileprivate func and(_ other: Conjunction) -> Conjunction {
    if filters.isEmpty { return other }
    var seen = Set(filters)
    return Conjunction(filters: filters + other.filters.filter { seen.insert($0).inserted })
  }
}
