package import HearthModel

/// A filter after the first two steps of 5.1, and what the third makes of it.
package struct ReferenceFilter {
  private indirect enum Node: Hashable {
    case field(FieldFilter)
    case all([Node])
    case any([Node])
  }

  private let root: Node

  /// Unary tests, flattening, and no exact duplicates side by side.
  package init(_ filter: QueryFilter?) {
    root = filter.map(ReferenceFilter.node) ?? .all([])
  }

  private static func node(_ filter: QueryFilter) -> Node {
    switch filter {
    case .field(let filter): return .field(filter.unary)
    case .and(let filters):
      let children = distinct(
        filters.map(node).flatMap { child -> [Node] in
          if case .all(let inner) = child { return inner }
          return [child]
        })
      return children.count == 1 ? children[0] : .all(children)
    case .or(let filters):
      let children = distinct(
        filters.map(node).flatMap { child -> [Node] in
          if case .any(let inner) = child { return inner }
          return [child]
        })
      return children.count == 1 ? children[0] : .any(children)
    }
  }

  private static func distinct<T: Hashable>(_ items: [T]) -> [T] {
    var seen: Set<T> = []
    return items.filter { seen.insert($0).inserted }
  }

  /// Every field filter, from left to right.
  var fields: [FieldFilter] { ReferenceFilter.fields(root) }

  private static func fields(_ node: Node) -> [FieldFilter] {
    switch node {
    case .field(let filter): [filter]
    case .all(let nodes), .any(let nodes): nodes.flatMap(fields)
    }
  }

  /// Whether an `or` of several filters is left.
  var hasOr: Bool { ReferenceFilter.hasOr(root) }

  private static func hasOr(_ node: Node) -> Bool {
    switch node {
    case .field: false
    case .all(let nodes): nodes.contains(where: hasOr)
    case .any: true
    }
  }

  /// How many disjunctions step 3 makes; computed without making them, and capped.
  package var disjunctionCount: Int { ReferenceFilter.count(root) }

  private static func count(_ node: Node) -> Int {
    switch node {
    case .field(let filter): filter.alternatives.count
    case .any(let nodes): min(1 << 30, nodes.reduce(0) { $0 + count($1) })
    case .all(let nodes): nodes.reduce(1) { min(1 << 30, $0 * count($1)) }
    }
  }

  /// The most array-contains filters that one disjunction has.
  var containsCount: Int { ReferenceFilter.contains(root) }

  private static func contains(_ node: Node) -> Int {
    switch node {
    case .field(let filter): filter.op == .arrayContains || filter.op == .arrayContainsAny ? 1 : 0
    case .any(let nodes): nodes.map(contains).max() ?? 0
    case .all(let nodes): nodes.reduce(0) { $0 + contains($1) }
    }
  }

  /// The disjunctive normal form, from left to right; each filter stands in a disjunction once.
  ///
  /// Names are compared as the references that they stand for in `scope`.
  package func disjunctions(in scope: StructuredQuery.Scope) -> [[FieldFilter]] {
    ReferenceFilter.disjunctions(root).map { filters in
      ReferenceFilter.distinct(
        filters.map { filter in
          guard filter.path.isName else { return filter }
          return FieldFilter(
            filter.path, filter.op, ReferenceQuery.reference(filter.value, scope))
        })
    }
  }

  private static func disjunctions(_ node: Node) -> [[FieldFilter]] {
    switch node {
    case .field(let filter): return filter.alternatives.map { [$0] }
    case .any(let nodes): return nodes.flatMap(disjunctions)
    case .all(let nodes):
      var made: [[FieldFilter]] = [[]]
      for node in nodes {
        let more = disjunctions(node)
        made = made.flatMap { left in more.map { left + $0 } }
      }
      return made
    }
  }
}

extension FieldFilter {
  /// `in` and `array-contains-any` member by member (5.1, step 3).
  fileprivate var alternatives: [FieldFilter] {
    guard case .array(let members) = value else { return [self] }
    switch op {
    case .in: return members.map { FieldFilter(path, .equal, $0) }
    case .arrayContainsAny: return members.map { FieldFilter(path, .arrayContains, $0) }
    default: return [self]
    }
  }
}
