/// The direction of an order.
package enum Direction: Sendable, Hashable {
  case ascending
  case descending

  package var reversed: Direction { self == .ascending ? .descending : .ascending }
}

/// One `order(by:)`.
package struct OrderBy: Sendable, Hashable {
  package var path: FieldPath
  package var direction: Direction

  package init(_ path: FieldPath, _ direction: Direction = .ascending) {
    self.path = path
    self.direction = direction
  }
}

/// A start or end of a query: values for a prefix of the order.
package struct Bound: Sendable, Hashable {
  package var values: [Value]
  /// For a start: whether documents at the position are kept (`startAt`); for an end likewise
  /// (`endAt`).
  package var inclusive: Bool

  package init(values: [Value], inclusive: Bool) {
    self.values = values
    self.inclusive = inclusive
  }
}

/// A query as the engine takes it (documents-and-queries, 5.1).
package struct StructuredQuery: Sendable, Hashable {
  /// Which documents are asked.
  package enum Scope: Sendable, Hashable {
    /// The immediate children of one collection.
    case collection(CollectionPath)
    /// Every collection with this id, wherever it lies.
    case collectionGroup(UTF8String)
  }

  package var scope: Scope
  /// For a collection group: asks only what lies below this document (1.5).
  package var ancestor: DocumentPath?
  package var filter: QueryFilter?
  package var orderBy: [OrderBy]
  package var start: Bound?
  package var end: Bound?
  package var offset: Int
  package var limit: Int?
  /// Whether `limit` counts from the end of the order (`limit(toLast:)`).
  package var limitIsToLast: Bool
  package var projection: [FieldPath]?

  package init(scope: Scope) {
    self.scope = scope
    orderBy = []
    offset = 0
    limitIsToLast = false
  }

  /// A query of one collection.
  package init(_ collection: CollectionPath) { self.init(scope: .collection(collection)) }

  /// The id that the queried collections share.
  package var collectionID: String {
    switch scope {
    case .collection(let path): path.collectionID
    case .collectionGroup(let id): id.string
    }
  }
}
