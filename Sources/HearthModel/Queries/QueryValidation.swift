/// The checks of documents-and-queries 5.9, one method per group, called in the table's order.
struct QueryValidation {
  let query: StructuredQuery

  init(_ query: StructuredQuery) { self.query = query }

  /// What must hold before anything else looks: names, nesting.
  func checkShape() throws(HearthError) {
    switch query.scope {
    case .collection(let path): try path.validate()
    case .collectionGroup(let id): try PathRules.checkCollectionID(id.string)
    }
    try query.ancestor?.validate()
    try query.filter?.validateShape()
    for order in query.orderBy { try order.path.validateForQuery() }
    for path in query.projection ?? [] { try path.validateForQuery() }
    for value in (query.start?.values ?? []) + (query.end?.values ?? []) {
      try value.validateDepth()
    }
  }

  /// `ARRAY_OPERAND`, `COMPOSITE_EMPTY`.
  func checkOperandsAndComposites() throws(HearthError) {
    guard let filter = query.filter else { return }
    try filter.visit { (filter) throws(HearthError) in
      guard filter.op.takesList else { return }
      if case .array(let members) = filter.value, !members.isEmpty { return }
      throw .invalid(
        "ARRAY_OPERAND",
        "'\(filter.op.rawValue)' on '\(filter.path)' takes a non-empty list of values.")
    }
    if filter.hasEmptyOr {
      throw .invalid("COMPOSITE_EMPTY", "An 'or' needs at least one filter.")
    }
  }

  /// `MULTIPLE_NEGATIONS`, `NOT_IN_COMBINATION`; over the flattened filter, so that what was
  /// written twice counts once and an `or` of one filter is none.
  func checkNegations(_ filter: QueryFilter?) throws(HearthError) {
    guard let filter else { return }
    var negations = 0
    var hasNotIn = false
    var hasList = false
    try filter.visit { (filter) throws(HearthError) in
      if filter.op.isNegation { negations += 1 }
      switch filter.op {
      case .notIn: hasNotIn = true
      case .in, .arrayContainsAny: hasList = true
      default: break
      }
    }
    if negations > 1 {
      throw .invalid(
        "MULTIPLE_NEGATIONS",
        "A query may have one of '!=', 'not-in' and the not-null and not-NaN tests, not "
          + "\(negations).")
    }
    if hasNotIn, hasList || filter.hasOr {
      throw .invalid(
        "NOT_IN_COMBINATION",
        "'not-in' cannot be combined with 'in', 'array-contains-any' or 'or'.")
    }
  }

  /// `CURSOR_*`; the bound with its names as references and the rest as stored.
  func bound(_ bound: Bound?, names: NameOperands) throws(HearthError) -> Bound? {
    guard var bound else { return nil }
    if bound.values.isEmpty {
      throw .invalid("CURSOR_EMPTY", "A cursor needs at least one value.")
    }
    // Implied orders take no value (8.16).
    if bound.values.count > query.orderBy.count {
      throw .invalid(
        "CURSOR_TOO_MANY_VALUES",
        "The cursor has \(counted(bound.values.count, "value")), but the query orders by "
          + "\(counted(query.orderBy.count, "field")) explicitly.")
    }
    bound.values = bound.values.map(\.normalizedForStorage)
    for (position, order) in query.orderBy.prefix(bound.values.count).enumerated()
    where order.path.isDocumentName {
      bound.values[position] = try names.operand(
        bound.values[position], reason: "CURSOR_NAME_VALUE")
    }
    return bound
  }

  /// `LIMIT`, `LIMIT_TO_LAST_ORDER`, `OFFSET` (5.7); a limit of 0 is legal here (8.23).
  func checkLimits() throws(HearthError) {
    if let limit = query.limit {
      if limit < 0 { throw .invalid("LIMIT", "A limit must not be negative.") }
      if query.limitIsToLast, query.orderBy.isEmpty {
        throw .invalid(
          "LIMIT_TO_LAST_ORDER", "limit(toLast:) needs an explicit order to count from its end.")
      }
    }
    if query.offset < 0 { throw .invalid("OFFSET", "An offset must not be negative.") }
  }

  /// `IN_TOO_MANY_VALUES`, `NOT_IN_TOO_MANY_VALUES`.
  func checkListLengths(_ filter: QueryFilter?) throws(HearthError) {
    try filter?.visit { (filter) throws(HearthError) in
      guard filter.op == .in || filter.op == .arrayContainsAny else { return }
      try check(
        filter, most: QueryRules.mostInValues, reason: "IN_TOO_MANY_VALUES")
    }
    try filter?.visit { (filter) throws(HearthError) in
      guard filter.op == .notIn else { return }
      try check(filter, most: QueryRules.mostNotInValues, reason: "NOT_IN_TOO_MANY_VALUES")
    }
  }

