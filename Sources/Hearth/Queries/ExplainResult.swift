import Foundation
import HearthEngine
public import HearthModel

/// How a query is served and, if it was run for that, what it touched.
public struct ExplainResult: Sendable {
  /// What was planned.
  public struct PlanSummary: Sendable {
    /// One element per scan, with the keys `query_scope` (`Collection` or `Collection group`) and
    /// `properties`, such as `(city ASC, stars DESC, __name__ DESC)`.
    public let indexesUsed: [[String: String]]
    /// The same indexes as definitions.
    public let indexes: [IndexDefinition]
    /// The plan in words, one line per disjunction.
    public let lines: [String]
  }

  /// What one execution touched.
  public struct ExecutionStats: Sendable, Equatable {
    /// Documents in the result.
    public let resultsReturned: Int
    /// Time inside the engine.
    public let executionDuration: Duration
    /// Reads as Firestore bills them, at least one.
    public let readOperations: Int
    /// Details of the execution.
    public let debugStats: DebugStats
  }

  /// Details of one execution.
  public struct DebugStats: Sendable, Equatable {
    /// Entries read from indexes, including those that a filter then rejected.
    public let indexEntriesScanned: Int
    /// Documents fetched.
    public let documentsScanned: Int
    /// Bytes read from the database.
    public let bytesRead: Int
  }

  /// What was planned.
  public let planSummary: PlanSummary
  /// What was touched; nil if the query was only planned.
  public let executionStats: ExecutionStats?
  /// The result; nil if the query was only planned.
  public let snapshot: QuerySnapshot?

  init(_ explanation: Explanation, snapshot: QuerySnapshot?) {
    planSummary = PlanSummary(
      indexesUsed: explanation.indexesUsed.map { index in
        [
          "query_scope": index.scope == .collection ? "Collection" : "Collection group",
          "properties": index.description,
        ]
      },
      indexes: explanation.indexesUsed,
      lines: explanation.plan)
    executionStats = explanation.statistics.map { statistics in
      ExecutionStats(
        resultsReturned: statistics.resultsReturned,
        executionDuration: .nanoseconds(Int64(clamping: statistics.durationNanoseconds)),
        readOperations: statistics.readOperations,
        debugStats: DebugStats(
          indexEntriesScanned: statistics.indexEntriesScanned,
          documentsScanned: statistics.documentsScanned,
          bytesRead: statistics.bytesRead))
    }
    self.snapshot = snapshot
  }
}

extension ExplainResult: CustomStringConvertible {
  /// The plan, the indexes and the counts, with the names of Firestore's query explain.
  public var description: String {
    var lines = planSummary.lines
    for index in planSummary.indexesUsed {
      lines.append("index: \(index["query_scope"] ?? "") \(index["properties"] ?? "")")
    }
    if let stats = executionStats {
      lines.append("results_returned: \(stats.resultsReturned)")
      lines.append("read_operations: \(stats.readOperations)")
      lines.append("index_entries_scanned: \(stats.debugStats.indexEntriesScanned)")
      lines.append("documents_scanned: \(stats.debugStats.documentsScanned)")
      lines.append("bytes_read: \(stats.debugStats.bytesRead)")
      lines.append("execution_duration: \(stats.executionDuration)")
    }
    return lines.joined(separator: "\n")
  }
}
