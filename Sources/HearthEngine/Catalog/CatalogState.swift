package import HearthEncoding
package import HearthModel

/// A declared index with its number and state.
package struct DeclaredTree: Sendable, Hashable {
  /// The place in the order of declaration; names the catalog record.
  package var sequence: UInt64
  /// As declared: directions count for planning.
  package var definition: IndexDefinition
  /// The tree that serves it and its twin.
  package var tree: PhysicalIndex
  package var state: IndexState

  /// Whether writes keep it up to date.
  package var isMaintained: Bool { state != .needsRepair }
}

/// What the catalog says at one moment: a value that readers take whole.
package struct CatalogState: Sendable {
  /// Counts changes, so that what was prepared under an older state is prepared again.
  package var generation = 0
  package var declared: [DeclaredTree] = []
  package var overrides: [FieldOverride] = []
  /// Changes of overrides that are being applied to documents.
  package var changes: [OverrideChange] = []
  /// Counts changes of the overrides, so that a transaction notices that an index which it read
  /// through has gone.
  var overridesNumber = 0

  /// For the planner and for automatic entries.
  package var configuration: IndexConfiguration {
    IndexConfiguration(
      composites: declared.map { DeclaredIndex(definition: $0.definition, state: $0.state) },
      overrides: overrides, changes: changes)
  }

  /// For the entries of single fields, which composites do not concern; made for each document
  /// that is written, so it copies no more than the overrides.
  var fieldConfiguration: IndexConfiguration {
    IndexConfiguration(overrides: overrides, changes: changes)
  }

  /// The trees that writes to a collection id maintain; twins share one.
  package func maintained(collectionID: String) -> [PhysicalIndex] {
    var trees: [PhysicalIndex] = []
    for index in declared
    where index.isMaintained && UTF8Order.equal(index.definition.collectionID, collectionID)
      && !trees.contains(index.tree)
    {
      trees.append(index.tree)
    }
    return trees
  }

  /// A declared index as it stands in the catalog.
  func declared(_ definition: IndexDefinition) -> DeclaredTree? {
    declared.first { $0.definition == definition }
  }

  /// The tree of a declared index.
  package func tree(of definition: IndexDefinition) -> PhysicalIndex? {
    declared(definition)?.tree
  }
}
