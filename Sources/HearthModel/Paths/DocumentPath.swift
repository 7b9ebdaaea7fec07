/// The path of a document: its collection and its id.
public struct DocumentPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The collection that holds the document.
  public let collection: CollectionPath
  /// The document's id within its collection.
  public let id: String

  /// Makes a path from parts that were checked before.
  package init(collection: CollectionPath, id: String) {
    self.collection = collection
    self.id = id
  }

  /// Parses a slash-separated path (documents-and-queries, 1.1 and 1.2).
  package init(_ path: String) throws(HearthError) {
    let segments = try PathParser.segments(of: path)
    guard segments.count % 2 == 0, !segments.isEmpty else {
      throw .invalid(
        "PATH_WRONG_PARITY",
        "'\(path)' has \(counted(segments.count, "segment")) and names a collection; "
          + "a document path has an even number.")
    }
    self.init(
      collection: CollectionPath(unchecked: Array(segments.dropLast())),
      id: segments[segments.count - 1])
  }

  /// All ids from the root down.
  public var segments: [String] { collection.segments + [id] }

  /// The path of a collection below this document; the id was checked before.
  package func collection(_ id: String) -> CollectionPath {
    CollectionPath(unchecked: collection.segments + [self.id, id])
  }

  /// Whether a document lies below this one, at any depth.
  package func isAncestor(of other: DocumentPath) -> Bool {
    let own = segments
    let lower = other.segments
    return lower.count > own.count && zip(own, lower).allSatisfy { UTF8Order.equal($0, $1) }
  }

  /// The ids joined with slashes.
  public var description: String { "\(collection)/\(id)" }

  /// Equal if all ids have the same bytes.
  public static func == (a: DocumentPath, b: DocumentPath) -> Bool {
    UTF8Order.equal(a.id, b.id) && a.collection == b.collection
  }

  /// Hashes the bytes of the ids.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(collection)
    hasher.combineUTF8(id)
  }

  /// Name order (documents-and-queries, 1.6).
  public static func < (a: DocumentPath, b: DocumentPath) -> Bool { compare(a, b) < 0 }

  /// Name order as a number.
  package static func compare(_ a: DocumentPath, _ b: DocumentPath) -> Int {
    if a.collection.segments.count == b.collection.segments.count {
      let parents = PathParser.compare(a.collection.segments, b.collection.segments)
      return parents != 0 ? parents : PathRules.compareIDs(a.id, b.id)
    }
    return PathParser.compare(a.segments, b.segments)
  }
}
