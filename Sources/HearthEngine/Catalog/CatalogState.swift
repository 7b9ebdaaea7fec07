import HearthEncoding
import HearthModel

/// A declared index with its number and state.
struct DeclaredTree: Sendable, Hashable {
  /// The place in the order of declaration; names the catalog record.
  var sequence: UInt64
  /// As declared: directions count for planning.
  var definition: IndexDefinition
  /// The tree that serves it and its twin.
  var tree: PhysicalIndex
  var state: IndexState

  /// Whether writes keep it up to date.
  var isMaintained: Bool { state != .needsRepair }
}

/// What the catalog says at one moment: a value that readers take whole.
struct CatalogState: Sendable {
  /// Counts changes, so that what was prepared under an older state is prepared again.
  var generation = 0
  var declared: [DeclaredTree] = []
  var overrides: [FieldOverride] = []

  /// For the planner and for automatic entries.
  var configuration: IndexConfiguration {
    IndexConfiguration(
      composites: declared.map { DeclaredIndex(definition: $0.definition, state: $0.state) },
      overrides: overrides)
  }

  /// The trees that writes to a collection id maintain; twins share one.
  func maintained(collectionID: String) -> [PhysicalIndex] {
    var trees: [PhysicalIndex] = []
    for index in declared
    where index.isMaintained && UTF8Order.equal(index.definition.collectionID, collectionID)
      && !trees.contains(index.tree)
    {
      trees.append(index.tree)
    }
    return trees
  }

  /// The tree of a declared index.
  func tree(of definition: IndexDefinition) -> PhysicalIndex? {
    declared.first { $0.definition == definition }?.tree
  }
}
