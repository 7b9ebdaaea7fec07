package import HearthModel

extension IndexDefinition {
  /// The built-in index on names, which every collection and every collection group has (6.2).
  package static func nameIndex(collectionID: String, scope: IndexScope) -> IndexDefinition {
    IndexDefinition(
      collectionID: collectionID, scope: scope, fields: [IndexField(.documentName, .ascending)])
  }
}

extension StructuredQuery {
  /// The index scope that serves this query; the scopes never stand in for each other (6.1).
  package var indexScope: IndexScope {
    switch scope {
    case .collection: .collection
    case .collectionGroup: .collectionGroup
    }
  }
}

extension Direction {
  /// The index mode that orders this way.
  var mode: IndexFieldMode { self == .ascending ? .ascending : .descending }
}
