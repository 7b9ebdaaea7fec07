import Foundation
import HearthEngine
public import HearthModel

/// How a query or an aggregation is served and, if it was run for that, what it touched
/// (documents-and-queries, 7).
public struct ExplainResult: Sendable {
  /// What was planned.
  public struct PlanSummary: Sendable, Equatable {
    /// One element per scan, with the keys `query_scope` (`Collection` or `Collection group`) and
    /// `properties`, such as `(city ASC, stars DESC, __name__ DESC)`.
    public let indexesUsed: [[String: String]]
    /// The same indexes as definitions.
    public let indexes: [IndexDefinition]
    /// The plan in words, one line per disjunction.
    public let lines: [String]
    /// The order that results really have, such as `(added DESC, ends DESC, __name__ DESC)`.
    public let order: String
    /// The index that is missing, where the database's ``IndexPolicy`` lets the query run without.
    public let assumedIndex: IndexDefinition?
  }

  /// What one execution touched.
  public struct ExecutionStats: Sendable, Equatable {
    /// Documents in the result, or 1 for an aggregation.
    public let resultsReturned: Int
    /// Time inside the engine.
    public let executionDuration: Duration
    /// Reads as Firestore bills them, at least one: documents, or for an aggregation every
    /// thousand index entries begun.
    public let readOperations: Int
    /// Details of the execution.
    public let debugStats: DebugStats
  }

  /// Details of one execution.
  public struct DebugStats: Sendable, Equatable {
    /// Entries read from indexes, including those that a filter then rejected.
    public let indexEntriesScanned: Int
    /// Documents fetched; 0 for aggregations.
    public let documentsScanned: Int
    /// Bytes of documents read from the database.
    public let bytesRead: Int
    /// What was billed, under Firestore's names: `documents_billable`, `index_entries_billable`,
    /// `min_query_cost` (`1` when nothing else was billed) and `small_ops`.
    public let billingDetails: [String: String]
  }

  /// What was planned.
  public let planSummary: PlanSummary
  /// What was touched; nil if the query was only planned.
  public let executionStats: ExecutionStats?
  /// The result; nil if the query was only planned, and for an aggregation.
  public internal(set) var snapshot: QuerySnapshot?
  /// What one would want to know besides, such as documents that lack an ordered field.
  public internal(set) var hints: [String] = []

  init(_ explanation: Explanation) {
    planSummary = PlanSummary(
      indexesUsed: explanation.indexesUsed.map { index in
        [
          "query_scope": index.scope == .collection ? "Collection" : "Collection group",
          "properties": index.description,
        ]
      },
      indexes: explanation.indexesUsed, lines: explanation.plan, order: explanation.order,
      assumedIndex: explanation.assumedIndex)
    executionStats = explanation.statistics.map(ExecutionStats.init)
  }
}

extension ExplainResult.ExecutionStats {
  init(_ statistics: ExecutionStatistics) {
    resultsReturned = statistics.resultsReturned
    executionDuration = .nanoseconds(Int64(clamping: statistics.durationNanoseconds))
    readOperations = statistics.readOperations
    let documents = statistics.isAggregation ? 0 : statistics.documentsScanned
    let entries = statistics.isAggregation ? statistics.indexEntriesScanned : 0
    debugStats = ExplainResult.DebugStats(
      indexEntriesScanned: statistics.indexEntriesScanned,
      documentsScanned: statistics.documentsScanned, bytesRead: statistics.bytesRead,
      billingDetails: [
        "documents_billable": "\(documents)", "index_entries_billable": "\(entries)",
        "min_query_cost": documents + entries == 0 ? "1" : "0", "small_ops": "0",
      ])
  }
}

extension ExplainResult: CustomStringConvertible {
  /// The plan, the indexes and the counts, with the names of Firestore's query explain.
  public var description: String {
    var lines = planSummary.lines
    lines.append("order: \(planSummary.order)")
    for index in planSummary.indexesUsed {
      lines.append("index: \(index["query_scope"] ?? "") \(index["properties"] ?? "")")
    }
    if let assumed = planSummary.assumedIndex { lines.append("missing index: \(assumed.placed)") }
    if let stats = executionStats {
      lines.append("results_returned: \(stats.resultsReturned)")
      lines.append("read_operations: \(stats.readOperations)")
      lines.append("index_entries_scanned: \(stats.debugStats.indexEntriesScanned)")
      lines.append("documents_scanned: \(stats.debugStats.documentsScanned)")
      lines.append("bytes_read: \(stats.debugStats.bytesRead)")
      lines.append("execution_duration: \(stats.executionDuration)")
    }
    lines += hints.map { "hint: \($0)" }
    return lines.joined(separator: "\n")
  }

  /// The metrics as JSON, with the names and value formats of Firestore's query explain.
  ///
  /// What is Hearth's own stands under `hearth`: in `debug_stats`, or at the top of what was only
  /// planned.
  public var json: String {
    var metrics: [String: Any] = [
      "plan_summary": ["indexes_used": planSummary.indexesUsed]
    ]
    var own: [String: Any] = ["plan": planSummary.lines, "order": planSummary.order]
    if let assumed = planSummary.assumedIndex { own["assumed_index"] = assumed.placed }
    if !hints.isEmpty { own["hints"] = hints }
    if let stats = executionStats {
      own["bytes_read"] = stats.debugStats.bytesRead
      let (seconds, attoseconds) = stats.executionDuration.components
      let nanoseconds = attoseconds / 1_000_000_000
      let fraction = "\(1_000_000_000 + nanoseconds)".dropFirst()
      metrics["execution_stats"] = [
        "results_returned": stats.resultsReturned,
        "execution_duration": "\(seconds).\(fraction)s",
        "read_operations": stats.readOperations,
        "debug_stats": [
          "index_entries_scanned": "\(stats.debugStats.indexEntriesScanned)",
          "documents_scanned": "\(stats.debugStats.documentsScanned)",
          "billing_details": stats.debugStats.billingDetails,
          "hearth": own,
        ] as [String: Any],
      ]
    } else {
      metrics["hearth"] = own
    }
    let options: JSONSerialization.WritingOptions = [
      .sortedKeys, .prettyPrinted, .withoutEscapingSlashes,
    ]
    let data = try? JSONSerialization.data(withJSONObject: metrics, options: options)
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
