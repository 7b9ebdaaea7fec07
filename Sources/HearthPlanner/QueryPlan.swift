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
  /// The effective order, with the fields of an aggregation; every disjunction is read in it.
  package let order: [OrderBy]

  package init(
    query: NormalizedQuery, disjunctions: [DisjunctionPlan], aggregating paths: [FieldPath] = []
  ) {
    self.query = query
    self.disjunctions = disjunctions
    order = query.extendedOrder(aggregating: paths)
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

extension DisjunctionPlan {
  /// The scan, or the members of the merge.
  package var scans: [IndexScan] {
    switch self {
    case .nothing, .lookup: []
    case .scan(let scan): [scan]
    case .merge(let scans): scans
    }
  }

  /// The value that an equality fixes a field to.
  package func equality(of path: FieldPath) -> Value? {
    for scan in scans {
      for (field, value) in zip(scan.index.fields, scan.prefix)
      where field.path == path && field.mode != .contains {
        return value
      }
    }
    return nil
  }
}
