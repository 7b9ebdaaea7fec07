import HearthEngine
public import HearthModel
import HearthTestSupport

/// The collection that most tests write to.
let things = CollectionPath(unchecked: ["r"])

func owner(_ number: UInt64) -> CommitRequest.Owner { CommitRequest.Owner(number: number) }

func doc(_ id: String) -> DocumentPath { things.document(id) }

func field(_ name: String) -> FieldPath { FieldPath([name]) }

func version(_ number: Int) -> CommitVersion { CommitVersion(microseconds: Int64(number)) }

func filter(_ name: String, _ op: FilterOperator, _ value: Value) -> QueryFilter {
  .field(FieldFilter(field(name), op, value))
}

func index(_ fields: (String, IndexFieldMode)..., of collectionID: String = "r") -> IndexDefinition
{
  IndexDefinition(
    collectionID: collectionID, fields: fields.map { IndexField(field($0.0), $0.1) })
}

/// A query of `things`.
func query(
  _ filters: QueryFilter..., order: [OrderBy] = [], limit: Int? = nil,
  _ more: (inout StructuredQuery) -> Void = { _ in }
) -> StructuredQuery {
  var query = StructuredQuery(things)
  if !filters.isEmpty { query.filter = .and(filters) }
  query.orderBy = order
  query.limit = limit
  more(&query)
  return query
}

func by(_ name: String, _ direction: Direction = .ascending) -> OrderBy {
  OrderBy(field(name), direction)
}

extension Engine {
  /// The ids of a query's result, in order.
  func ids(_ query: StructuredQuery) throws -> [String] {
    try run(query).documents.map(\.path.id)
  }

  /// The status and reason of a query's error, nil if it succeeds.
  func refusal(_ query: StructuredQuery) -> String? {
    do {
      _ = try run(query)
      return nil
    } catch {
      return error.reason
    }
  }

  /// Commits one document.
  @discardableResult
  func set(_ id: String, _ fields: Fields) async throws -> CommitResult {
    try await commit([.set("r/\(id)", fields)])
  }

  /// What a check of everything finds wrong.
  func findings() throws -> [String] { try checkConsistency().findings }

  /// Runs a transaction and gives how many runs it took.
  func runs(
    _ request: TransactionRequest = TransactionRequest(),
    _ body: @Sendable (TransactionContext) async throws -> Void
  ) async throws -> Int {
    try await runTransaction(request) { context in
      try await body(context)
      return context.attempt
    }
  }
}

/// The reason of the error that `body` throws, or a text that says there was none.
func reason(_ body: () async throws -> Void) async -> String {
  do {
    try await body()
    return "no error"
  } catch {
    return (error as? HearthError)?.reason ?? "\(error)"
  }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByUnicodeScalarLiteral,
  ExpressibleByExtendedGraphemeClusterLiteral
{
  /// A string value.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An integer value.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}
