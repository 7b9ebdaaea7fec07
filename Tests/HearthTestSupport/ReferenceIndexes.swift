package import HearthModel

/// One disjunction as 6.4 sees it, and the judgement on indexes for it.
///
/// Disjunctions that differ in operands only are equal.
package struct ReferenceDisjunction: Hashable {
  /// EQ and CN: what leads an index.
  package struct Lead: Hashable {
    package var path: FieldPath
    package var isContains: Bool
  }

  package let leads: Set<Lead>
  /// OD: the effective order without EQ, turned round for a limit to last.
  package let order: [OrderBy]
  private let collectionID: String
  private let scope: IndexScope

  /// The different disjunctions of a valid query, in the order in which they are planned.
  package static func all(
    of query: StructuredQuery, aggregating aggregated: [FieldPath] = []
  ) -> [ReferenceDisjunction] {
    let order = ReferenceQuery.effectiveOrder(query)
    var all: [ReferenceDisjunction] = []
    for filters in ReferenceFilter(query.filter).disjunctions(in: query.scope) {
      let disjunction = ReferenceDisjunction(filters, query, order, aggregated)
      if !all.contains(disjunction) { all.append(disjunction) }
    }
    return all
  }

  private init(
    _ filters: [FieldFilter], _ query: StructuredQuery, _ effective: [OrderBy],
    _ aggregated: [FieldPath]
  ) {
    var leads: Set<Lead> = []
    for filter in filters where !filter.path.isName {
      switch filter.op {
      case .equal, .isNull, .isNaN: leads.insert(Lead(path: filter.path, isContains: false))
      case .arrayContains: leads.insert(Lead(path: filter.path, isContains: true))
      default: break
      }
    }
    self.leads = leads
    var order = effective
    if query.limit != nil, query.limitIsToLast {
      order = order.map { OrderBy($0.path, $0.direction.opposite) }
    }
    order.removeAll { leads.contains(Lead(path: $0.path, isContains: false)) }
    if let name = order.popLast() {
      for path in ReferenceOrder.sorted(Set(aggregated))
      where !leads.contains(Lead(path: path, isContains: false))
        && !order.contains(where: { $0.path == path })
      {
        order.append(OrderBy(path, name.direction))
      }
      order.append(name)
    }
    self.order = order
    switch query.scope {
    case .collection(let path):
      collectionID = path.segments.last ?? ""
      scope = .collection
    case .collectionGroup(let id):
      collectionID = id.string
      scope = .collectionGroup
    }
  }

  // MARK: Suggestion

  /// The index to suggest (6.5): CN, EQ ascending by field path, OD.
  package var suggestion: IndexDefinition {
    let contains = leads.filter(\.isContains).map { IndexField($0.path, .contains) }
    let equal = ReferenceOrder.sorted(leads.filter { !$0.isContains }.map(\.path))
    return index(contains + equal.map { IndexField($0, .ascending) })
  }

  /// An index with some leading fields and this disjunction's order.
  package func index(_ leading: [IndexField]) -> IndexDefinition {
    IndexDefinition(
      collectionID: collectionID, scope: scope,
      fields: leading + order.map { IndexField($0.path, $0.direction.mode) })
  }

  /// Whether a definition is one field and the name that it implies (6.5).
  package static func isSingleField(_ index: IndexDefinition) -> Bool {
    guard index.fields.count == 2 else { return false }
    return index.fields[1].mode == (index.fields[0].mode == .descending ? .descending : .ascending)
  }

  // MARK: Service

  /// Whether some indexes serve this disjunction, alone or merged (6.4).
  package func isServed(by configuration: IndexConfiguration) -> Bool {
    if leads.isEmpty, order.count == 1, order[0].direction == .ascending { return true }
    var automatic: [IndexDefinition] = []
    for path in Set(leads.map(\.path)).union(order.map(\.path)) where !path.isName {
      for single in ReferenceDisjunction.singles(collectionID, path, configuration)
      where single.scope == scope {
        let name: IndexFieldMode = single.mode == .descending ? .descending : .ascending
        automatic.append(
          IndexDefinition(
            collectionID: collectionID, scope: scope,
            fields: [IndexField(path, single.mode), IndexField(FieldPath(["__name__"]), name)]))
      }
    }
    // The one relaxation: an equality alone may use the other mode of its automatic index.
    if leads.count == 1, order.count == 1, let lead = leads.first, !lead.isContains,
      automatic.contains(where: { $0.fields[0].path == lead.path && $0.fields[0].mode != .contains }
      )
    {
      return true
    }
    let composites = configuration.composites.filter {
      $0.state == .ready && $0.definition.scope == scope
        && $0.definition.collectionID.utf8.elementsEqual(collectionID.utf8)
    }
    let covered = (automatic + composites.map(\.definition)).compactMap(leading)
    if leads.isEmpty { return !covered.isEmpty }
    return covered.reduce(Set()) { $0.union($1) } == leads
  }

  /// The leading fields of an index that ends in exactly this order; nil if it is of no use.
  private func leading(_ index: IndexDefinition) -> Set<Lead>? {
    let count = index.fields.count - order.count
    guard count >= 0,
      zip(index.fields.dropFirst(count), order).allSatisfy({
        $0.path == $1.path && $0.mode == $1.direction.mode
      })
    else { return nil }
    let given = index.fields.prefix(count).map {
      Lead(path: $0.path, isContains: $0.mode == .contains)
    }
    let distinct = Set(given)
    return distinct.count == count && distinct.isSubset(of: leads) ? distinct : nil
  }

  /// The single-field indexes of a path (6.2): longest prefix, then `*`, then the default.
  static func singles(
    _ collectionID: String, _ path: FieldPath, _ configuration: IndexConfiguration
  ) -> [SingleFieldIndex] {
    let own = configuration.overrides.filter {
      $0.collectionID.utf8.elementsEqual(collectionID.utf8)
    }
    for length in stride(from: path.segments.count, through: 1, by: -1) {
      let prefix = FieldPath(Array(path.segments.prefix(length)))
      if let found = own.first(where: { $0.path == prefix }) { return found.indexes }
    }
    if let found = own.first(where: { $0.path == nil }) { return found.indexes }
    return [.ascending, .descending, .contains].map {
      SingleFieldIndex(mode: $0, scope: .collection)
    }
  }
}

extension Direction {
  fileprivate var opposite: Direction { self == .ascending ? .descending : .ascending }
  fileprivate var mode: IndexFieldMode { self == .ascending ? .ascending : .descending }
}