  private func check(_ filter: FieldFilter, most: Int, reason: String) throws(HearthError) {
    guard case .array(let members) = filter.value, members.count > most else { return }
    throw .invalid(
      reason,
      "'\(filter.op.rawValue)' on '\(filter.path)' takes \(most) values at most, not "
        + "\(members.count).")
  }

  /// `TOO_MANY_DISJUNCTIONS`, before any is made.
  func checkDisjunctionCount(_ filter: QueryFilter?) throws(HearthError) {
    guard let filter else { return }
    let count = filter.disjunctionCount
    if count > QueryRules.mostDisjunctions {
      throw .invalid(
        "TOO_MANY_DISJUNCTIONS",
        "The query has \(count) disjunctions after 'in', 'array-contains-any' and 'or' are "
          + "multiplied out; \(QueryRules.mostDisjunctions) are the most.")
    }
    // Thirty disjunctions of endless length are not worth making to be counted.
    let floor = filter.fieldFilterCount
    if floor > 100 * QueryRules.mostComponents { throw tooManyComponents(floor) }
  }

  /// `ARRAY_CONTAINS_PER_DISJUNCTION` to `NAME_EQUALITY_WITH_INEQUALITY`.
  func checkDisjunctions(
    _ disjunctions: [Conjunction], filter: QueryFilter?
  ) throws(HearthError) {
    // Counted on the tree, so that one filter written in two ways counts twice.
    if let filter, filter.arrayContainsPerDisjunction > 1 {
      throw .invalid(
        "ARRAY_CONTAINS_PER_DISJUNCTION",
        "'array-contains' and 'array-contains-any' can be used once per disjunction.")
    }
    let inequalities = try EffectiveOrder.inequalityFields(of: filter)
    if inequalities.count > QueryRules.mostInequalityFields {
      throw .invalid(
        "TOO_MANY_INEQUALITY_FIELDS",
        "The query has inequalities on \(inequalities.count) fields; "
          + "\(QueryRules.mostInequalityFields) are the most.")
    }
    let filters = disjunctions.reduce(0) { $0 + $1.filters.count }
    let components = filters + query.orderBy.count + (query.hasParentDocument ? 1 : 0)
    if components > QueryRules.mostComponents { throw tooManyComponents(components) }
    let hasNameEquality = disjunctions.contains { disjunction in
      disjunction.filters.contains { $0.path.isDocumentName && $0.op == .equal }
    }
    if hasNameEquality, !inequalities.isEmpty, !inequalities.contains(.documentName) {
      throw .invalid(
        "NAME_EQUALITY_WITH_INEQUALITY",
        "'==' or 'in' on the document's name cannot be combined with inequalities on other fields.")
    }
  }

  private func tooManyComponents(_ count: Int) -> HearthError {
    .invalid(
      "TOO_MANY_COMPONENTS",
      "The filters of all disjunctions, the orders and the parent make \(count) components; "
        + "\(QueryRules.mostComponents) are the most.")
  }
}

extension StructuredQuery {
  /// Whether the queried collection lies under a document.
  fileprivate var hasParentDocument: Bool {
    switch scope {
    case .collection(let path): path.segments.count > 1
    case .collectionGroup: ancestor != nil
    }
  }
}

extension QueryFilter {
  fileprivate var hasEmptyOr: Bool {
    switch self {
    case .field: false
    case .and(let children): children.contains(where: \.hasEmptyOr)
    case .or(let children): children.isEmpty || children.contains(where: \.hasEmptyOr)
    }
  }

  fileprivate var hasOr: Bool {
    switch self {
    case .field: false
    case .and(let children): children.contains(where: \.hasOr)
    case .or: true
    }
  }

  /// The most array-contains filters that any one disjunction has.
  fileprivate var arrayContainsPerDisjunction: Int {
    switch self {
    case .field(let filter): filter.op == .arrayContains || filter.op == .arrayContainsAny ? 1 : 0
    case .and(let children): children.reduce(0) { $0 + $1.arrayContainsPerDisjunction }
    case .or(let children): children.map(\.arrayContainsPerDisjunction).max() ?? 0
    }
  }

  fileprivate var fieldFilterCount: Int {
    switch self {
    case .field: 1
    case .and(let children), .or(let children):
      children.reduce(0) { $0 + $1.fieldFilterCount }
    }
  }
}
