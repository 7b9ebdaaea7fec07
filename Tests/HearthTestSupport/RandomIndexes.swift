package import HearthModel

extension RandomSchema {
  /// Shorter indexes that can be merged to serve a disjunction: its leading fields in random
  /// groups, orders and directions, and some that are of no use.
  package mutating func parts(of disjunction: ReferenceDisjunction) -> [IndexDefinition] {
    let leads = Array(disjunction.leads).sorted {
      ReferenceOrder.paths($0.path, $1.path) < 0 || $0.path == $1.path && $0.isContains
    }
    var parts: [IndexDefinition] = []
    if leads.count > 1 {
      for position in leads.indices where !oneIn(5) {
        var group = [leads[position]]
        for other in leads where other != leads[position] && oneIn(4) { group.append(other) }
        parts.append(disjunction.index(index(group.shuffled(using: &generator))))
      }
    }
    if oneIn(3), !leads.isEmpty {
      // All fields, in an order and with directions that nobody would suggest.
      parts.append(disjunction.index(index(leads.shuffled(using: &generator))))
    }
    // The order of a twin, which must not serve.
    if oneIn(4), let last = parts.last { parts.append(last.twin) }
    return parts
  }

  private mutating func index(_ leads: [ReferenceDisjunction.Lead]) -> [IndexField] {
    leads.map { IndexField($0.path, $0.isContains ? .contains : pick([.ascending, .descending])) }
  }

  /// Field overrides for a new database, often none: exemptions, single modes, and for groups both scopes.
  package mutating func overrides() -> [FieldOverride] {
    if oneIn(2) { return [] }
    var overrides: [FieldOverride] = []
    if !oneIn(4) {
      overrides.append(
        FieldOverride(
          collectionID: RandomSchema.groupID, path: nil,
          indexes: [IndexScope.collection, .collectionGroup].flatMap { scope in
            [IndexFieldMode.ascending, .descending, .contains].map {
              SingleFieldIndex(mode: $0, scope: scope)
            }
          }))
    }
    for path in paths where oneIn(3) { overrides.append(override(of: path)) }
    return overrides
  }

  /// A field override for one of the fields.
  package mutating func override() -> FieldOverride { override(of: pick(paths)) }

  private mutating func override(of path: FieldPath) -> FieldOverride {
    var indexes: [SingleFieldIndex] = []
    for mode in [IndexFieldMode.ascending, .descending, .contains] where oneIn(2) {
      indexes.append(SingleFieldIndex(mode: mode, scope: .collection))
      if oneIn(2) { indexes.append(SingleFieldIndex(mode: mode, scope: .collectionGroup)) }
    }
    return FieldOverride(collectionID: RandomSchema.groupID, path: path, indexes: indexes)
  }

  /// Overrides that take some automatic indexes from a plan; all that they leave exist.
  package mutating func restrictions(
    of configuration: IndexConfiguration, _ collectionID: String
  ) -> [FieldOverride] {
    var restrictions: [FieldOverride] = []
    for path in paths where oneIn(3) {
      if configuration.overrides.contains(where: { $0.path == path }) { continue }
      let present = ReferenceDisjunction.singles(collectionID, path, configuration)
      restrictions.append(
        FieldOverride(
          collectionID: collectionID, path: path, indexes: present.filter { _ in oneIn(2) }))
    }
    return restrictions
  }
}
