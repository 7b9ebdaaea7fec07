import Foundation
import HearthEngine
import HearthModel

extension Query {
  /// Starts at a document's place in the order, including it.
  public func start(atDocument document: DocumentSnapshot) -> Query {
    bounded(by: document, inclusive: true, \.start)
  }

  /// Starts after a document's place in the order.
  public func start(afterDocument document: DocumentSnapshot) -> Query {
    bounded(by: document, inclusive: false, \.start)
  }

  /// Ends at a document's place in the order, including it.
  public func end(atDocument document: DocumentSnapshot) -> Query {
    bounded(by: document, inclusive: true, \.end)
  }

  /// Ends before a document's place in the order.
  public func end(beforeDocument document: DocumentSnapshot) -> Query {
    bounded(by: document, inclusive: false, \.end)
  }

  /// Starts at values of the order's first fields, including documents that have them.
  public func start(at fieldValues: [Any]) -> Query {
    bounded(by: fieldValues, inclusive: true, \.start)
  }

  /// Starts after values of the order's first fields.
  public func start(after fieldValues: [Any]) -> Query {
    bounded(by: fieldValues, inclusive: false, \.start)
  }

  /// Ends at values of the order's first fields, including documents that have them.
  public func end(at fieldValues: [Any]) -> Query {
    bounded(by: fieldValues, inclusive: true, \.end)
  }

  /// Ends before values of the order's first fields.
  public func end(before fieldValues: [Any]) -> Query {
    bounded(by: fieldValues, inclusive: false, \.end)
  }

  private func bounded(
    by input: [Any], inclusive: Bool, _ place: WritableKeyPath<StructuredQuery, Bound?>
  ) -> Query {
    var places = places
    places.remove(place)
    return changed(places: places) { (query) throws(HearthError) in
      if input.isEmpty {
        throw .invalid("CURSOR_EMPTY", "A cursor needs at least one value.")
      }
      // A document at the other end makes implied orders explicit, so its values may be more.
      if input.count > query.orderBy.count, places.isEmpty {
        throw .invalid(
          "CURSOR_TOO_MANY_VALUES",
          "The cursor has \(counted(input.count, "value")), but the query orders by "
            + "\(counted(query.orderBy.count, "field")) explicitly.")
      }
      var reader = ValueReader(database: firestore)
      var values: [Value] = []
      for value in input {
        if let value = try reader.read(value, at: ["cursor"], .operand) { values.append(value) }
      }
      query[keyPath: place] = Bound(values: values, inclusive: inclusive)
    }
  }

  private func bounded(
    by document: DocumentSnapshot, inclusive: Bool,
    _ place: WritableKeyPath<StructuredQuery, Bound?>
  ) -> Query {
    var places = places
    if let stored = document.stored {
      places.set(place, DocumentCursors.Place(document: stored, inclusive: inclusive))
    }
    return changed(places: places) { (query) throws(HearthError) in
      if document.reference.firestore !== firestore { throw ValueReader.foreign }
      if document.stored == nil {
        throw .invalid(
          "CURSOR_DOCUMENT_MISSING",
          "The document '\(document.reference.path)' does not exist and cannot be a cursor.")
      }
      query[keyPath: place] = nil
    }
  }
}

/// The cursors of a query that are documents.
///
/// Which of a document's values a cursor needs depends on the whole query, so filters given after
/// the cursor count as well: the values are looked up anew whenever the query is changed.
struct DocumentCursors: Sendable {
  struct Place: Sendable {
    var document: StoredDocument
    var inclusive: Bool
  }

  private var start: Place?
  private var end: Place?

  var isEmpty: Bool { start == nil && end == nil }

  mutating func set(_ place: WritableKeyPath<StructuredQuery, Bound?>, _ cursor: Place?) {
    if place == \.start { start = cursor } else { end = cursor }
  }

  mutating func remove(_ place: WritableKeyPath<StructuredQuery, Bound?>) { set(place, nil) }

  /// The query with these cursors as values, and with its whole order explicit.
  func applied(to query: StructuredQuery) throws(HearthError) -> StructuredQuery {
    var result = query
    if let start { result.start = try bound(start, in: query, &result) }
    if let end { result.end = try bound(end, in: query, &result) }
    return result
  }

  private func bound(
    _ place: Place, in query: StructuredQuery, _ result: inout StructuredQuery
  ) throws(HearthError) -> Bound {
    let (order, values) = try query.cursor(
      at: place.document.path, fields: try place.document.fields())
    result.orderBy = order
    return Bound(values: values, inclusive: place.inclusive)
  }
}
