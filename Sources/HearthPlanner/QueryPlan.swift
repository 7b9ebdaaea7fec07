package import HearthModel

/// How a query will be answered: one plan per disjunction of its normal form.
///
/// A plan speaks of values and logical indexes only, so that it can be made, tested and printed
/// without a database.
package struct QueryPlan: Sendable, Hashable {
  /// The query that is planned; the executor takes order, limit and offset from it.
  package let query: NormalizedQuery
  /// Parallel to `query.disjunctions`.
  ///
  /// The results are merged in effective order, each document
  /// once.
  package let disjunctions: [DisjunctionPlan]

  package init(query: NormalizedQuery, disjunctions: [DisjunctionPlan]) {
    self.query = query
    self.disjunctions = disjunctions
  }
}

/// How one disjunction will be answered.
package enum DisjunctionPlan: Sendable, Hashable {
  /// No document can match: contradictory filters, an excluding cursor, or limit 0.
  case nothing
  /// Point lookups by name, in ascending name order; each may or may not exist.
  case lookup([DocumentPath])
  /// One index, read over one or more ranges.
  case scan(IndexScan)
  /// At least two indexes, in join order, intersected on their common suffix.
  case merge([IndexScan])
}
