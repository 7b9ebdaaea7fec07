import HearthEncoding
package import HearthModel

/// Names a view within its shard.
package struct ViewID: Hashable, Sendable {
  package var number: Int

  package init(number: Int) { self.number = number }
}

/// Finds the views that a changed document can affect without asking the others
/// (transactions-and-listeners, 6.3).
///
/// A view is filed under what a document can be looked up by: its collection, then the values of
/// its query's equalities. Cost follows the number of query shapes and of affected views.
package struct Matcher {
  /// The shape of one disjunction: which fields it fixes by equality, and in which array it
  /// looks for an element.
  package struct Signature: Hashable {
    package var equalities: [FieldPath]
    package var contains: FieldPath?
  }

  /// The views of one collection or group: shape, then the values in that shape.
  private struct ScopeMatcher {
    var tables: [Signature: [[UInt8]: Set<ViewID>]] = [:]
  }

  private var documents: [DocumentPath: ViewID] = [:]
  private var scopes: [StructuredQuery.Scope: ScopeMatcher] = [:]

  package var isEmpty: Bool { documents.isEmpty && scopes.isEmpty }

  package init() {}

  package mutating func insert(_ view: ViewID, document path: DocumentPath) {
    documents[path] = view
  }

  package mutating func remove(document path: DocumentPath) { documents[path] = nil }

  package mutating func insert(_ view: ViewID, _ query: NormalizedQuery) {
    for conjunction in query.disjunctions {
      let (signature, key) = Matcher.file(conjunction)
      scopes[query.query.scope, default: ScopeMatcher()]
        .tables[signature, default: [:]][key, default: []].insert(view)
    }
  }

  package mutating func remove(_ view: ViewID, _ query: NormalizedQuery) {
    guard var matcher = scopes[query.query.scope] else { return }
    for conjunction in query.disjunctions {
      let (signature, key) = Matcher.file(conjunction)
      matcher.tables[signature]?[key]?.remove(view)
      if matcher.tables[signature]?[key]?.isEmpty == true { matcher.tables[signature]?[key] = nil }
      if matcher.tables[signature]?.isEmpty == true { matcher.tables[signature] = nil }
    }
    scopes[query.query.scope] = matcher.tables.isEmpty ? nil : matcher
  }

  /// The views that the change of a document can affect, in the order of their registration.
  package func candidates(_ change: ChangedDocument) -> [ViewID] {
    var found: Set<ViewID> = []
    if let view = documents[change.path] { found.insert(view) }
    let collection = change.path.collection
    for scope in [
      .collection(collection), .collectionGroup(UTF8String(collection.collectionID)),
    ] as [StructuredQuery.Scope] {
      guard let matcher = scopes[scope] else { continue }
      for (signature, table) in matcher.tables {
        for fields in [change.before?.fields, change.after?.fields] {
          guard let fields else { continue }
          for key in Matcher.keys(of: fields, signature) {
            if let views = table[key] { found.formUnion(views) }
          }
        }
      }
    }
    return found.sorted { $0.number < $1.number }
  }

  /// Under which shape and values a disjunction is filed.
  package static func file(_ conjunction: Conjunction) -> (Signature, [UInt8]) {
    var equalities: [FieldPath: Value] = [:]
    var contains: (path: FieldPath, element: Value)?
    for filter in conjunction.filters where !filter.path.isDocumentName {
      switch filter.op {
      case .equal: equalities[filter.path] = filter.value
      case .isNull: equalities[filter.path] = .null
      case .isNaN: equalities[filter.path] = .double(.nan)
      case .arrayContains: contains = (filter.path, filter.value)
      default: break
      }
    }
    let paths = equalities.keys.sorted()
    var key: [UInt8] = []
    for path in paths {
      ValueKey.append(equalities[path] ?? .null, descending: false, to: &key)
    }
    if let contains { ValueKey.append(contains.element, descending: false, to: &key) }
    return (Signature(equalities: paths, contains: contains?.path), key)
  }

  /// The places in a table where a document's views would be; none if a field is missing, which
  /// is what the query means too.
  private static func keys(of fields: Fields, _ signature: Signature) -> [[UInt8]] {
    var key: [UInt8] = []
    for path in signature.equalities {
      guard let value = fields.value(at: path) else { return [] }
      ValueKey.append(value, descending: false, to: &key)
    }
    guard let contains = signature.contains else { return [key] }
    guard case .array(let elements)? = fields.value(at: contains) else { return [] }
    return elements.map { element in
      var full = key
      ValueKey.append(element, descending: false, to: &full)
      return full
    }
  }
}
