// Sizes as Firestore counts them (documents-and-queries, 4.7). They decide limits and budgets;
// they say nothing about bytes on disk.

extension Value {
  /// The size of this value, whose depth must have been checked before.
  package var storedSize: Int {
    switch self {
    case .null, .boolean: 1
    case .integer, .double, .timestamp: 8
    case .geoPoint: 16
    case .string(let x): x.stringSize
    case .bytes(let x): x.count
    case .reference(let x): x.nameSize
    case .array(let x): x.reduce(0) { $0 + $1.storedSize }
    case .vector(let x): 8 * x.array.count
    case .map(let x): x.storedSize + Fields.mapSurcharge
    }
  }
}

extension Fields {
  /// What every document and every map adds to its entries.
  package static let mapSurcharge = 32
  /// The largest document.
  package static let largestDocument = 1_048_576

  /// The sizes of names and values.
  package var storedSize: Int { reduce(0) { $0 + $1.name.stringSize + $1.value.storedSize } }

  /// The size of a document with these fields.
  package func documentSize(path: DocumentPath) -> Int {
    path.nameSize + storedSize + Fields.mapSurcharge
  }
}

extension Document {
  /// The size of this document.
  package var documentSize: Int { fields.documentSize(path: path) }
}

extension DocumentPath {
  /// The document name size: the string sizes of all ids, 8 for a numeric one, and 16.
  package var nameSize: Int { segments.nameSize }
}

extension CollectionPath {
  /// The document name size of the document that holds this collection, 16 at the root.
  package var parentNameSize: Int { Array(segments.dropLast()).nameSize }
}

extension FieldPath {
  /// The string size of the canonical form, as index entries count it (6.6).
  package var stringSize: Int { canonicalLength + 1 }
}

extension String {
  /// UTF-8 bytes and one.
  package var stringSize: Int { utf8.count + 1 }
}

extension [String] {
  /// The document name size of a path with these ids.
  var nameSize: Int {
    var size = 16
    for (level, id) in enumerated() {
      size += level % 2 == 1 && PathRules.numericID(id) != nil ? 8 : id.stringSize
    }
    return size
  }
}
