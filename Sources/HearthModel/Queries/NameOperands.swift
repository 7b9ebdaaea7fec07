/// Turns operands for `__name__` into references (documents-and-queries, 3.4).
struct NameOperands {
  let scope: StructuredQuery.Scope

  /// `NAME_OPERATOR`: what cannot be asked of a reference.
  func checkOperators(_ filter: QueryFilter) throws(HearthError) {
    try filter.visit { (filter) throws(HearthError) in
      guard filter.path.isDocumentName else { return }
      switch filter.op {
      case .arrayContains, .arrayContainsAny, .isNull, .isNaN, .isNotNull, .isNotNaN:
        throw .invalid(
          "NAME_OPERATOR",
          "'\(filter.op.rawValue)' cannot be asked of the document's name, which is a reference.")
      default: break
      }
    }
  }

  /// A filter whose operand is resolved, or the filter itself if it is on another field.
  private func resolve(_ filter: FieldFilter) throws(HearthError) -> FieldFilter {
    guard filter.path.isDocumentName else { return filter }
    switch filter.op {
    case .in, .notIn:
      guard case .array(let members) = filter.value else { return filter }
      var resolved: [Value] = []
      for member in members { resolved.append(try operand(member, reason: "NAME_OPERAND")) }
      return FieldFilter(filter.path, filter.op, .array(resolved))
    default:
      return FieldFilter(
        filter.path, filter.op, try operand(filter.value, reason: "NAME_OPERAND"))
    }
  }

  /// All filters of a tree resolved, in the order of the tree.
  func resolve(_ filter: QueryFilter) throws(HearthError) -> QueryFilter {
    switch filter {
    case .field(let filter): return .field(try resolve(filter))
    case .and(let children): return .and(try resolve(children))
    case .or(let children): return .or(try resolve(children))
    }
  }

  private func resolve(_ children: [QueryFilter]) throws(HearthError) -> [QueryFilter] {
    var resolved: [QueryFilter] = []
    for child in children { resolved.append(try resolve(child)) }
    return resolved
  }

  /// One operand as a reference; `reason` is the token of the failure.
  func operand(_ value: Value, reason: String) throws(HearthError) -> Value {
    switch (value, scope) {
    case (.reference(let path), _):
      do {
        try path.validate()
      } catch {
        throw .invalid(reason, "\(error.message)")
      }
      return value
    case (.string(let id), .collection(let collection)):
      do {
        try PathRules.checkDocumentID(id)
      } catch {
        throw .invalid(
          reason, "In a query of one collection a document name is a plain id. \(error.message)")
      }
      return .reference(collection.document(id))
    case (.string(let text), .collectionGroup):
      do {
        return .reference(try DocumentPath(text))
      } catch {
        throw .invalid(
          reason,
          "In a collection group query a document name is a path from the root. \(error.message)")
      }
    default:
      throw .invalid(
        reason, "A document's name is compared with a document reference or an id string.")
    }
  }
}
