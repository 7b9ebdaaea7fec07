import Foundation
import HearthEngine
import HearthModel

/// Where an aggregation is computed; there is only one place.
public enum AggregateSource: UInt, Sendable {
  /// In the database.
  case server = 0
}

/// Counts, sums and averages over the documents that a query returns.
///
/// A document takes part only if it has every summed and averaged field; values that are not
/// numbers are skipped.
public final class AggregateQuery: Sendable {
  /// The query whose documents are aggregated.
  public let query: Query
  let fields: [AggregateField]
  private let checked: Result<[Aggregation], HearthError>

  init(_ query: Query, _ fields: [AggregateField]) {
    self.query = query
    self.fields = fields
    do throws(HearthError) {
      var aggregations: [Aggregation] = []
      for field in fields { aggregations.append(Aggregation(try field.kind.get())) }
      checked = .success(aggregations)
    } catch {
      checked = .failure(error)
    }
  }

  var aggregations: [Aggregation] {
    get throws(HearthError) { try checked.get() }
  }

  /// Computes the aggregations.
  ///
  /// Writes that were submitted through this database before are seen.
  ///
  /// - Throws: ``HearthError``: `INVALID_ARGUMENT` for what is wrong with the query or a field,
  ///   `FAILED_PRECONDITION` with the needed definition for a missing index.
  public func getAggregation(
    source: AggregateSource = .server
  ) async throws -> AggregateQuerySnapshot {
    let structured = try query.structured.get()
    let aggregations = try aggregations
    let engine = try query.firestore.engine()
    await engine.waitForSubmittedWrites()
    return AggregateQuerySnapshot(self, try engine.aggregate(structured, aggregations))
  }

  /// Computes the aggregations and calls a closure on the main queue.
  public func getAggregation(
    source: AggregateSource = .server,
    completion: @escaping @MainActor (AggregateQuerySnapshot?, (any Error)?) -> Void
  ) {
    query.firestore.inBackground(delivering: completion) { try await self.getAggregation() }
  }

  /// Tells how the aggregation is served, and with `analyze` runs it and tells what it touched.
  ///
  /// - Throws: The same errors as ``getAggregation(source:)``.
  public func explain(analyze: Bool = false) async throws -> ExplainResult {
    if analyze { return try await getAggregation().explanation }
    let structured = try query.structured.get()
    let engine = try query.firestore.engine()
    return ExplainResult(try engine.explain(structured, try aggregations))
  }
}

extension AggregateQuery: Hashable {
  /// Whether both aggregate the same over the same query.
  public static func == (a: AggregateQuery, b: AggregateQuery) -> Bool {
    a.query == b.query && a.fields == b.fields
  }

  /// Hashes in agreement with `==`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(query)
    hasher.combine(fields)
  }
}

extension Query {
  /// The number of the query's documents.
  public var count: AggregateQuery { AggregateQuery(self, [.count()]) }

  /// One to five aggregations over the query's documents.
  public func aggregate(_ fields: [AggregateField]) -> AggregateQuery {
    AggregateQuery(self, fields)
  }
}
