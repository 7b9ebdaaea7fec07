import HearthModel

/// Sizes as Firestore counts them (documents-and-queries, 4.7), which have nothing to do with the
/// bytes that are stored.
enum LogicalSize {
  static func string(_ string: String) -> Int { string.utf8.count + 1 }

  /// The size of a document's name.
  static func name(_ path: DocumentPath) -> Int {
    let segments = path.collection.segments
    var size = 16 + id(path.id)
    for i in segments.indices { size += i % 2 == 0 ? string(segments[i]) : id(segments[i]) }
    return size
  }

  private static func id(_ id: String) -> Int { TextKey.numericID(id) == nil ? string(id) : 8 }

  /// The size of the name of the document above, 16 where there is none.
  static func parentName(_ path: DocumentPath) -> Int { path.collection.parent.map(name) ?? 16 }

  static func value(_ value: Value) -> Int {
    switch value {
    case .null, .boolean: return 1
    case .integer, .double, .timestamp: return 8
    case .geoPoint: return 16
    case .string(let text): return string(text)
    case .bytes(let bytes): return bytes.count
    case .reference(let path): return name(path)
    case .array(let elements):
      var size = 0
      for element in elements { size += self.value(element) }
      return size
    case .vector(let vector): return 8 * vector.array.count
    case .map(let fields):
      var size = 32
      for field in fields { size += string(field.name) + self.value(field.value) }
      return size
    }
  }

  /// A value's part in the size of an index entry.
  static func indexed(_ value: Value) -> Int { min(self.value(value), ValueKey.budget) }
}
