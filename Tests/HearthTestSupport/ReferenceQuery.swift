package import HearthModel

extension ReferenceDatabase {
  /// The documents of a valid query of one collection: everything filtered, sorted and cut, as
  /// documents-and-queries 5 says, with no index and no plan.
  package func run(_ query: StructuredQuery) -> [Document] {
    guard case .collection(let collection) = query.scope else { return [] }
    let evaluator = ReferenceQuery(query, collection)
    var rows: [(values: [Value], document: Document)] = []
    for document in documents.values where document.path.collection == collection {
      guard evaluator.filter(document), let values = evaluator.values(document),
        evaluator.isInsideCursors(values)
      else { continue }
      rows.append((values, document))
    }
    rows.sort { evaluator.compare($0.values, $1.values) < 0 }
    var found = rows.map(\.document)
    guard query.limit != nil, query.limitIsToLast else {
      return Array(found.dropFirst(query.offset).prefix(query.limit ?? .max))
    }
    // Counted from the end: offset and limit look at the reversed order.
    found.reverse()
    return Array(found.dropFirst(query.offset).prefix(query.limit ?? .max).reversed())
  }
}

private struct ReferenceQuery {
  private let query: StructuredQuery
  private let collection: CollectionPath
  private let order: [OrderBy]

  init(_ query: StructuredQuery, _ collection: CollectionPath) {
    self.query = query
    self.collection = collection
    var order = query.orderBy
    let direction = order.last?.direction ?? .ascending
    var compared: [FieldPath] = []
    if let filter = query.filter { ReferenceQuery.collectInequalities(filter, &compared) }
    for path in compared.sorted()
    where !path.isDocumentName && !order.contains(where: { $0.path == path }) {
      order.append(OrderBy(path, direction))
    }
    if !order.contains(where: { $0.path.isDocumentName }) {
      order.append(OrderBy(.documentName, direction))
    }
    self.order = order
  }

  private static func collectInequalities(_ filter: QueryFilter, _ paths: inout [FieldPath]) {
    switch filter {
    case .field(let filter):
      switch filter.op {
      case .notEqual, .notIn, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
        .isNotNull, .isNotNaN:
        if !paths.contains(filter.path) { paths.append(filter.path) }
      default: break
      }
    case .and(let filters), .or(let filters):
      for filter in filters { collectInequalities(filter, &paths) }
    }
  }

  // MARK: Filters

  func filter(_ document: Document) -> Bool {
    query.filter.map { holds($0, document) } ?? true
  }

  private func holds(_ filter: QueryFilter, _ document: Document) -> Bool {
    switch filter {
    case .and(let filters): filters.allSatisfy { holds($0, document) }
    case .or(let filters): filters.contains { holds($0, document) }
    case .field(let filter): holds(filter, document)
    }
  }

  private func holds(_ filter: FieldFilter, _ document: Document) -> Bool {
    guard let stored = value(filter.path, document) else { return false }
    let operand = name(filter.value, filter.path)
    var members: [Value] = []
    if case .array(let given) = filter.value { members = given.map { name($0, filter.path) } }
    switch filter.op {
    case .equal:
      // At the top of a filter null and NaN are asked for by `==` itself.
      if operand.isNull { return stored.isNull }
      if operand.isNaN { return stored.isNaN }
      return equal(stored, operand)
    case .notEqual:
      if stored.isNull { return false }
      return operand.isNull || Value.compare(stored, operand) != 0
    case .lessThan: return order(stored, operand).map { $0 < 0 } ?? false
    case .lessThanOrEqual: return order(stored, operand).map { $0 <= 0 } ?? false
    case .greaterThan: return order(stored, operand).map { $0 > 0 } ?? false
    case .greaterThanOrEqual: return order(stored, operand).map { $0 >= 0 } ?? false
    case .in: return members.contains { equal(stored, $0) }
    case .notIn:
      if stored.isNull || members.contains(where: \.isNull) { return false }
      return !members.contains { Value.compare(stored, $0) == 0 }
    case .arrayContains: return contains(stored, operand)
    case .arrayContainsAny: return members.contains { contains(stored, $0) }
    case .isNull: return stored.isNull
    case .isNaN: return stored.isNaN
    case .isNotNull: return !stored.isNull
    case .isNotNaN: return !stored.isNull && !stored.isNaN
    }
  }

  private func equal(_ stored: Value, _ operand: Value) -> Bool {
    !operand.isNull && !operand.isNaN && Value.compare(stored, operand) == 0
  }

  /// Ranges stay inside the operand's type, and null and NaN are in none.
  private func order(_ stored: Value, _ operand: Value) -> Int? {
    if stored.isNull || stored.isNaN || operand.isNaN || stored.rank != operand.rank {
      return nil
    }
    return Value.compare(stored, operand)
  }

  private func contains(_ stored: Value, _ operand: Value) -> Bool {
    guard case .array(let elements) = stored else { return false }
    if case .array = operand { return false }
    return elements.contains { equal($0, operand) }
  }

  // MARK: Order and cursors

  private func value(_ path: FieldPath, _ document: Document) -> Value? {
    path.isDocumentName ? .reference(document.path) : document.fields.value(at: path)
  }

  /// A plain id in the place of a name means a document of the collection.
  private func name(_ value: Value, _ path: FieldPath) -> Value {
    if path.isDocumentName, case .string(let id) = value {
      return .reference(collection.document(id))
    }
    return value
  }

  /// What the document sorts by; nil if an order field is missing, which excludes it.
  func values(_ document: Document) -> [Value]? {
    var values: [Value] = []
    for order in order {
      guard let value = value(order.path, document) else { return nil }
      values.append(value)
    }
    return values
  }

  func compare(_ a: [Value], _ b: [Value]) -> Int {
    for (place, order) in order.enumerated() where place < a.count && place < b.count {
      let result = Value.compare(a[place], b[place])
      if result != 0 { return order.direction == .ascending ? result : -result }
    }
    return 0
  }

  func isInsideCursors(_ values: [Value]) -> Bool {
    if let start = query.start {
      let place = compare(values, named(start))
      if place < 0 || place == 0 && !start.inclusive { return false }
    }
    if let end = query.end {
      let place = compare(values, named(end))
      if place > 0 || place == 0 && !end.inclusive { return false }
    }
    return true
  }

  private func named(_ bound: Bound) -> [Value] {
    zip(bound.values, order).map { name($0, $1.path) }
  }
}
