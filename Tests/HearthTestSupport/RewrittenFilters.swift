package import HearthModel

extension RandomSchema {
  /// A filter of the same meaning, differently put together: children in other groups and orders,
  /// `and` distributed over `or`.
  package mutating func rewritten(_ filter: QueryFilter) -> QueryFilter {
    switch filter {
    case .field: return oneIn(3) ? pick([.and([filter]), .or([filter])]) : filter
    case .and(let filters):
      let children = regrouped(filters.map { rewritten($0) }) { .and($0) }
      guard oneIn(2), let position = children.firstIndex(where: \.isOr),
        case .or(let alternatives) = children[position], !alternatives.isEmpty
      else { return .and(children) }
      let rest = children.enumerated().filter { $0.offset != position }.map(\.element)
      return .or(alternatives.map { .and(rest + [$0]) })
    case .or(let filters): return .or(regrouped(filters.map { rewritten($0) }) { .or($0) })
    }
  }

  private mutating func regrouped(
    _ filters: [QueryFilter], _ group: ([QueryFilter]) -> QueryFilter
  ) -> [QueryFilter] {
    let filters = filters.shuffled(using: &generator)
    guard filters.count > 2, oneIn(2) else { return filters }
    let middle = number(1...filters.count - 1)
    return [group(Array(filters[..<middle])), group(Array(filters[middle...]))]
  }
}

extension QueryFilter {
  fileprivate var isOr: Bool {
    if case .or = self { return true }
    return false
  }
}
