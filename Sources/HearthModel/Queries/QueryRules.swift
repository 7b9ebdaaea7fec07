/// The limits on queries (documents-and-queries, 5.9).
package enum QueryRules {
  package static let mostDisjunctions = 30
  package static let mostInValues = 30
  package static let mostNotInValues = 10
  package static let mostInequalityFields = 10
  package static let mostComponents = 100
  /// How deep filters may be nested in each other.
  ///
  /// A bound of ours, so that no walk over a filter exhausts the stack.
  package static let deepestFilter = 100
}

extension QueryFilter {
  /// Visits every field filter from left to right; the depth must have been checked.
  func visit(_ body: (FieldFilter) throws(HearthError) -> Void) throws(HearthError) {
    switch self {
    case .field(let filter): try body(filter)
    case .and(let children), .or(let children):
      for child in children { try child.visit(body) }
    }
  }

  /// Checks what must hold before anything walks the filter: nesting, paths and operand depths.
  func validateShape(depth: Int = 0) throws(HearthError) {
    if depth > QueryRules.deepestFilter {
      throw .invalid(
        "TOO_MANY_COMPONENTS",
        "Filters may be nested \(QueryRules.deepestFilter) deep at most.")
    }
    switch self {
    case .field(let filter):
      try filter.path.validateForQuery()
      // The lists of `in`, `not-in` and `array-contains-any` are not values themselves.
      if filter.op.takesList, case .array(let members) = filter.value {
        for member in members { try member.validateDepth() }
      } else {
        try filter.value.validateDepth()
      }
    case .and(let children), .or(let children):
      for child in children { try child.validateShape(depth: depth + 1) }
    }
  }
}

extension FilterOperator {
  /// Whether the operand is a list of values.
  package var takesList: Bool {
    switch self {
    case .in, .notIn, .arrayContainsAny: true
    default: false
    }
  }

  /// Whether this is one of the operators of which a query may have one (5.9).
  package var isNegation: Bool {
    switch self {
    case .notEqual, .notIn, .isNotNull, .isNotNaN: true
    default: false
    }
  }
}
