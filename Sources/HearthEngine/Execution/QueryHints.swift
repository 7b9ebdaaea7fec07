package import HearthModel

extension Engine {
  /// What is worth knowing about a query besides its plan: how many documents match its filters
  /// but are left out because they lack a field that it orders by.
  ///
  /// It counts index entries, so it is for people who analyse, not for every run; beyond
  /// `mostCounted` of them it says nothing.
  package func hints(about query: StructuredQuery) throws(HearthError) -> [String] {
    let mostCounted = 100_000
    let count = [Aggregation(.count(upTo: mostCounted))]
    let filtered = query.filter.map { FilteredFields.of($0) } ?? []
    let unfiltered = query.orderBy.map(\.path).filter { path in
      !path.isDocumentName && !filtered.contains(path)
    }
    if unfiltered.isEmpty { return [] }
    var ordered = query
    (ordered.start, ordered.end, ordered.limit, ordered.offset) = (nil, nil, nil, 0)
    ordered.limitIsToLast = false
    var unordered = ordered
    unordered.orderBy = []
    do throws(HearthError) {
      func number(_ query: StructuredQuery) throws(HearthError) -> Value? {
        try aggregatePlanned(query, count, configuration: nil, isAdvised: false)
          .values.first?.value
      }
      let all = try number(unordered)
      let kept = try number(ordered)
      guard case .integer(let all)? = all, case .integer(let kept)? = kept, all > kept,
        all < mostCounted
      else {
        return []
      }
      let names = unfiltered.map { "'\($0)'" }.joined(separator: ", ")
      let documents =
        all - kept == 1
        ? "1 document matches the filters but lacks"
        : "\(all - kept) documents match the filters but lack"
      return [
        "\(documents) \(unfiltered.count > 1 ? "one of " : "")\(names), "
          + "and ordering by it leaves them out"
      ]
    } catch {
      // Without the order another index may be missing; then there is nothing to say.
      if case .missingIndex? = error.details { return [] }
      throw error
    }
  }
}

/// The fields that every match of a filter has.
private enum FilteredFields {
  static func of(_ filter: QueryFilter) -> Set<FieldPath> {
    switch filter {
    case .field(let filter): return [filter.path]
    case .and(let children):
      var fields: Set<FieldPath> = []
      for child in children { fields.formUnion(of(child)) }
      return fields
    case .or(let children):
      var fields: Set<FieldPath>?
      for child in children {
        let own = of(child)
        fields = fields.map { $0.intersection(own) } ?? own
      }
      return fields ?? []
    }
  }
}
