package import HearthModel

/// Turns queries into plans: a pure function of the query and the index configuration.
package struct Planner: Sendable {
  private let configuration: IndexConfiguration

  package init(configuration: IndexConfiguration) { self.configuration = configuration }

  /// Plans every disjunction, or says which index is missing (6.4, 6.8).
  ///
  /// `aggregated` are the fields of sums and averages: an aggregation is answered from the index
  /// alone, so they stand in it before `__name__`.
  package func plan(
    _ query: NormalizedQuery, aggregating aggregated: [FieldPath] = []
  ) throws(HearthError) -> QueryPlan {
    var plans: [DisjunctionPlan] = []
    for conjunction in query.disjunctions {
      let disjunction = try Disjunction(conjunction, of: query, aggregated: aggregated)
      let plan = try plan(disjunction, of: query)
      // Limit 0 reads nothing, but only after its index was found to exist.
      plans.append(query.limit == 0 ? .nothing : plan)
    }
    return QueryPlan(query: query, disjunctions: plans, aggregating: aggregated)
  }

  private func plan(
    _ disjunction: Disjunction, of query: NormalizedQuery
  ) throws(HearthError) -> DisjunctionPlan {
    let choice = IndexChoice(
      disjunction: disjunction, collectionID: query.query.collectionID,
      scope: query.query.indexScope, configuration: configuration)
    let members = choice.choose()
    guard !members.isEmpty else {
      throw MissingIndex(disjunction: disjunction, query: query, configuration: configuration)
        .error
    }
    if disjunction.isContradictory { return .nothing }

    let cursors = CursorReduction(query: query, disjunction: disjunction)
    var bounds: [SuffixBound?] = []
    for (bound, side) in [(query.start, CursorReduction.Side.start), (query.end, .end)] {
      switch try cursors.reduce(bound, side) {
      case .everything: bounds.append(nil)
      case .nothing: return .nothing
      case .bound(let reduced): bounds.append(reduced)
      }
    }
    if cursors.excludesAll(start: bounds[0], end: bounds[1]) { return .nothing }

    let scans = members.map { member in
      scan(member, of: disjunction, start: bounds[0], end: bounds[1])
    }
    if disjunction.parts.isEmpty, disjunction.order.count == 1,
      disjunction.order[0].direction == .ascending, let name = disjunction.names.equal
    {
      return lookup(name, within: scans[0])
    }
    return scans.count == 1 ? .scan(scans[0]) : .merge(scans)
  }

  /// Name equality needs no scan, but cursors still apply to it.
  private func lookup(_ name: DocumentPath, within scan: IndexScan) -> DisjunctionPlan {
    for (bound, isStart) in [(scan.start, true), (scan.end, false)] {
      guard let bound, case .reference(let limit)? = bound.values.first else { continue }
      let order = DocumentPath.compare(name, limit)
      if order == 0 ? !bound.inclusive : (order < 0) == isStart { return .nothing }
    }
    return .lookup([name])
  }

  private func scan(
    _ member: IndexChoice.Candidate, of disjunction: Disjunction, start: SuffixBound?,
    end: SuffixBound?
  ) -> IndexScan {
    var intervals: [ValueInterval] = []
    var residuals: [Residual] = []
    for (position, order) in disjunction.order.enumerated() {
      guard let admitted = disjunction.admitted[order.path] else { continue }
      if position > 0 {
        residuals.append(Residual(position: position, intervals: admitted))
      } else {
        intervals = order.direction == .ascending ? admitted : admitted.reversed()
      }
    }
    return IndexScan(
      index: member.index, prefix: member.parts.compactMap { disjunction.parts[$0] },
      suffix: disjunction.order, intervals: intervals, residuals: residuals,
      names: disjunction.names.interval, start: start, end: end)
  }
}

extension Planner {
  /// The name that an operand or cursor value on `__name__` stands for.
  static func documentPath(of value: Value) throws(HearthError) -> DocumentPath {
    if case .reference(let path) = value { return path }
    throw notNormalized("a name given as \(value.text)")
  }

  /// Something that normalization would have replaced or refused: a fault of Hearth's own.
  static func notNormalized(_ text: String) -> HearthError {
    HearthError(
      .internal, "QUERY_NOT_NORMALIZED", "The planner got \(text), which no normalized query has.")
  }
}
