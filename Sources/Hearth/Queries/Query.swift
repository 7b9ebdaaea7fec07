import Foundation
import HearthEngine
import HearthModel

// @unchecked Sendable: all stored properties are immutable and Sendable; the compiler does not
// check that through a class that is not final.
/// A query: which documents of a collection, in which order, from where to where.
///
/// Builders give new queries and leave this one as it is. What is wrong with a query is remembered
/// (the first error), and the call that runs it fails with `INVALID_ARGUMENT`.
public class Query: @unchecked Sendable {
  /// The database.
  public let firestore: Firestore
  /// The query as it was built, without the cursors that are documents.
  private let built: Result<StructuredQuery, HearthError>
  let places: DocumentCursors
  /// The query as the engine takes it.
  let structured: Result<StructuredQuery, HearthError>

  init(
    _ database: Firestore, _ built: Result<StructuredQuery, HearthError>,
    places: DocumentCursors = DocumentCursors()
  ) {
    firestore = database
    self.built = built
    self.places = places
    do throws(HearthError) {
      structured = .success(try places.applied(to: try built.get()))
    } catch {
      structured = .failure(places.isEmpty ? error : Hearth.misused(error))
    }
  }

  /// A query changed by `change`; an error of either is remembered.
  func changed(
    _ change: (inout StructuredQuery) throws(HearthError) -> Void
  ) -> Query {
    changed(places: places, change)
  }

  /// A query with these document cursors, changed by `change`.
  func changed(
    places: DocumentCursors, _ change: (inout StructuredQuery) throws(HearthError) -> Void
  ) -> Query {
    guard case .success = structured, case .success(var query) = built else {
      return Query(firestore, structured)
    }
    do throws(HearthError) {
      try change(&query)
      return Query(firestore, .success(query), places: places)
    } catch {
      return Query(firestore, .failure(Hearth.misused(error)))
    }
  }

  // MARK: Order and limit

  /// Orders by a field, given as a dotted string, ascending.
  public func order(by field: String) -> Query { order(by: field, descending: false) }

  /// Orders by a field, ascending.
  public func order(by path: FieldPath) -> Query { order(by: path, descending: false) }

  /// Orders by a field, given as a dotted string, after the orders given before.
  ///
  /// Documents without the field are not in the result.
  public func order(by field: String, descending: Bool) -> Query { ordered(field, descending) }

  /// Orders by a field after the orders given before.
  public func order(by path: FieldPath, descending: Bool) -> Query { ordered(path, descending) }

  private func ordered(_ field: Any, _ descending: Bool) -> Query {
    changed { (query) throws(HearthError) in
      if query.start != nil || query.end != nil || !places.isEmpty {
        throw .invalid(
          "ORDER_AFTER_CURSOR", "An order must be given before start(…) and end(…).")
      }
      query.orderBy.append(
        OrderBy(try FieldPath(untyped: field), descending ? .descending : .ascending))
    }
  }

  /// Keeps the first `limit` documents; it must be positive, and above 2³¹ - 1 it means no limit.
  public func limit(to limit: Int) -> Query { limited(limit, toLast: false) }

  /// Keeps the last `limit` documents; needs an order, given before or after.
  public func limit(toLast limit: Int) -> Query { limited(limit, toLast: true) }

  /// Skips the first documents, after cursors and before the limit; the SDK's servers have it.
  ///
  /// The skipped documents are read, and count as reads.
  public func offset(_ count: Int) -> Query {
    changed { (query) throws(HearthError) in
      if count < 0 {
        throw .invalid("OFFSET", "An offset must not be negative; \(count) is.")
      }
      query.offset = count
    }
  }

  /// Returns documents with nothing but some fields, dotted strings or `FieldPath`s; the SDK's
  /// servers have it.
  ///
  /// It changes neither which documents match nor the index that is needed. No fields at all
  /// leaves the documents' names.
  public func select(_ fields: [Any]) -> Query {
    changed { (query) throws(HearthError) in
      var projection: [FieldPath] = []
      for field in fields { projection.append(try FieldPath(untyped: field)) }
      query.projection = projection
    }
  }

  private func limited(_ limit: Int, toLast: Bool) -> Query {
    changed { (query) throws(HearthError) in
      if limit <= 0 {
        throw .invalid("LIMIT", "A limit must be positive; \(limit) is not.")
      }
      query.limit = limit > Int(Int32.max) ? nil : limit
      query.limitIsToLast = toLast && query.limit != nil
    }
  }
}

extension Query: Hashable {
  /// Whether both ask the same of the same database.
  public static func == (a: Query, b: Query) -> Bool {
    guard a.firestore === b.firestore else { return false }
    switch (a.structured, b.structured) {
    case (.success(let x), .success(let y)): return x == y
    case (.failure(let x), .failure(let y)): return x === y
    default: return false
    }
  }

  /// Hashes in agreement with `==`.
  public func hash(into hasher: inout Hasher) {
    if case .success(let query) = structured { hasher.combine(query) }
  }
}
