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
    changed { (query) throws(HearthError) in
      if input.isEmpty {
        throw .invalid("CURSOR_EMPTY", "A cursor needs at least one value.")
      }
      if input.count > query.orderBy.count {
        throw .invalid(
          "CURSOR_TOO_MANY_VALUES",
          "The cursor has \(input.count) values, the query \(query.orderBy.count) orders.")
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
    changed { (query) throws(HearthError) in
      if document.reference.firestore !== firestore { throw ValueReader.foreign }
      guard let stored = document.stored else {
        throw .invalid(
          "CURSOR_DOCUMENT_MISSING",
          "The document '\(document.reference.path)' does not exist and cannot be a cursor.")
      }
      let (order, values) = try query.cursor(at: stored.path, fields: try stored.fields())
      query.orderBy = order
      query[keyPath: place] = Bound(values: values, inclusive: inclusive)
    }
  }
}
