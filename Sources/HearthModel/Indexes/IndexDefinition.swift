/// Which collections an index covers.
public enum IndexScope: String, Sendable, Hashable {
  /// One key space per concrete collection.
  case collection = "COLLECTION"
  /// One key space over all collections with the same id.
  case collectionGroup = "COLLECTION_GROUP"
}

/// How one field takes part in an index.
public enum IndexFieldMode: String, Sendable, Hashable {
  /// Ordered from low to high.
  case ascending = "ASCENDING"
  /// Ordered from high to low.
  case descending = "DESCENDING"
  /// One entry per distinct element of an array.
  case contains = "CONTAINS"

  /// The spelling of plans and messages.
  package var planText: String {
    switch self {
    case .ascending: "ASC"
    case .descending: "DESC"
    case .contains: "ARRAY_CONTAINS"
    }
  }
}

/// One field of an index.
public struct IndexField: Sendable, Hashable {
  /// The field's path; `__name__` for the document's name.
  public let path: FieldPath
  /// How it is ordered.
  public let mode: IndexFieldMode

  /// Makes an index field.
  public init(_ path: FieldPath, _ mode: IndexFieldMode) {
    self.path = path
    self.mode = mode
  }
}

/// A logical index: collection id, scope, and fields that end in `__name__`.
public struct IndexDefinition: Sendable, Hashable, CustomStringConvertible {
  /// The id of the collections that the index covers.
  public let collectionID: String
  /// Which collections share one key space.
  public let scope: IndexScope
  /// The fields, always ending in `__name__`.
  public let fields: [IndexField]

  /// Makes a definition; a missing `__name__` is added with the direction of the last field if
  /// that is ordered, ascending otherwise (documents-and-queries, 6.1).
  public init(collectionID: String, scope: IndexScope = .collection, fields: [IndexField]) {
    self.collectionID = collectionID
    self.scope = scope
    if fields.last?.path.isDocumentName == true {
      self.fields = fields
    } else {
      let mode: IndexFieldMode = fields.last?.mode == .descending ? .descending : .ascending
      self.fields = fields + [IndexField(.documentName, mode)]
    }
  }

  /// The fields without the closing `__name__`.
  package var fieldsBeforeName: ArraySlice<IndexField> { fields.dropLast() }

  /// The direction of the closing `__name__`.
  package var nameDirection: Direction {
    fields.last?.mode == .descending ? .descending : .ascending
  }

  /// The definition with every direction turned round; both share one physical tree, read in
  /// opposite directions.
  package var twin: IndexDefinition {
    IndexDefinition(
      collectionID: collectionID, scope: scope,
      fields: fields.map { field in
        switch field.mode {
        case .ascending: IndexField(field.path, .descending)
        case .descending: IndexField(field.path, .ascending)
        case .contains: field
        }
      })
  }

  /// This definition or its twin, whichever has `__name__` ascending: the physical tree.
  package var physical: IndexDefinition { nameDirection == .ascending ? self : twin }

  /// The property list of plans, such as `(city ASC, stars DESC, __name__ DESC)`.
  public var description: String {
    "(" + fields.map { "\($0.path) \($0.mode.planText)" }.joined(separator: ", ") + ")"
  }

  /// The definition with the collections that it is on: `(a ASC, __name__ ASC) on collection 'r'`.
  package var placed: String {
    "\(self) on collection\(scope == .collection ? "" : " group") '\(collectionID)'"
  }

  /// Equal if collection id (by bytes), scope and fields are.
  public static func == (a: IndexDefinition, b: IndexDefinition) -> Bool {
    UTF8Order.equal(a.collectionID, b.collectionID) && a.scope == b.scope && a.fields == b.fields
  }

  /// Hashes in agreement with `==`.
  public func hash(into hasher: inout Hasher) {
    hasher.combineUTF8(collectionID)
    hasher.combine(scope)
    hasher.combine(fields)
  }
}
