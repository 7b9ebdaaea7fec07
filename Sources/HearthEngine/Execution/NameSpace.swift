import HearthEncoding
import HearthModel

/// How the documents that a query asks are named in keys: by id inside one collection, by full
/// path in a collection group.
enum NameSpace: Sendable {
  case collection(CollectionPath, CollectionNumber)
  /// Every collection with an id, or those below one document.
  case group(ancestor: DocumentPath?)

  /// What the entries of a tree begin with.
  func entriesPrefix(_ tree: IndexNumber) -> [UInt8] {
    switch self {
    case .collection(_, let number): KeyLayout.entriesPrefix(tree, number)
    case .group: KeyLayout.entriesPrefix(tree, nil)
    }
  }

  /// The name of a document, nil if it cannot be one that is asked.
  func name(_ path: DocumentPath) -> [UInt8]? {
    var bytes: [UInt8] = []
    switch self {
    case .collection(let collection, _):
      guard path.collection == collection else { return nil }
      NameKey.appendID(path.id, to: &bytes)
    case .group:
      NameKey.appendPath(path, to: &bytes)
    }
    return bytes
  }

  /// The document that a name stands for.
  func path(of name: [UInt8]) throws(HearthError) -> DocumentPath {
    switch self {
    case .collection(let collection, _):
      DocumentPath(collection: collection, id: try NameKey.decodeID(in: name, from: 0))
    case .group: try NameKey.decodePath(in: name, from: 0)
    }
  }

  /// Every name that is asked.
  var all: SuffixRange {
    guard case .group(let ancestor?) = self else { return SuffixRange(lower: [], upper: nil) }
    var prefix: [UInt8] = []
    NameKey.appendPath(ancestor, to: &prefix)
    // Below the document: it is not among its own descendants.
    return SuffixRange(lower: prefix + [0], upper: KeyLayout.end(ofPrefix: prefix))
  }

  /// Whether names have to be checked because not all that the keys hold are asked.
  var isPartial: Bool {
    if case .group(let ancestor) = self { return ancestor != nil }
    return false
  }

  /// Where a name stands among those that are asked, which it need not belong to.
  func edge(_ path: DocumentPath, before: [UInt8], after: Bool) -> KeyEdge {
    guard case .collection(let collection, _) = self else {
      var bytes = before
      NameKey.appendPath(path, to: &bytes)
      return KeyEdge(bytes: bytes, after: after, exact: true)
    }
    func edge(_ id: String, after: Bool) -> KeyEdge {
      var bytes = before
      NameKey.appendID(id, to: &bytes)
      return KeyEdge(bytes: bytes, after: after, exact: true)
    }
    if path.collection == collection { return edge(path.id, after: after) }
    let segments = path.segments
    let depth = collection.segments.count
    if segments.count > depth,
      CollectionPath(unchecked: Array(segments[..<depth])) == collection
    {
      // Below a document of this collection: after that document, before the next.
      return edge(segments[depth], after: true)
    }
    let below = DocumentPath.compare(path, collection.document("a")) < 0
    return KeyEdge(bytes: before, after: !below)
  }
}
