/// Limits on index definitions (documents-and-queries, 6.3).
package enum IndexRules {
  /// The most fields of one index, `__name__` counted.
  package static let mostFields = 100
  package static let mostComposites = 1000
  package static let mostOverrides = 1000
}

extension IndexDefinition {
  /// Checks the rules of definitions (documents-and-queries, 6.1 and 6.3).
  package func validate() throws(HearthError) {
    do {
      try PathRules.checkCollectionID(collectionID)
    } catch {
      throw IndexDefinition.fault("its collection group cannot be used: \(error.message)")
    }
    for field in fields { try field.validate() }
    guard let name = fields.last, name.path.isDocumentName else {
      throw IndexDefinition.fault("its last field must be __name__")
    }
    if name.mode == .contains {
      throw IndexDefinition.fault("__name__ can be ordered only, not CONTAINS")
    }
    if fieldsBeforeName.contains(where: \.path.isDocumentName) {
      throw IndexDefinition.fault("__name__ can only be its last field; remove the others")
    }
    if fieldsBeforeName.isEmpty, name.mode == .ascending {
      throw IndexDefinition.fault(
        "it needs a field besides __name__; an index on __name__ ASCENDING always exists")
    }
    if fields.count > IndexRules.mostFields {
      throw IndexDefinition.fault(
        "it has \(fields.count) fields with __name__; \(IndexRules.mostFields) are the most")
    }
    if fields.count(where: { $0.mode == .contains }) > 1 {
      throw IndexDefinition.fault("it has more than one CONTAINS field; one is the most")
    }
    var ordered: Set<FieldPath> = []
    for field in fields where field.mode != .contains {
      if !ordered.insert(field.path).inserted {
        throw IndexDefinition.fault(
          "'\(field.path)' is ordered twice; a path may stand once ordered and once CONTAINS")
      }
    }
  }

  static func fault(_ what: String) -> HearthError {
    let end = what.hasSuffix(".") ? "" : "."
    return .invalid("INDEX_DEFINITION", "The index definition is not legal: \(what)\(end)")
  }

  /// Whether this is one field plus the name it implies: a single-field index (6.5).
  ///
  /// `(f DESC, __name__ ASC)` and `(__name__ DESC)` count as composite.
  package var isSingleField: Bool {
    guard fields.count == 2, let field = fields.first else { return false }
    return nameDirection == (field.mode == .descending ? .descending : .ascending)
  }
}

extension IndexField {
  fileprivate func validate() throws(HearthError) {
    do {
      try path.validateForQuery()
    } catch {
      throw IndexDefinition.fault("its field '\(path)' cannot be used: \(error.message)")
    }
  }
}

extension FieldOverride {
  /// Checks the rules of overrides (documents-and-queries, 6.2 and 6.3).
  package func validate() throws(HearthError) {
    do {
      try PathRules.checkCollectionID(collectionID)
      try path?.validateForWrite()
    } catch {
      throw IndexDefinition.fault("the override names what cannot be used: \(error.message)")
    }
    if Set(indexes).count != indexes.count {
      throw IndexDefinition.fault("the override lists the same index twice")
    }
  }
}
