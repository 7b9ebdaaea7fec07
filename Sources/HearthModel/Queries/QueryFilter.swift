/// The operators of a field filter.
package enum FilterOperator: String, Sendable, Hashable, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case lessThan = "<"
  case lessThanOrEqual = "<="
  case greaterThan = ">"
  case greaterThanOrEqual = ">="
  case arrayContains = "array-contains"
  case arrayContainsAny = "array-contains-any"
  case `in` = "in"
  case notIn = "not-in"
  case isNull = "is-null"
  case isNaN = "is-nan"
  case isNotNull = "is-not-null"
  case isNotNaN = "is-not-nan"

  /// Whether the field counts as an inequality field for the effective order (5.5).
  package var isInequality: Bool {
    switch self {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn,
      .isNotNull, .isNotNaN:
      true
    default: false
    }
  }

  /// Whether this is one of `< <= > >=`.
  package var isRange: Bool {
    switch self {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: true
    default: false
    }
  }
}

/// A filter on one field.
package struct FieldFilter: Sendable, Hashable {
  package var path: FieldPath
  package var op: FilterOperator
  /// The operand; an array for `in`, `not-in` and `array-contains-any`, null for the unary tests.
  package var value: Value

  package init(_ path: FieldPath, _ op: FilterOperator, _ value: Value) {
    self.path = path
    self.op = op
    self.value = value
  }
}

/// A filter: one field test, or a combination of filters.
package indirect enum QueryFilter: Sendable, Hashable {
  case field(FieldFilter)
  case and([QueryFilter])
  case or([QueryFilter])
}
