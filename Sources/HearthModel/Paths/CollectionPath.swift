/// The path of a collection: an odd number of ids, alternating collection and document.
public struct CollectionPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The ids from the root down; the last one is the collection id.
  public let segments: [String]

  /// Adopts segments that were checked before.
  package init(unchecked segments: [String]) { self.segments = segments }

  /// Parses a slash-separated path (documents-and-queries, 1.1 and 1.2).
  package init(_ path: String) throws(HearthError) {
    let segments = try PathParser.segments(of: path)
    guard segments.count % 2 == 1 else {
      throw .invalid(
        "PATH_WRONG_PARITY",
        "'\(path)' has \(counted(segments.count, "segment")) and names a document; "
          + "a collection path has an odd number.")
    }
    self.init(unchecked: segments)
  }

  /// The last id, which names the collection group.
  public var collectionID: String { segments.last ?? "" }

  /// The document that this collection lies under, nil for a root collection.
  package var parent: DocumentPath? {
    guard segments.count > 1 else { return nil }
    return DocumentPath(
      collection: CollectionPath(unchecked: Array(segments.dropLast(2))),
      id: segments[segments.count - 2])
  }

  /// The path of one of its documents; the id was checked before.
  package func document(_ id: String) -> DocumentPath { DocumentPath(collection: self, id: id) }

  /// The ids joined with slashes.
  public var description: String { segments.joined(separator: "/") }

  /// Equal if all ids have the same bytes.
  public static func == (a: CollectionPath, b: CollectionPath) -> Bool {
    a.segments.count == b.segments.count
      && zip(a.segments, b.segments).allSatisfy { UTF8Order.equal($0, $1) }
  }

  /// Hashes the bytes of the ids.
  public func hash(into hasher: inout Hasher) {
    for segment in segments { hasher.combineUTF8(segment) }
  }

  /// Segment by segment; a proper prefix sorts first.
  public static func < (a: CollectionPath, b: CollectionPath) -> Bool {
    PathParser.compare(a.segments, b.segments) < 0
  }
}

/// Splitting and comparing paths.
enum PathParser {
  /// The checked segments of a slash-separated path; one leading and trailing slash is tolerated.
  static func segments(of path: String) throws(HearthError) -> [String] {
    var parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    if parts.count > 1, parts.first?.isEmpty == true { parts.removeFirst() }
    if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
    for part in parts where part.isEmpty {
      throw .invalid(
        "PATH_EMPTY_SEGMENT", "The path '\(path)' has an empty segment; remove the extra '/'.")
    }
    try checkIDs(parts)
    try checkSize(parts)
    return parts
  }

  /// Checks segments that did not come from the parser.
  static func check(_ segments: [String], parity: Int) throws(HearthError) {
    guard !segments.isEmpty, segments.count % 2 == parity else {
      throw .invalid(
        "PATH_WRONG_PARITY",
        "'\(segments.joined(separator: "/"))' has \(counted(segments.count, "segment")); "
          + "a document path has an even number, a collection path an odd one.")
    }
    try checkIDs(segments)
    try checkSize(segments)
  }

  private static func checkIDs(_ segments: [String]) throws(HearthError) {
    for (level, id) in segments.enumerated() {
      if level % 2 == 0 {
        try PathRules.checkCollectionID(id)
      } else {
        try PathRules.checkDocumentID(id)
      }
    }
  }

  /// Checks depth and name size.
  static func checkSize(_ segments: [String]) throws(HearthError) {
    if segments.count > 2 * PathRules.deepest {
      throw .invalid(
        "PATH_TOO_DEEP", "A path may nest \(PathRules.deepest) levels of documents.")
    }
    let size = segments.nameSize
    if size > PathRules.longestName {
      throw .invalid(
        "NAME_TOO_LONG", "A document name may have \(PathRules.longestName) bytes, not \(size).")
    }
  }

  static func compare(_ a: [String], _ b: [String]) -> Int {
    for (x, y) in zip(a, b) {
      let order = PathRules.compareIDs(x, y)
      if order != 0 { return order }
    }
    return a.count == b.count ? 0 : (a.count < b.count ? -1 : 1)
  }
}
