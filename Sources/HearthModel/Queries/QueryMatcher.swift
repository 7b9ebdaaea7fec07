/// What a document sorts by in a query.
package struct SortKey: Sendable {
  /// One value per field of the effective order, without the closing name.
  package var values: [Value]
  /// The document's name, which breaks ties.
  package var path: DocumentPath

  package init(values: [Value], path: DocumentPath) {
    self.values = values
    self.path = path
  }
}

/// Decides whether a document belongs to a query, and where in its order: the meaning of queries
/// in one place, against which every plan is measured (documents-and-queries, 5.2 to 5.6).
package struct QueryMatcher: Sendable {
  private let query: NormalizedQuery
  /// The effective order without the closing name.
  private let orders: [OrderBy]
  private let nameDirection: Direction
  /// Order fields whose presence no filter implies.
  private let presenceOnly: [FieldPath]

  package init(_ query: NormalizedQuery) {
    self.query = query
    orders = Array(query.effectiveOrder.dropLast())
    nameDirection = query.effectiveOrder.last?.direction ?? .ascending
    let filtered = query.disjunctions.map { Set($0.filters.map(\.path)) }
    presenceOnly = orders.map(\.path).filter { path in
      !filtered.allSatisfy { $0.contains(path) }
    }
  }

  /// Whether the document lies in a collection that is asked.
  package func inScope(_ path: DocumentPath) -> Bool {
    switch query.query.scope {
    case .collection(let collection): path.collection == collection
    case .collectionGroup(let id):
      UTF8Order.equal(path.collection.collectionID, id.string)
        && (query.query.ancestor?.isAncestor(of: path) ?? true)
    }
  }

  /// Scope, filter, presence of every order field, and cursors; not offset and limit.
  package func matches(_ path: DocumentPath, _ fields: Fields) -> Bool {
    guard inScope(path), satisfiesFilter(path, fields) else { return false }
    // A document lacking an order field is in no branch of an `or` (5.5).
    guard presenceOnly.allSatisfy({ fields.value(at: $0) != nil }) else { return false }
    if query.start == nil, query.end == nil { return true }
    guard let key = sortKey(path, fields) else { return false }
    return isInsideCursors(key)
  }

  /// Whether one disjunction holds.
  package func satisfiesFilter(_ path: DocumentPath, _ fields: Fields) -> Bool {
    query.disjunctions.contains { disjunction in
      disjunction.filters.allSatisfy { $0.matches(path, fields) }
    }
  }

  /// What the document sorts by, nil if an order field is missing.
  package func sortKey(_ path: DocumentPath, _ fields: Fields) -> SortKey? {
    var values: [Value] = []
    values.reserveCapacity(orders.count)
    for order in orders {
      guard let value = fields.value(at: order.path) else { return nil }
      values.append(value)
    }
    return SortKey(values: values, path: path)
  }

  /// Effective order with its directions, the name last: negative if `a` comes first.
  package func compare(_ a: SortKey, _ b: SortKey) -> Int {
    let order = compareValues(a, b)
    return order != 0 ? order : nameDirection.apply(DocumentPath.compare(a.path, b.path))
  }

  /// Effective order without the name.
  package func compareValues(_ a: SortKey, _ b: SortKey) -> Int {
    for (position, order) in orders.enumerated() {
      let result = Value.compareIndexForms(a.values[position], b.values[position])
      if result != 0 { return order.direction.apply(result) }
    }
    return 0
  }

  /// Whether a position lies between the cursors.
  package func isInsideCursors(_ key: SortKey) -> Bool {
    if let start = query.start {
      let order = position(of: key, against: start)
      if order < 0 || order == 0 && !start.inclusive { return false }
    }
    if let end = query.end {
      let order = position(of: key, against: end)
      if order > 0 || order == 0 && !end.inclusive { return false }
    }
    return true
  }

  /// Order of a document against a cursor over the cursor's prefix; types do not bracket here.
  private func position(of key: SortKey, against bound: Bound) -> Int {
    for (position, value) in bound.values.enumerated() {
      let result: Int
      let direction: Direction
      if position < orders.count {
        result = Value.compareIndexForms(key.values[position], value)
        direction = orders[position].direction
      } else {
        guard case .reference(let name) = value else { return 0 }
        result = DocumentPath.compare(key.path, name)
        direction = nameDirection
      }
      if result != 0 { return direction.apply(result) }
    }
    return 0
  }
}

extension Direction {
  /// A comparison turned round if this is descending.
  package func apply(_ order: Int) -> Int { self == .ascending ? order : -order }
}
