import HearthModel

/// The indexes that may serve one disjunction, and the choice among them (6.4).
struct IndexChoice {
  /// An index that ends in exactly the disjunction's order, and what leads it.
  struct Candidate {
    let index: IndexDefinition
    let parts: [Disjunction.Part]
  }

  let disjunction: Disjunction
  let collectionID: String
  let scope: IndexScope
  let configuration: IndexConfiguration

  /// The chosen indexes in join order: one, or several to merge; empty if nothing serves.
  func choose() -> [Candidate] {
    let count = disjunction.parts.count
    if let name = nameScan { return [name] }
    let automatic = automaticIndexes.compactMap(candidate)
    if let alone = automatic.first(where: { $0.parts.count == count }) { return [alone] }
    if let alone = relaxed { return [alone] }
    let composite = readyComposites.compactMap(candidate)
    if let alone = composite.first(where: { $0.parts.count == count }) { return [alone] }
    return merge(composite + automatic)
  }

  /// The members of a merge: those with most leading fields first, each one that adds something.
  private func merge(_ candidates: [Candidate]) -> [Candidate] {
    var missing = Set(disjunction.parts.keys)
    var members: [Candidate] = []
    // Sorted by position too: the choice must not depend on the sort being stable.
    let sorted = candidates.enumerated().sorted { a, b in
      (-a.element.parts.count, a.offset) < (-b.element.parts.count, b.offset)
    }
    for (_, candidate) in sorted where !missing.isDisjoint(with: candidate.parts) {
      missing.subtract(candidate.parts)
      members.append(candidate)
    }
    return missing.isEmpty ? members : []
  }

  /// The index as a candidate: any permutation of some of EQ and CN, then exactly OD.
  ///
  /// Nothing may be left over, and a fully reversed index does not serve.
  private func candidate(_ index: IndexDefinition) -> Candidate? {
    let order = disjunction.order
    let lead = index.fields.count - order.count
    guard lead >= 0 else { return nil }
    for (field, wanted) in zip(index.fields[lead...], order)
    where field.path != wanted.path || field.mode != wanted.direction.mode {
      return nil
    }
    return candidate(index, lead: index.fields[..<lead])
  }

  private func candidate(_ index: IndexDefinition, lead: ArraySlice<IndexField>) -> Candidate? {
    let parts = lead.map { Disjunction.Part(path: $0.path, isContains: $0.mode == .contains) }
    guard parts.allSatisfy({ disjunction.parts[$0] != nil }), Set(parts).count == parts.count
    else { return nil }
    return Candidate(index: index, parts: parts)
  }

  /// The built-in name index, for a disjunction without other fields in name order.
  private var nameScan: Candidate? {
    guard disjunction.parts.isEmpty, disjunction.order == [OrderBy(.documentName)] else {
      return nil
    }
    return Candidate(index: .nameIndex(collectionID: collectionID, scope: scope), parts: [])
  }

  /// The one relaxation: a single equality may use its field's only automatic index although
  /// `__name__` runs the other way in it.
  private var relaxed: Candidate? {
    guard disjunction.parts.count == 1, disjunction.order.count == 1,
      let index = automaticIndexes.first(where: { $0.fields.first?.mode != .contains })
    else { return nil }
    return candidate(index, lead: index.fieldsBeforeName)
  }

  private var readyComposites: [IndexDefinition] {
    configuration.composites.filter { declared in
      declared.state == .ready && declared.definition.scope == scope
        && UTF8Order.equal(declared.definition.collectionID, collectionID)
    }.map(\.definition)
  }

  /// The single-field indexes of every field that one could serve, by field path.
  private var automaticIndexes: [IndexDefinition] {
    var paths = Set(disjunction.parts.keys.map(\.path))
    if disjunction.order.count == 2 { paths.insert(disjunction.order[0].path) }
    return paths.sorted().flatMap { path in
      configuration.singleFieldIndexes(collectionID: collectionID, path: path)
        .filter { $0.scope == scope }
        .map {
          IndexDefinition(
            collectionID: collectionID, scope: scope, fields: [IndexField(path, $0.mode)])
        }
    }
  }
}
