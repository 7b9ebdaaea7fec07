package import HearthModel

/// The index entries of one document and their sizes, by the words of documents-and-queries 6.1,
/// 6.2, 4.7 and 6.6.
package struct ReferenceEntries {
  /// The size of every entry of every logical index.
  package private(set) var sizes: [Int] = []
  /// How many entries are stored, an ascending index and its descending twin sharing theirs.
  package private(set) var stored = 0

  private let path: DocumentPath
  private let configuration: IndexConfiguration
  private let collectionID: String

  package init(_ document: Document, _ configuration: IndexConfiguration) {
    path = document.path
    self.configuration = configuration
    collectionID = path.segments[path.segments.count - 2]
    addSingle(document.fields, above: [])
    let reader = ReferenceDocument(document)
    var trees: Set<IndexDefinition> = []
    for declared in configuration.composites
    where declared.definition.collectionID.utf8.elementsEqual(collectionID.utf8) {
      let entries = composite(declared.definition, reader)
      sizes += entries
      if trees.insert(ReferenceEntries.tree(declared.definition)).inserted {
        stored += entries.count
      }
    }
  }

  private mutating func addSingle(_ fields: Fields, above: [String]) {
    for field in fields {
      let own = FieldPath(above + [field.name])
      let indexes = ReferenceDisjunction.singles(collectionID, own, configuration)
      for scope in [IndexScope.collection, .collectionGroup] {
        let base =
          ReferenceEntries.text(own.description)
          + (scope == .collection ? name + parent + 32 : name + 48)
        let modes = indexes.filter { $0.scope == scope }.map(\.mode)
        let ordered = modes.count { $0 != .contains }
        sizes += Array(repeating: base + ReferenceEntries.capped(field.value), count: ordered)
        if ordered > 0 { stored += 1 }
        guard modes.contains(.contains), case .array(let elements) = field.value else { continue }
        let distinct = ReferenceEntries.distinct(elements)
        sizes += distinct.map { base + ReferenceEntries.capped($0) }
        stored += distinct.count
      }
      if case .map(let inner) = field.value { addSingle(inner, above: own.segments) }
    }
  }

  private func composite(_ index: IndexDefinition, _ document: ReferenceDocument) -> [Int] {
    var size = name + 32 + (index.scope == .collection ? parent : 0)
    var elements: [Value]?
    for field in index.fields.dropLast() {
      guard let value = document.value(field.path) else { return [] }
      guard field.mode == .contains else {
        size += ReferenceEntries.capped(value)
        continue
      }
      guard case .array(let members) = value else { return [] }
      elements = ReferenceEntries.distinct(members)
    }
    return elements.map { $0.map { size + ReferenceEntries.capped($0) } } ?? [size]
  }

  /// Twins turned to the one with the name ascending.
  private static func tree(_ index: IndexDefinition) -> IndexDefinition {
    guard index.fields.last?.mode == .descending else { return index }
    return IndexDefinition(
      collectionID: index.collectionID, scope: index.scope,
      fields: index.fields.map { field in
        switch field.mode {
        case .ascending: IndexField(field.path, .descending)
        case .descending: IndexField(field.path, .ascending)
        case .contains: field
        }
      })
  }

  /// An array's elements, each once by query equality.
  private static func distinct(_ elements: [Value]) -> [Value] {
    var distinct: [(form: ReferenceValue, value: Value)] = []
    for element in elements {
      let form = ReferenceValue(element)
      if distinct.contains(where: { ReferenceValue.compare($0.form, form) == 0 }) { continue }
      distinct.append((form, element))
    }
    return distinct.map(\.value)
  }

  // MARK: Sizes (4.7)

  private var name: Int { ReferenceEntries.name(path.segments) }

  /// The name of the document above, 16 where there is none.
  private var parent: Int { ReferenceEntries.name(path.segments.dropLast(2)) }

  private static func text(_ text: String) -> Int { text.utf8.count + 1 }

  private static func name(_ ids: some Sequence<String>) -> Int {
    ids.enumerated().reduce(16) { size, id in
      let isNumeric = id.offset % 2 == 1 && ReferenceOrder.number(ofID: id.element) != nil
      return size + (isNumeric ? 8 : text(id.element))
    }
  }

  private static func capped(_ value: Value) -> Int { min(1500, size(value)) }

  private static func size(_ value: Value) -> Int {
    switch value {
    case .null, .boolean: 1
    case .integer, .double, .timestamp: 8
    case .geoPoint: 16
    case .string(let string): text(string)
    case .bytes(let bytes): bytes.count
    case .reference(let path): name(path.segments)
    case .array(let elements): elements.reduce(0) { $0 + size($1) }
    case .vector(let vector): 8 * vector.array.count
    case .map(let fields): fields.reduce(32) { $0 + text($1.name) + size($1.value) }
    }
  }
}
