package import HearthModel

/// A result that tells how it came about.
protocol Explained {
  var explanation: Explanation { get set }
}

/// What a query gave, and from which version.
package struct QueryResult: Sendable, Explained {
  /// The documents in query order.
  package var documents: [StoredDocument]
  /// The version that all of them were read at.
  package var version: CommitVersion
  /// How the query was served and what it touched.
  package var explanation: Explanation

  package init(
    documents: [StoredDocument], version: CommitVersion, explanation: Explanation
  ) {
    self.documents = documents
    self.version = version
    self.explanation = explanation
  }
}

/// What aggregations gave, and from which version.
package struct AggregationResult: Sendable, Explained {
  /// The results by name, in the order of the call.
  package var values: [(alias: UTF8String, value: Value)]
  /// The version that everything was read at.
  package var version: CommitVersion
  /// How the query was served and what it touched.
  package var explanation: Explanation

  package init(
    values: [(alias: UTF8String, value: Value)], version: CommitVersion, explanation: Explanation
  ) {
    self.values = values
    self.version = version
    self.explanation = explanation
  }
}

/// How a query is served (documents-and-queries, 7), and with `statistics` what it touched.
package struct Explanation: Sendable, Equatable {
  /// One element per scan, in the order of disjunctions and of merge members.
  package var indexesUsed: [IndexDefinition]
  /// The plan in words, one line per disjunction.
  package var plan: [String]
  /// The order that the query really has, as text.
  package var order: String
  /// The index that is missing, where the query runs without it (policies `advise` and `scan`).
  package var assumedIndex: IndexDefinition?
  /// Absent when the query was planned but not run.
  package var statistics: ExecutionStatistics?

  package init(
    indexesUsed: [IndexDefinition], plan: [String], order: [OrderBy],
    assumedIndex: IndexDefinition? = nil, statistics: ExecutionStatistics? = nil
  ) {
    self.indexesUsed = indexesUsed
    self.plan = plan
    let fields = order.map { "\($0.path) \($0.direction == .ascending ? "ASC" : "DESC")" }
    self.order = "(\(fields.joined(separator: ", ")))"
    self.assumedIndex = assumedIndex
    self.statistics = statistics
  }

  /// The same with the counts of a run.
  func measured(_ statistics: ExecutionStatistics) -> Explanation {
    var explanation = self
    explanation.statistics = statistics
    return explanation
  }
}

/// Exact counts of one execution.
package struct ExecutionStatistics: Sendable, Equatable {
  package var resultsReturned = 0
  package var indexEntriesScanned = 0
  package var documentsScanned = 0
  package var bytesRead = 0
  package var durationNanoseconds: UInt64 = 0
  /// Whether counts, sums or averages were asked, and not documents.
  package var isAggregation = false

  package init() {}

  /// Billable reads as Firestore counts them, at least one: documents, or for an aggregation every
  /// thousand index entries begun.
  package var readOperations: Int {
    let billed = isAggregation ? (indexEntriesScanned + 999) / 1000 : documentsScanned
    return max(1, billed)
  }
}
