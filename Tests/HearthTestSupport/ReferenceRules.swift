package import HearthModel

/// The checks of documents-and-queries 5.9, each giving the reason of its failure.
package struct ReferenceRules {
  private let query: StructuredQuery
  private let filter: ReferenceFilter

  /// The reason for which a query is refused, nil if it is valid.
  ///
  /// All are `INVALID_ARGUMENT`.
  package static func refusal(_ query: StructuredQuery) -> String? {
    if let reason = shape(query) { return reason }
    // What is wrong with single filters is told before anything is joined or dropped.
    if let given = query.filter {
      if fields(given).contains(where: lacksList) { return "ARRAY_OPERAND" }
      if hasEmptyOr(given) { return "COMPOSITE_EMPTY" }
    }
    let rules = ReferenceRules(query: query, filter: ReferenceFilter(query.filter))
    return rules.negations ?? rules.names ?? rules.orders ?? rules.cursors ?? rules.window
      ?? rules.lists ?? rules.disjunctions
  }

  /// The reason for which aggregations are refused.
  package static func refusal(_ aggregations: [Aggregation]) -> String? {
    guard (1...5).contains(aggregations.count) else { return "AGGREGATION_COUNT" }
    var aliases: [String] = []
    var unnamed = 0
    for aggregation in aggregations {
      if case .count(let cap?) = aggregation.kind, cap < 0 { return "AGGREGATION_UP_TO" }
      if let path = aggregation.summed {
        if path.isName { return "AGGREGATION_FIELD" }
        if let reason = field(path) { return reason }
      }
      if aggregation.alias == nil { unnamed += 1 }
      let alias = aggregation.alias?.string ?? "field_\(unnamed)"
      if let reason = field(FieldPath([alias])) { return reason }
      if aliases.contains(where: { $0.utf8.elementsEqual(alias.utf8) }) {
        return "AGGREGATION_ALIAS"
      }
      aliases.append(alias)
    }
    return nil
  }

  /// The reason for which a valid query cannot be summed or averaged over these fields: they would
  /// stand in an index after a name that the query orders by or filters, or asks below.
  package static func refusal(
    _ query: StructuredQuery, aggregating summed: [FieldPath]
  ) -> String? {
    let filters = query.filter.map { fields($0) } ?? []
    let fixesName =
      query.ancestor != nil || query.orderBy.contains { $0.path.isName }
      || filters.contains { $0.path.isName }
    let ordered = ReferenceQuery.effectiveOrder(query).map(\.path)
    return fixesName && !summed.allSatisfy(ordered.contains) ? "AGGREGATION_AFTER_NAME" : nil
  }

  /// The ids of a slash-separated path; one slash at each end is tolerated (1.1).
  static func split(_ path: String) -> [String] {
    var ids = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(decoding: Array($0), as: UTF8.self) }
    if ids.count > 1, ids[0].isEmpty { ids.removeFirst() }
    if ids.count > 1, ids[ids.count - 1].isEmpty { ids.removeLast() }
    return ids
  }

  // MARK: Names and nesting, before everything else

  private static func shape(_ query: StructuredQuery) -> String? {
    for filter in query.filter.map(fields) ?? [] {
      if let reason = field(filter.path) { return reason }
      var values = [filter.value]
      if filter.op.takesMembers, case .array(let members) = filter.value { values = members }
      if values.contains(where: { depth($0) > 20 }) { return "DEPTH" }
    }
    for path in query.orderBy.map(\.path) + (query.projection ?? []) {
      if let reason = field(path) { return reason }
    }
    let values = (query.start?.values ?? []) + (query.end?.values ?? [])
    return values.contains { depth($0) > 20 } ? "DEPTH" : nil
  }

  /// A field path that may be asked for: `__name__`, or names that may be written (3.3).
  private static func field(_ path: FieldPath) -> String? {
    if path.isName { return nil }
    if path.segments.isEmpty { return "FIELD_NAME_EMPTY" }
    for segment in path.segments {
      if segment.utf8.isEmpty { return "FIELD_NAME_EMPTY" }
      if isReserved(segment) { return "FIELD_NAME_RESERVED" }
    }
    // Short names are not worth the writing of the canonical form.
    let length = path.segments.reduce(0) { $0 + $1.utf8.count }
    let isLong = length > 700 && path.description.utf8.count > 1500
    return isLong ? "FIELD_NAME_TOO_LONG" : nil
  }

  private static func isReserved(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    let line = UInt8(ascii: "_")
    return bytes.count > 3 && bytes[0] == line && bytes[1] == line
      && bytes[bytes.count - 2] == line && bytes[bytes.count - 1] == line
  }

  private static func depth(_ value: Value) -> Int {
    switch value {
    case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
    case .map(let fields): 1 + (fields.map { depth($0.value) }.max() ?? 0)
    default: 0
    }
  }

  private static func fields(_ filter: QueryFilter) -> [FieldFilter] {
    switch filter {
    case .field(let filter): [filter]
    case .and(let filters), .or(let filters): filters.flatMap(fields)
    }
  }

  private static func lacksList(_ filter: FieldFilter) -> Bool {
    guard filter.op.takesMembers else { return false }
    guard case .array(let members) = filter.value else { return true }
    return members.isEmpty
  }

  private static func hasEmptyOr(_ filter: QueryFilter) -> Bool {
    switch filter {
    case .field: false
    case .and(let filters): filters.contains(where: hasEmptyOr)
    case .or(let filters): filters.isEmpty || filters.contains(where: hasEmptyOr)
    }
  }

  // MARK: The rows of the table, in its order

  private var negations: String? {
    let fields = filter.fields
    let negative: [FilterOperator] = [.notEqual, .notIn, .isNotNull, .isNotNaN]
    if fields.count(where: { negative.contains($0.op) }) > 1 { return "MULTIPLE_NEGATIONS" }
    if fields.contains(where: { $0.op == .notIn }),
      filter.hasOr || fields.contains(where: { $0.op == .in || $0.op == .arrayContainsAny })
    {
      return "NOT_IN_COMBINATION"
    }
    return nil
  }

  private var names: String? {
    let asked = filter.fields.filter(\.path.isName)
    let refused: [FilterOperator] = [
      .arrayContains, .arrayContainsAny, .isNull, .isNaN, .isNotNull, .isNotNaN,
    ]
    if asked.contains(where: { refused.contains($0.op) }) { return "NAME_OPERATOR" }
    for filter in asked {
      var operands = [filter.value]
      if filter.op.takesMembers, case .array(let members) = filter.value { operands = members }
      if !operands.allSatisfy(isName) { return "NAME_OPERAND" }
    }
    return nil
  }

  /// Whether a value can stand for a document's name (3.4).
  private func isName(_ value: Value) -> Bool {
    let ids: [String]
    switch (value, query.scope) {
    case (.reference(let path), _): ids = path.segments
    case (.string(let id), .collection): ids = ["c", id]
    case (.string(let text), .collectionGroup): ids = ReferenceRules.split(text)
    default: return false
    }
    return !ids.isEmpty && ids.count % 2 == 0
      && ids.enumerated().allSatisfy { ReferenceRules.isID($1, isDocument: $0 % 2 == 1) }
  }

  /// The rules of ids (1.2).
  private static func isID(_ id: String, isDocument: Bool) -> Bool {
    guard (1...1500).contains(id.utf8.count), !id.utf8.contains(UInt8(ascii: "/")),
      !id.utf8.elementsEqual(".".utf8), !id.utf8.elementsEqual("..".utf8)
    else { return false }
    return !isReserved(id) || isDocument && ReferenceOrder.number(ofID: id) != nil
  }

  private var orders: String? {
    if Set(query.orderBy.map(\.path)).count < query.orderBy.count { return "ORDER_DUPLICATE" }
    let isLast = ReferenceQuery.effectiveOrder(query).last?.path.isName == true
    return isLast ? nil : "ORDER_AFTER_NAME"
  }

  private var cursors: String? {
    for cursor in [query.start, query.end] {
      guard let cursor else { continue }
      if cursor.values.isEmpty { return "CURSOR_EMPTY" }
      if cursor.values.count > query.orderBy.count { return "CURSOR_TOO_MANY_VALUES" }
      for (order, value) in zip(query.orderBy, cursor.values)
      where order.path.isName && !isName(value) {
        return "CURSOR_NAME_VALUE"
      }
    }
    return nil
  }

  private var window: String? {
    if let limit = query.limit {
      if limit < 0 { return "LIMIT" }
      if query.limitIsToLast, query.orderBy.isEmpty { return "LIMIT_TO_LAST_ORDER" }
    }
    return query.offset < 0 ? "OFFSET" : nil
  }

  private var lists: String? {
    let counts = filter.fields.map { filter -> (op: FilterOperator, members: Int) in
      if case .array(let members) = filter.value { return (filter.op, members.count) }
      return (filter.op, 0)
    }
    if counts.contains(where: { ($0.op == .in || $0.op == .arrayContainsAny) && $0.members > 30 }) {
      return "IN_TOO_MANY_VALUES"
    }
    if counts.contains(where: { $0.op == .notIn && $0.members > 10 }) {
      return "NOT_IN_TOO_MANY_VALUES"
    }
    return nil
  }

  private var disjunctions: String? {
    if filter.disjunctionCount > 30 { return "TOO_MANY_DISJUNCTIONS" }
    if filter.containsCount > 1 { return "ARRAY_CONTAINS_PER_DISJUNCTION" }
    let unequal = ReferenceQuery.inequalityFields(query.filter)
    if unequal.count > 10 { return "TOO_MANY_INEQUALITY_FIELDS" }
    let disjunctions = filter.disjunctions(in: query.scope)
    var components = query.orderBy.count + disjunctions.reduce(0) { $0 + $1.count }
    switch query.scope {
    case .collection(let path): if path.segments.count > 1 { components += 1 }
    case .collectionGroup: if query.ancestor != nil { components += 1 }
    }
    if components > 100 { return "TOO_MANY_COMPONENTS" }
    let fixesName = disjunctions.contains { $0.contains { $0.path.isName && $0.op == .equal } }
    if fixesName, !unequal.isEmpty, !unequal.contains(where: \.isName) {
      return "NAME_EQUALITY_WITH_INEQUALITY"
    }
    return nil
  }
}
