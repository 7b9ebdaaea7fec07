/// The state of an index (documents-and-queries, 6.7).
public enum IndexState: String, Sendable, Hashable {
  /// Kept up to date by writes, being filled from older documents, not yet used by queries.
  case creating = "CREATING"
  /// Kept up to date and used.
  case ready = "READY"
  /// Neither; drop and create it again.
  case needsRepair = "NEEDS_REPAIR"
}

/// A declared index and its state.
package struct DeclaredIndex: Sendable, Hashable {
  package var definition: IndexDefinition
  package var state: IndexState

  package init(definition: IndexDefinition, state: IndexState) {
    self.definition = definition
    self.state = state
  }
}

/// One index of a single field: its mode and scope.
public struct SingleFieldIndex: Sendable, Hashable {
  /// Ascending, descending, or the elements of an array.
  public var mode: IndexFieldMode
  /// Whether it covers one collection or all with the same id.
  public var scope: IndexScope

  /// Makes an index of a field that is named elsewhere.
  public init(mode: IndexFieldMode, scope: IndexScope) {
    self.mode = mode
    self.scope = scope
  }
}

/// What replaces the automatic indexes of a field and of the fields below it (6.2).
public struct FieldOverride: Sendable, Hashable {
  /// The id of the collections concerned.
  public let collectionID: String
  /// The field, or nil for the collection-level override `*`.
  public let path: FieldPath?
  /// What the field has; none exempts it.
  public internal(set) var indexes: [SingleFieldIndex]

  package init(collectionID: String, path: FieldPath?, indexes: [SingleFieldIndex]) {
    self.collectionID = collectionID
    self.path = path
    self.indexes = indexes
  }

  /// Equal by the bytes of the names.
  public static func == (a: FieldOverride, b: FieldOverride) -> Bool {
    UTF8Order.equal(a.collectionID, b.collectionID) && a.path == b.path
      && a.indexes == b.indexes
  }

  /// Hashes in agreement with `==`.
  public func hash(into hasher: inout Hasher) {
    hasher.combineUTF8(collectionID)
    hasher.combine(path)
    hasher.combine(indexes)
  }
}

/// A change of a collection id's overrides that documents do not all follow yet.
package struct OverrideChange: Sendable, Hashable {
  package var collectionID: String
  /// The overrides of the collection id before the change.
  package var previous: [FieldOverride]

  package init(collectionID: String, previous: [FieldOverride]) {
    self.collectionID = collectionID
    self.previous = previous
  }

  package static func == (a: OverrideChange, b: OverrideChange) -> Bool {
    UTF8Order.equal(a.collectionID, b.collectionID) && a.previous == b.previous
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combineUTF8(collectionID)
    hasher.combine(previous)
  }
}

/// Everything that planner and index maintenance know about indexes: a value, so that a plan can
/// be made and tested without a database.
package struct IndexConfiguration: Sendable, Hashable {
  /// Declared composite indexes, in the order of their declaration.
  package var composites: [DeclaredIndex]
  package var overrides: [FieldOverride]
  /// Changes of overrides that are being applied to documents.
  package var changes: [OverrideChange]

  package init(
    composites: [DeclaredIndex] = [], overrides: [FieldOverride] = [],
    changes: [OverrideChange] = []
  ) {
    self.composites = composites
    self.overrides = overrides
    self.changes = changes
  }

  /// The default automatic indexes.
  package static let defaultIndexes: [SingleFieldIndex] = [
    SingleFieldIndex(mode: .ascending, scope: .collection),
    SingleFieldIndex(mode: .descending, scope: .collection),
    SingleFieldIndex(mode: .contains, scope: .collection),
  ]

  /// The single-field indexes of a path that queries can use: longest configured prefix, then `*`,
  /// then the default.
  ///
  /// While a change is being applied, what is configured before and after it.
  package func singleFieldIndexes(
    collectionID: String, path: FieldPath
  ) -> [SingleFieldIndex] {
    let indexes = maintainedIndexes(collectionID: collectionID, path: path)
    guard let change = change(of: collectionID) else { return indexes }
    let before = IndexConfiguration(overrides: change.previous)
      .maintainedIndexes(collectionID: collectionID, path: path)
    return indexes.filter(before.contains)
  }

  /// The single-field indexes of a path that writes keep up to date.
  package func maintainedIndexes(
    collectionID: String, path: FieldPath
  ) -> [SingleFieldIndex] {
    if overrides.isEmpty { return IndexConfiguration.defaultIndexes }
    var best: FieldOverride?
    for override in overrides where UTF8Order.equal(override.collectionID, collectionID) {
      if let prefix = override.path, !prefix.isPrefix(of: path) { continue }
      let length = override.path?.segments.count ?? 0
      if best == nil || length > (best?.path?.segments.count ?? 0) { best = override }
    }
    return best?.indexes ?? IndexConfiguration.defaultIndexes
  }

  /// The change of a collection id's overrides that is being applied, if there is one.
  package func change(of collectionID: String) -> OverrideChange? {
    changes.first { UTF8Order.equal($0.collectionID, collectionID) }
  }

  /// Whether queries can use a single-field index.
  package func offers(_ mode: IndexFieldMode, of path: FieldPath, in index: IndexDefinition)
    -> Bool
  {
    if overrides.isEmpty, changes.isEmpty { return index.scope == .collection }
    return singleFieldIndexes(collectionID: index.collectionID, path: path)
      .contains(SingleFieldIndex(mode: mode, scope: index.scope))
  }
}
