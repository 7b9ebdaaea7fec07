import HearthModel
import HearthPlanner

/// A planned query, and what explain says of it.
struct QueryPlanning: Sendable {
  var plan: QueryPlan
  var explanation: Explanation

  init(_ query: StructuredQuery, _ configuration: IndexConfiguration) throws(HearthError) {
    plan = try Planner(configuration: configuration).plan(NormalizedQuery(query))
    explanation = Explanation(indexesUsed: plan.indexesUsed, plan: plan.lines)
  }
}
