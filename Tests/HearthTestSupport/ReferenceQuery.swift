package import HearthModel

/// Queries evaluated by looking at every document, as documents-and-queries 5 says: no index, no
/// plan, and none of the library's code but its nouns.
///
/// The query must be valid; ``ReferenceRules`` tells.
package struct ReferenceQuery {
  private let query: StructuredQuery
  /// The effective order (5.5), with the fields of an aggregation before the name.
  private let order: [OrderBy]
  private let test: Test?
  private let start: Cursor?
  private let end: Cursor?

  /// A filter with the operands that it is compared with.
  private indirect enum Test {
    case all([Test])
    case any([Test])
    case field(FieldPath, FilterOperator, operand: ReferenceValue, members: [ReferenceValue])
  }

  /// Values for some fields of the order, and whether documents there are kept.
  private struct Cursor {
    var values: [(path: FieldPath, direction: Direction, value: ReferenceValue)]
    var inclusive: Bool
  }

  /// - Parameter aggregated: The fields of sums and averages. Those that are not in the order are
  ///   put before the name, in its direction, and take no cursor value.
  package init(_ query: StructuredQuery, aggregating aggregated: [FieldPath] = []) {
    self.query = query
    let effective = ReferenceQuery.effectiveOrder(query)
    var order = effective
    if let name = order.popLast() {
      for path in ReferenceOrder.sorted(Set(aggregated))
      where !order.contains(where: { $0.path == path }) {
        order.append(OrderBy(path, name.direction))
      }
      order.append(name)
    }
    self.order = order
    let scope = query.scope
    test = query.filter.map { ReferenceQuery.test($0, scope) }
    func cursor(_ bound: Bound?) -> Cursor? {
      bound.map { bound in
        Cursor(
          values: zip(effective, bound.values).map { order, value in
            (order.path, order.direction, ReferenceQuery.form(value, order.path, scope))
          }, inclusive: bound.inclusive)
      }
    }
    start = cursor(query.start)
    end = cursor(query.end)
  }

  /// The order that a query really has (5.5).
  package static func effectiveOrder(_ query: StructuredQuery) -> [OrderBy] {
    var order = query.orderBy
    let direction = order.last?.direction ?? .ascending
    for path in ReferenceOrder.sorted(inequalityFields(query.filter))
    where !path.isName && !order.contains(where: { $0.path == path }) {
      order.append(OrderBy(path, direction))
    }
    if !order.contains(where: { $0.path.isName }) {
      order.append(OrderBy(FieldPath(["__name__"]), direction))
    }
    return order
  }

  /// The fields with an inequality anywhere, `__name__` included.
  static func inequalityFields(_ filter: QueryFilter?) -> Set<FieldPath> {
    switch filter {
    case nil: []
    case .and(let filters)?, .or(let filters)?:
      filters.reduce(into: []) { $0.formUnion(inequalityFields($1)) }
    case .field(let filter)?: filter.unary.op.isUnequal ? [filter.path] : []
    }
  }

  // MARK: Running

  /// The documents of the result, in order.
  package func run(_ documents: [ReferenceDocument]) -> [Document] {
    rows(documents).map { row in
      guard let paths = query.projection else { return row.document }
      var document = row.document
      document.fields = document.fields.reduced(to: paths)
      return document
    }
  }

  func rows(_ documents: [ReferenceDocument]) -> [ReferenceDocument] {
    var rows: [(values: [ReferenceValue], document: ReferenceDocument)] = []
    for document in documents where ReferenceQuery.isAsked(document.document.path, by: query) {
      guard test.map({ holds($0, document) }) ?? true else { continue }
      let values = order.compactMap { document.field($0.path)?.form }
      // A document without a field of the order is not in the result (5.5).
      guard values.count == order.count, keeps(document, start, sign: 1),
        keeps(document, end, sign: -1)
      else { continue }
      rows.append((values, document))
    }
    rows.sort { compare($0.values, $1.values) < 0 }
    var found = rows.map(\.document)
    // Counted from the end, offset and limit look at the reversed order (5.7).
    let isReversed = query.limit != nil && query.limitIsToLast
    if isReversed { found.reverse() }
    found = Array(found.dropFirst(query.offset).prefix(query.limit ?? .max))
    return isReversed ? found.reversed() : found
  }

  /// Whether a document lies where a query asks.
  static func isAsked(_ path: DocumentPath, by query: StructuredQuery) -> Bool {
    switch query.scope {
    case .collection(let collection): return path.collection == collection
    case .collectionGroup(let id):
      let own = path.segments
      guard own[own.count - 2].utf8.elementsEqual(id.string.utf8) else { return false }
      guard let above = query.ancestor?.segments else { return true }
      return own.count > above.count
        && zip(own, above).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
  }

  private func compare(_ a: [ReferenceValue], _ b: [ReferenceValue]) -> Int {
    for (position, order) in order.enumerated() {
      let result = ReferenceValue.compare(a[position], b[position])
      if result != 0 { return order.direction == .ascending ? result : -result }
    }
    return 0
  }

  /// Whether a document is on the kept side of a cursor; types do not bracket here (5.6).
  private func keeps(_ document: ReferenceDocument, _ cursor: Cursor?, sign: Int) -> Bool {
    guard let cursor else { return true }
    for (path, direction, value) in cursor.values {
      guard let form = document.field(path)?.form else { return false }
      let order = ReferenceValue.compare(form, value)
      if order != 0 { return (direction == .ascending ? order : -order) * sign > 0 }
    }
    return cursor.inclusive
  }

  // MARK: Filters

  private static func test(_ filter: QueryFilter, _ scope: StructuredQuery.Scope) -> Test {
    switch filter {
    case .and(let filters): return .all(filters.map { test($0, scope) })
    case .or(let filters): return .any(filters.map { test($0, scope) })
    case .field(let given):
      let filter = given.unary
      var members: [ReferenceValue] = []
      if filter.op.takesMembers, case .array(let values) = filter.value {
        members = values.map { form($0, filter.path, scope) }
        return .field(filter.path, filter.op, operand: ReferenceValue(.null), members: members)
      }
      return .field(
        filter.path, filter.op, operand: form(filter.value, filter.path, scope), members: [])
    }
  }

  /// An operand as queries see it; a name is never cut.
  private static func form(
    _ value: Value, _ path: FieldPath, _ scope: StructuredQuery.Scope
  ) -> ReferenceValue {
    if path.isName, case .reference(let name) = reference(value, scope) {
      return ReferenceValue(name: name)
    }
    return ReferenceValue(value)
  }

  /// The reference that an operand on the name stands for (3.4).
  static func reference(_ value: Value, _ scope: StructuredQuery.Scope) -> Value {
    switch (value, scope) {
    case (.string(let id), .collection(let collection)):
      return .reference(DocumentPath(collection: collection, id: id))
    case (.string(let text), .collectionGroup):
      let ids = ReferenceRules.split(text)
      let collection = CollectionPath(unchecked: ids.dropLast())
      return .reference(DocumentPath(collection: collection, id: ids.last ?? ""))
    default: return value
    }
  }

  private func holds(_ test: Test, _ document: ReferenceDocument) -> Bool {
    switch test {
    case .all(let tests): return tests.allSatisfy { holds($0, document) }
    case .any(let tests): return tests.contains { holds($0, document) }
    case .field(let path, let op, let operand, let members):
      // Of a missing field nothing holds, negations included (5.2).
      guard let field = document.field(path) else { return false }
      return holds(op, field, operand, members)
    }
  }

  private func holds(
    _ op: FilterOperator, _ field: ReferenceDocument.Field, _ operand: ReferenceValue,
    _ members: [ReferenceValue]
  ) -> Bool {
    let stored = field.form
    switch op {
    case .isNull: return stored.isNull
    case .isNaN: return stored.isNaN
    case .isNotNull: return !stored.isNull
    case .isNotNaN: return !stored.isNull && !stored.isNaN
    case .equal: return equal(stored, operand)
    case .notEqual: return !stored.isNull && ReferenceValue.compare(stored, operand) != 0
    case .lessThan: return range(stored, operand) { $0 < 0 }
    case .lessThanOrEqual: return range(stored, operand) { $0 <= 0 }
    case .greaterThan: return range(stored, operand) { $0 > 0 }
    case .greaterThanOrEqual: return range(stored, operand) { $0 >= 0 }
    case .in: return members.contains { equal(stored, $0) }
    case .notIn:
      return !stored.isNull
        && !members.contains { $0.isNull || ReferenceValue.compare(stored, $0) == 0 }
    case .arrayContains: return contains(field, operand)
    case .arrayContainsAny: return members.contains { contains(field, $0) }
    }
  }

  /// Raw equality, which null and NaN have with nothing (5.3).
  private func equal(_ stored: ReferenceValue, _ operand: ReferenceValue) -> Bool {
    !operand.isNull && !operand.isNaN && ReferenceValue.compare(stored, operand) == 0
  }

  private func contains(_ field: ReferenceDocument.Field, _ operand: ReferenceValue) -> Bool {
    !operand.isArray && (field.elements ?? []).contains { equal($0, operand) }
  }

  private func range(
    _ stored: ReferenceValue, _ operand: ReferenceValue, _ accepts: (Int) -> Bool
  ) -> Bool {
    // Ranges stay inside the operand's type, and null and NaN are in none.
    if stored.rank != operand.rank || stored.isNull || stored.isNaN || operand.isNaN {
      return false
    }
    return accepts(ReferenceValue.compare(stored, operand))
  }
}

extension FieldFilter {
  /// `== null` and its like as unary tests (5.1, step 1).
  var unary: FieldFilter {
    let isNull = ReferenceValue(value).isNull
    let isTested = isNull || ReferenceValue(value).isNaN
    switch op {
    // Their operand means nothing.
    case .isNull, .isNaN, .isNotNull, .isNotNaN: return FieldFilter(path, op, .null)
    case _ where !isTested: return self
    case .equal: return FieldFilter(path, isNull ? .isNull : .isNaN, .null)
    case .notEqual: return FieldFilter(path, isNull ? .isNotNull : .isNotNaN, .null)
    default: return self
    }
  }
}

extension FilterOperator {
  /// Whether the operand is a list of values.
  var takesMembers: Bool { self == .in || self == .notIn || self == .arrayContainsAny }

  /// Whether a field asked so is one of the order (5.5).
  var isUnequal: Bool {
    switch self {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn,
      .isNotNull, .isNotNaN:
      true
    case .equal, .in, .arrayContains, .arrayContainsAny, .isNull, .isNaN: false
    }
  }
}

extension ReferenceDatabase {
  /// The documents of a valid query.
  package func run(_ query: StructuredQuery) -> [Document] {
    ReferenceQuery(query).run(documents.values.map { ReferenceDocument($0) })
  }
}
