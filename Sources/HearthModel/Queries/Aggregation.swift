/// One aggregation over the documents that a query returns (documents-and-queries, 5.8).
package struct Aggregation: Sendable, Hashable {
  /// What is computed.
  package enum Kind: Sendable, Hashable {
    /// The number of documents, counting no further than the cap if there is one.
    case count(upTo: Int?)
    case sum(FieldPath)
    case average(FieldPath)
  }

  package var kind: Kind
  /// The name of the result; nil for `field_` and a running number.
  package var alias: UTF8String?

  package init(_ kind: Kind, alias: String? = nil) {
    self.kind = kind
    self.alias = alias.map { UTF8String($0) }
  }

  /// The field of a sum or an average.
  package var path: FieldPath? {
    switch kind {
    case .count: nil
    case .sum(let path), .average(let path): path
    }
  }
}

/// One to five aggregations that passed every check, each with its name.
package struct AggregationList: Sendable, Hashable {
  /// The most aggregations of one call.
  package static let most = 5

  package let kinds: [Aggregation.Kind]
  /// Parallel to `kinds`; no two are equal.
  package let aliases: [UTF8String]

  /// Checks aggregations and names those that have no name.
  package init(_ aggregations: [Aggregation]) throws(HearthError) {
    guard (1...AggregationList.most).contains(aggregations.count) else {
      throw .invalid(
        "AGGREGATION_COUNT",
        "A call takes 1 to \(AggregationList.most) aggregations, not \(aggregations.count).")
    }
    var aliases: [UTF8String] = []
    var unnamed = 0
    for aggregation in aggregations {
      if case .count(let cap?) = aggregation.kind, cap < 0 {
        throw .invalid("AGGREGATION_UP_TO", "count(upTo:) must not be negative; \(cap) is.")
      }
      if let path = aggregation.path {
        if path.isDocumentName {
          throw .invalid(
            "AGGREGATION_FIELD",
            "A document's name cannot be summed or averaged; name a field of numbers.")
        }
        try path.validateForQuery()
      }
      if aggregation.alias == nil { unnamed += 1 }
      let alias = aggregation.alias ?? UTF8String("field_\(unnamed)")
      try FieldPath([alias.string]).validateForQuery()
      if aliases.contains(alias) {
        throw .invalid(
          "AGGREGATION_ALIAS", "Two aggregations are called '\(alias)'; names must differ.")
      }
      aliases.append(alias)
    }
    kinds = aggregations.map(\.kind)
    self.aliases = aliases
  }

  /// The fields of sums and averages in path order, each once.
  ///
  /// A document takes part only if it has them all.
  package var paths: [FieldPath] {
    var paths: Set<FieldPath> = []
    for case .sum(let path) in kinds { paths.insert(path) }
    for case .average(let path) in kinds { paths.insert(path) }
    return paths.sorted()
  }

  /// How many documents suffice: a number if all are counts with caps.
  package var cap: Int? {
    var cap = 0
    for kind in kinds {
      guard case .count(let limit?) = kind else { return nil }
      cap = max(cap, limit)
    }
    return cap
  }
}
