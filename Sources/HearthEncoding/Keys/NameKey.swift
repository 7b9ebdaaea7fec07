package import HearthModel

/// Document ids and paths as the last part of a key, in name order (documents-and-queries, 1.6).
package enum NameKey {
  /// Appends a document id: a tag, then eight sortable bytes of a numeric id, or the raw bytes of
  /// any other.
  ///
  /// It has no end mark, since nothing follows it.
  package static func appendID(_ id: String, to key: inout [UInt8]) {
    if let number = TextKey.numericID(id) {
      key.append(ValueKey.Tag.numericID)
      NumberKey.appendSortable(number, to: &key)
      return
    }
    key.append(ValueKey.Tag.string)
    var id = id
    id.withUTF8 { key.append(contentsOf: $0) }
  }

  /// The id that stands in a key from a position to the end.
  package static func decodeID(
    in key: RawSpan, from start: Int
  ) throws(HearthError) -> String {
    guard start >= 0, start < key.byteCount else { throw Corruption.key("an id is missing") }
    switch byte(key, start) {
    case ValueKey.Tag.numericID:
      guard key.byteCount - start == 9 else { throw Corruption.key("an id is cut off") }
      return numericID(key, at: start + 1)
    case ValueKey.Tag.string:
      return try id(key.extracting((start + 1)..<key.byteCount))
    default: throw Corruption.key("an id has an unknown tag")
    }
  }

  /// The id that stands in a key from a position to the end.
  package static func decodeID(in key: [UInt8], from start: Int) throws(HearthError) -> String {
    try decodeID(in: key.span.bytes, from: start)
  }

  /// Appends a full path: its segments, each ending by itself.
  ///
  /// A path that is a prefix of another is a prefix in bytes too, and so sorts first.
  package static func appendPath(_ path: DocumentPath, to key: inout [UInt8]) {
    appendPath(path.collection, to: &key)
    appendSegment(path.id, to: &key)
  }

  /// Appends the path of a collection: what the paths of its documents begin with.
  package static func appendPath(_ path: CollectionPath, to key: inout [UInt8]) {
    for id in path.segments { appendSegment(id, to: &key) }
  }

  private static func appendSegment(_ id: String, to key: inout [UInt8]) {
    if let number = TextKey.numericID(id) {
      key.append(ValueKey.Tag.numericID)
      NumberKey.appendSortable(number, to: &key)
      return
    }
    key.append(ValueKey.Tag.string)
    var id = id
    id.withUTF8 { TextKey.appendEscaped($0, to: &key) }
    key.append(0)
    key.append(ValueKey.Escape.end)
  }

  /// The path that stands in a key from a position to the end.
  package static func decodePath(
    in key: RawSpan, from start: Int
  ) throws(HearthError) -> DocumentPath {
    var segments = try decodeSegments(in: key, from: start)
    guard let id = segments.popLast(), segments.count % 2 == 1 else {
      throw Corruption.key("a path has the wrong number of segments")
    }
    return DocumentPath(collection: CollectionPath(unchecked: segments), id: id)
  }

  /// The path of a collection that stands in a key from a position to the end.
  package static func decodeCollection(
    in key: [UInt8], from start: Int
  ) throws(HearthError) -> CollectionPath {
    let segments = try decodeSegments(in: key.span.bytes, from: start)
    guard segments.count % 2 == 1 else {
      throw Corruption.key("a path has the wrong number of segments")
    }
    return CollectionPath(unchecked: segments)
  }

  private static func decodeSegments(
    in key: RawSpan, from start: Int
  ) throws(HearthError) -> [String] {
    var segments: [String] = []
    var position = start
    guard start >= 0 else { throw Corruption.key("a path is missing") }
    while position < key.byteCount {
      switch byte(key, position) {
      case ValueKey.Tag.numericID:
        guard key.byteCount - position >= 9 else { throw Corruption.key("an id is cut off") }
        segments.append(numericID(key, at: position + 1))
        position += 9
      case ValueKey.Tag.string:
        position += 1
        segments.append(try segment(key, at: &position))
      default: throw Corruption.key("a path has an unknown tag")
      }
    }
    return segments
  }

  /// The path that stands in a key from a position to the end.
  package static func decodePath(
    in key: [UInt8], from start: Int
  ) throws(HearthError) -> DocumentPath {
    try decodePath(in: key.span.bytes, from: start)
  }

  /// Reads escaped text up to its end.
  private static func segment(
    _ key: RawSpan, at position: inout Int
  ) throws(HearthError) -> String {
    let start = position
    var unescaped: [UInt8]?
    while position + 1 < key.byteCount {
      let next = byte(key, position)
      if next != 0 {
        unescaped?.append(next)
        position += 1
        continue
      }
      switch byte(key, position + 1) {
      case ValueKey.Escape.end:
        let text = start..<position
        position += 2
        if let unescaped { return try id(unescaped.span.bytes) }
        return try id(key.extracting(text))
      case ValueKey.Escape.zero:
        // The rare id with a zero byte is copied from its first zero on.
        if unescaped == nil {
          unescaped = key.extracting(start..<position).withUnsafeBytes { Array($0) }
        }
        unescaped?.append(0)
        position += 2
      default: throw Corruption.key("an id has an unknown escape")
      }
    }
    throw Corruption.key("an id has no end")
  }

  private static func id(_ bytes: RawSpan) throws(HearthError) -> String {
    guard let id = bytes.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }), !id.isEmpty
    else { throw Corruption.key("an id is not UTF-8") }
    return id
  }

  /// The caller has checked the position.
  ///
  /// Safe: a byte has no invalid bit pattern.
  private static func byte(_ key: RawSpan, _ position: Int) -> UInt8 {
    key.unsafeLoad(fromByteOffset: position, as: UInt8.self)
  }

  /// The caller has checked that eight bytes follow.
  ///
  /// Safe: so has an integer none.
  private static func numericID(_ key: RawSpan, at position: Int) -> String {
    let bits = UInt64(
      bigEndian: key.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
    return "__id\(Int64(bitPattern: bits ^ 0x8000_0000_0000_0000))__"
  }
}
