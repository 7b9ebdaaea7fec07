package import HearthModel

/// A tree in the table of entries: its number and what it holds, with `__name__` ascending.
package struct PhysicalIndex: Sendable, Hashable {
  package var number: IndexNumber
  package var definition: IndexDefinition

  /// Takes a definition or its twin; both mean the same tree.
  package init(number: IndexNumber, definition: IndexDefinition) {
    self.number = number
    self.definition = definition.physical
  }
}

/// What tells one automatic tree from another, without the cost of a whole definition per field
/// and write.
package struct AutomaticIndexKey: Sendable, Hashable {
  package var collectionID: String
  package var path: FieldPath
  /// Whether the tree holds the elements of arrays instead of whole values.
  package var contains: Bool
  package var scope: IndexScope

  package init(collectionID: String, path: FieldPath, contains: Bool, scope: IndexScope) {
    self.collectionID = collectionID
    self.path = path
    self.contains = contains
    self.scope = scope
  }

  /// The physical definition of the tree.
  package var definition: IndexDefinition {
    IndexDefinition(
      collectionID: collectionID, scope: scope,
      fields: [IndexField(path, contains ? .contains : .ascending)])
  }

  /// The key of a physical definition with one field before the name, nil for any other.
  package init?(_ definition: IndexDefinition) {
    let physical = definition.physical
    guard physical.fields.count == 2, physical.fields[0].mode != .descending else { return nil }
    self.init(
      collectionID: physical.collectionID, path: physical.fields[0].path,
      contains: physical.fields[0].mode == .contains, scope: physical.scope)
  }

  /// Equal by the bytes of the names.
  package static func == (a: AutomaticIndexKey, b: AutomaticIndexKey) -> Bool {
    a.contains == b.contains && a.scope == b.scope && a.path == b.path
      && UTF8Order.equal(a.collectionID, b.collectionID)
  }

  /// Hashes in agreement with `==`.
  package func hash(into hasher: inout Hasher) {
    hasher.combineUTF8(collectionID)
    hasher.combine(path)
    hasher.combine(contains)
    hasher.combine(scope == .collection)
  }
}
