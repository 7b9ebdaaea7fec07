extension FieldFilter {
  /// Whether the filter holds of a document (documents-and-queries, 5.2 and 5.3).
  package func matches(_ path: DocumentPath, _ fields: Fields) -> Bool {
    if self.path.isDocumentName { return matchesName(path) }
    // A missing field makes every filter false, negations too.
    guard let stored = fields.value(at: self.path) else { return false }
    return matches(stored)
  }

  /// Whether the filter holds of a stored value; not for filters on the document's name.
  package func matches(_ stored: Value) -> Bool {
    switch op {
    case .equal: return FieldFilter.equals(stored, value)
    case .notEqual:
      return !stored.isNull && !value.isNull && Value.compareIndexForms(stored, value) != 0
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      // Ranges stay inside the operand's type, and null and NaN are in none.
      guard stored.rank == value.rank, !stored.isNull, !stored.isNaN, !value.isNaN else {
        return false
      }
      return op.accepts(Value.compareIndexForms(stored, value))
    case .in: return members.contains { FieldFilter.equals(stored, $0) }
    case .notIn:
      // Here NaN in the list does exclude NaN, and null excludes everything.
      return !stored.isNull
        && members.allSatisfy { !$0.isNull && Value.compareIndexForms(stored, $0) != 0 }
    case .arrayContains: return FieldFilter.contains(stored, value)
    case .arrayContainsAny: return members.contains { FieldFilter.contains(stored, $0) }
    case .isNull: return stored.isNull
    case .isNaN: return stored.isNaN
    case .isNotNull: return !stored.isNull
    case .isNotNaN: return !stored.isNull && !stored.isNaN
    }
  }

  /// Raw equality: null and NaN equal nothing.
  private static func equals(_ stored: Value, _ operand: Value) -> Bool {
    !operand.isNull && !operand.isNaN && Value.compareIndexForms(stored, operand) == 0
  }

  private static func contains(_ stored: Value, _ operand: Value) -> Bool {
    guard case .array(let elements) = stored else { return false }
    if case .array = operand { return false }
    return elements.contains { equals($0, operand) }
  }

  /// The members of a list operand.
  private var members: [Value] {
    if case .array(let members) = value { return members }
    return []
  }

  /// Filters on the name compare whole names; those are never cut to an index form.
  private func matchesName(_ path: DocumentPath) -> Bool {
    func order(_ operand: Value) -> Int? {
      guard case .reference(let name) = operand else { return nil }
      return DocumentPath.compare(path, name)
    }
    switch op {
    case .equal: return order(value) == 0
    case .notEqual: return order(value).map { $0 != 0 } ?? false
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      return order(value).map(op.accepts) ?? false
    case .in: return members.contains { order($0) == 0 }
    case .notIn: return members.allSatisfy { order($0) != 0 }
    default: return false
    }
  }
}

extension FilterOperator {
  /// Whether a range accepts a stored value that compares so with the operand.
  fileprivate func accepts(_ order: Int) -> Bool {
    switch self {
    case .lessThan: order < 0
    case .lessThanOrEqual: order <= 0
    case .greaterThan: order > 0
    case .greaterThanOrEqual: order >= 0
    default: false
    }
  }
}
