import HearthModel
import HearthPlanner

/// A planned query, and what explain says of it.
struct QueryPlanning: Sendable {
  var plan: QueryPlan
  var explanation: Explanation

  init(
    _ query: StructuredQuery, aggregating paths: [FieldPath] = [],
    _ configuration: IndexConfiguration
  ) throws(HearthError) {
    plan = try Planner(configuration: configuration).plan(
      NormalizedQuery(query), aggregating: paths)
    explanation = Explanation(indexesUsed: plan.indexesUsed, plan: plan.lines)
  }

  /// Plans and runs, and does both again if an index is dropped between the two.
  static func running<R>(
    _ plan: () throws(HearthError) -> QueryPlanning,
    _ body: (QueryPlanning) throws(HearthError) -> R
  ) throws(HearthError) -> R {
    while true {
      let planning = try plan()
      do throws(HearthError) {
        return try body(planning)
      } catch {
        if error.reason != HearthError.indexDroppedReason { throw error }
      }
    }
  }
}

extension HearthError {
  static let indexDroppedReason = "INDEX_DROPPED"

  /// What a scan of an index that is gone gets; the query is planned again.
  static func indexDropped(_ index: IndexDefinition) -> HearthError {
    HearthError(
      .aborted, indexDroppedReason,
      "The index \(index) on '\(index.collectionID)' was dropped meanwhile.")
  }
}
