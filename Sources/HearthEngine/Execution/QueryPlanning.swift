import HearthModel
import HearthPlanner
import HearthStorage

/// A planned query, and what explain says of it.
struct QueryPlanning: Sendable {
  let query: NormalizedQuery
  /// Nil where no index serves the query and every document has to be looked at.
  let plan: QueryPlan?
  let explanation: Explanation
  /// The catalog at the moment of planning: only those of its indexes that still stand when the
  /// snapshot is open are sure to be whole there.
  let catalog: CatalogState

  /// Plans a query, or an aggregation over fields of its documents.
  ///
  /// What happens where an index is missing is a matter of the policy.
  init(
    _ query: StructuredQuery, aggregating paths: [FieldPath] = [], _ catalog: CatalogState,
    _ configuration: IndexConfiguration, _ policy: IndexPolicy
  ) throws(HearthError) {
    self.catalog = catalog
    self.query = try NormalizedQuery(query)
    do throws(HearthError) {
      let plan = try Planner(configuration: configuration).plan(self.query, aggregating: paths)
      self.plan = plan
      explanation = Explanation(
        indexesUsed: plan.indexesUsed, plan: plan.lines, order: plan.order)
    } catch {
      guard policy != .strict, case .missingIndex(let missing)? = error.details else { throw error }
      plan = nil
      let index = IndexDefinition.nameIndex(
        collectionID: query.collectionID, scope: query.indexScope)
      explanation = Explanation(
        indexesUsed: [index],
        plan: ["scan of every document, since the index \(missing.definition) is missing"],
        order: self.query.extendedOrder(aggregating: paths), assumedIndex: missing.definition)
    }
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

/// Plans queries with the catalog's indexes, as the database's policy wants it.
struct QueryPlanner: Sendable {
  let catalog: Catalog
  let policy: IndexPolicy
  let advice = IndexAdvice()

  func plan(
    _ query: StructuredQuery, aggregating paths: [FieldPath] = [],
    configuration: IndexConfiguration? = nil, isRun: Bool = false
  ) throws(HearthError) -> QueryPlanning {
    let known = catalog.planned
    let planning = try QueryPlanning(
      query, aggregating: paths, known.state, configuration ?? known.configuration, policy)
    if isRun, policy == .advise, let wanted = planning.explanation.assumedIndex {
      advice.note(wanted)
    }
    return planning
  }
}

/// The indexes that queries have wanted.
final class IndexAdvice: Sendable {
  /// More different ones are not kept: the list is for people.
  private static let most = 1000

  private let counts = Lock<[IndexDefinition: Int]>([:])

  func note(_ definition: IndexDefinition) {
    counts.withLock { counts in
      if counts[definition] == nil, counts.count >= IndexAdvice.most { return }
      counts[definition, default: 0] += 1
    }
  }

  /// Most wanted first.
  var all: [(definition: IndexDefinition, queries: Int)] {
    var all: [(definition: IndexDefinition, queries: Int)] = []
    for (definition, count) in counts.withLock({ $0 }) { all.append((definition, count)) }
    all.sort { a, b in
      if a.queries != b.queries { return a.queries > b.queries }
      return "\(a.definition.collectionID) \(a.definition)"
        < "\(b.definition.collectionID) \(b.definition)"
    }
    return all
  }
}
