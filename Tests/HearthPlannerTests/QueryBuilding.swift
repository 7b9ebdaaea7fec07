public import HearthModel
import HearthPlanner
import Testing

// Short notations for the tests of this suite. They read like the specification's tables.

let restaurants = CollectionPath(unchecked: ["restaurants"])

/// A path from its canonical form without backticks; `N` is `__name__`, as in the tables.
func path(_ text: String) -> FieldPath {
  text == "N" ? .documentName : FieldPath(text.split(separator: ".").map(String.init))
}

func filter(_ field: String, _ op: FilterOperator, _ value: Value) -> QueryFilter {
  .field(FieldFilter(path(field), op, value))
}

func equal(_ field: String, _ value: Value = "x") -> QueryFilter { filter(field, .equal, value) }

func strings(_ values: String...) -> Value { .array(values.map(Value.string)) }

func document(_ id: String) -> DocumentPath { restaurants.document(id) }

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByUnicodeScalarLiteral,
  ExpressibleByExtendedGraphemeClusterLiteral
{
  /// A string value.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An integer value.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

/// A query of `restaurants` or of a collection group.
func query(
  _ filters: QueryFilter..., order: String = "", group: String? = nil, start: Bound? = nil,
  end: Bound? = nil, limit: Int? = nil, toLast: Bool = false
) -> StructuredQuery {
  var query = StructuredQuery(restaurants)
  if let group { query.scope = .collectionGroup(UTF8String(group)) }
  query.filter = filters.isEmpty ? nil : .and(filters)
  query.orderBy = fields(order).map { name, isDescending in
    OrderBy(path(name), isDescending ? .descending : .ascending)
  }
  query.start = start
  query.end = end
  query.limit = limit
  query.limitIsToLast = toLast
  return query
}

/// The parts of "stars desc, N asc": names and whether they descend.
private func fields(_ text: String) -> [(name: String, isDescending: Bool)] {
  text.split(separator: ",").map { part in
    let words = part.split(separator: " ")
    return (String(words.first ?? ""), words.dropFirst().first?.lowercased() == "desc")
  }
}

/// An index from "city ASC, stars DESC, tags CONTAINS"; `N` is implied unless given.
func index(
  _ text: String, collection: String = "restaurants", scope: IndexScope = .collection
) -> IndexDefinition {
  IndexDefinition(
    collectionID: collection, scope: scope,
    fields: text.split(separator: ",").map { part in
      let words = part.split(separator: " ")
      let mode: IndexFieldMode =
        switch words.dropFirst().first {
        case "DESC": .descending
        case "CONTAINS": .contains
        default: .ascending
        }
      return IndexField(path(String(words.first ?? "")), mode)
    })
}

func configuration(
  _ composites: [IndexDefinition], state: IndexState = .ready, overrides: [FieldOverride] = []
) -> IndexConfiguration {
  IndexConfiguration(
    composites: composites.map { DeclaredIndex(definition: $0, state: state) },
    overrides: overrides)
}

func override(_ field: String, _ modes: [IndexFieldMode]) -> FieldOverride {
  FieldOverride(
    collectionID: "restaurants", path: path(field),
    indexes: modes.map { SingleFieldIndex(mode: $0, scope: .collection) })
}

/// What planning gave: a plan, or the definition and reason of a missing index.
enum Outcome: Equatable {
  case plan(QueryPlan)
  case missing(IndexDefinition, reason: String)
}

func outcome(
  _ query: StructuredQuery, _ configuration: IndexConfiguration, summing fields: [String] = []
) throws -> Outcome {
  let normalized = try NormalizedQuery(query)
  do {
    let planner = Planner(configuration: configuration)
    return .plan(try planner.plan(normalized, aggregating: fields.map(path)))
  } catch {
    guard case .missingIndex(let missing)? = error.details else { throw error }
    #expect(error.status == .failedPrecondition)
    #expect(error.message.hasPrefix("The query requires an index."))
    #expect(!missing.json.isEmpty)
    return .missing(missing.definition, reason: error.reason)
  }
}

/// The plan of a query that must have one.
func plan(
  _ query: StructuredQuery, _ configuration: IndexConfiguration = IndexConfiguration()
) throws -> QueryPlan {
  try Planner(configuration: configuration).plan(NormalizedQuery(query))
}
