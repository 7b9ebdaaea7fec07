import HearthModel

/// The advice for a disjunction that no index serves (6.5, 6.8).
struct MissingIndex {
  let disjunction: Disjunction
  let query: NormalizedQuery
  let configuration: IndexConfiguration

  /// The suggested index: CN, then EQ ascending in field-path order, then OD as is.
  ///
  /// It serves the disjunction alone.
  var definition: IndexDefinition {
    IndexDefinition(
      collectionID: query.query.collectionID, scope: query.query.indexScope,
      fields: disjunction.containsPaths.map { IndexField($0, .contains) }
        + disjunction.equalityPaths.map { IndexField($0, .ascending) }
        + disjunction.order.map { IndexField($0.path, $0.direction.mode) })
  }

  var error: HearthError {
    let definition = definition
    let json = json(of: definition)
    let declared = configuration.composites.first { $0.definition == definition }
    let reason: String
    let advice: String
    switch declared?.state ?? (isBeingBuilt(definition) ? .creating : nil) {
    case .creating:
      reason = "INDEX_BUILDING"
      advice = "is still being built; run the query again when it is READY."
    case .needsRepair:
      reason = "INDEX_NEEDS_REPAIR"
      advice = "is declared but could not be built; drop it and create it again."
    case .ready, nil:
      reason = definition.isSingleField ? "INDEX_SINGLE_FIELD_MISSING" : "INDEX_MISSING"
      let section = definition.isSingleField ? "fieldOverrides" : "indexes"
      advice =
        "does not exist. Create it with createIndex, or paste this into \"\(section)\" of "
        + "firestore.indexes.json: \(json)"
    }
    let message = "The query requires an index. \(name(of: definition)) \(advice)\(hint)"
    return HearthError(
      .failedPrecondition, reason, message,
      details: .missingIndex(MissingIndexDetails(definition: definition, json: json)))
  }

  /// Whether a single-field index is configured, and documents do not all follow it yet.
  private func isBeingBuilt(_ definition: IndexDefinition) -> Bool {
    guard definition.isSingleField, let field = definition.fields.first else { return false }
    return configuration.maintainedIndexes(
      collectionID: definition.collectionID, path: field.path
    ).contains(SingleFieldIndex(mode: field.mode, scope: definition.scope))
  }

  /// The index in words; a single-field one by scope, mode, collection and field, as 6.8 asks.
  private func name(of definition: IndexDefinition) -> String {
    guard definition.isSingleField, let field = definition.fields.first else {
      return "The index \(definition.placed)"
    }
    let mode =
      switch field.mode {
      case .ascending: "ASC"
      case .descending: "DESC"
      case .contains: "CONTAINS"
      }
    return "The single-field index \(definition.scope.rawValue)_\(mode) on collection"
      + " '\(definition.collectionID)' and field '\(field.path)'"
  }

  private func json(of definition: IndexDefinition) -> String {
    guard definition.isSingleField, let path = definition.fields.first?.path else {
      return definition.jsonFragment
    }
    // An override replaces what the field has, so the fragment says that again.
    let existing = configuration.maintainedIndexes(
      collectionID: definition.collectionID, path: path)
    return definition.overrideAdding(to: existing).jsonFragment
  }

  /// Advice for several range fields: their order in the index is the developer's choice.
  private var hint: String {
    guard query.inequalityFields.count > 1 else { return "" }
    return " The order of range fields in the index follows orderBy; put the most selective first."
  }
}
