package import HearthModel

/// What a query gave, and from which version.
package struct QueryResult: Sendable {
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
package struct AggregationResult: Sendable {
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
  /// Absent when the query was planned but not run.
  package var statistics: ExecutionStatistics?

  package init(
    indexesUsed: [IndexDefinition], plan: [String], statistics: ExecutionStatistics? = nil
  ) {
    self.indexesUsed = indexesUsed
    self.plan = plan
    self.statistics = statistics
  }
}

/// Exact counts of one execution.
package struct ExecutionStatistics: Sendable, Equatable {
  package var resultsReturned = 0
  package var indexEntriesScanned = 0
  package var documentsScanned = 0
  package var bytesRead = 0
  package var durationNanoseconds: UInt64 = 0

  package init() {}

  /// Billable reads as Firestore counts them, at least one.
  package var readOperations: Int { max(1, documentsScanned) }
}
