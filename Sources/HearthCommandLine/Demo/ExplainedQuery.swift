import Hearth

/// A query's results, and how they were found.
struct ExplainedQuery: Sendable {
  var documents: [QueryDocumentSnapshot]
  /// One line for each disjunction.
  var plan: [String]
  /// The properties of each index that was scanned.
  var indexes: [String]
  var entriesScanned: Int
  var documentsRead: Int
}

extension Query {
  /// Runs the query, and tells how it was served and what it touched.
  func explained() async throws -> ExplainedQuery {
    let result = try await explain(analyze: true)
    let stats = result.executionStats?.debugStats
    return ExplainedQuery(
      documents: result.snapshot?.documents ?? [], plan: result.planSummary.lines,
      indexes: result.planSummary.indexesUsed.compactMap { $0["properties"] },
      entriesScanned: stats?.indexEntriesScanned ?? 0,
      documentsRead: stats?.documentsScanned ?? 0)
  }
}
