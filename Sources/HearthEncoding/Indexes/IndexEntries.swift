package import HearthModel

/// From documents to their index entries.
package enum IndexEntries {
  /// The entries of every automatic tree of a document (documents-and-queries, 6.2): for every
  /// field one in the tree of its values, and for arrays one per distinct element.
  ///
  /// An index and its descending twin share a tree. The keys are full keys, in no particular order.
  ///
  /// - Parameters:
  ///   - number: Finds or makes the number of a tree.
  package static func automatic(
    fields: Fields, path: DocumentPath, collection: CollectionNumber,
    configuration: IndexConfiguration,
    number: (AutomaticIndexKey) throws(HearthError) -> IndexNumber
  ) throws(HearthError) -> [IndexEntry] {
    var walk = AutomaticWalk(path: path, collection: collection, configuration: configuration)
    walk.entries.reserveCapacity(2 * fields.count)
    try walk.visit(fields, above: [], number)
    return walk.entries
  }

  /// The entries of a declared index: none if a field is missing, one per distinct element of the
  /// `CONTAINS` field if there is one, else one.
  ///
  /// `collection` is needed for collection scope.
  package static func declared(
    fields: Fields, path: DocumentPath, collection: CollectionNumber, index: PhysicalIndex
  ) -> [IndexEntry] {
    let definition = index.definition
    var payload: [UInt8] = []
    var key: [UInt8] = []
    key.reserveCapacity(64)
    KeyLayout.appendEntriesPrefix(
      index.number, definition.scope == .collection ? collection : nil, to: &key)
    // Everything before the CONTAINS component, the components in its place, everything after.
    var elements: [[UInt8]]?
    var prefix: [UInt8] = []
    for (position, field) in definition.fieldsBeforeName.enumerated() {
      guard let value = fields.value(at: field.path) else { return [] }
      if field.mode == .contains {
        guard case .array(let array) = value, !array.isEmpty, elements == nil else { return [] }
        elements = distinct(array)
        prefix = key
        key = []
      } else {
        if NumberKinds.isWholeDouble(value) { NumberKinds.insert(position, into: &payload) }
        ValueKey.append(value, descending: field.mode == .descending, to: &key)
      }
    }
    if definition.scope == .collection {
      NameKey.appendID(path.id, to: &key)
    } else {
      NameKey.appendPath(path, to: &key)
    }
    guard let elements else { return [IndexEntry(key: key, payload: payload)] }
    return elements.map { IndexEntry(key: prefix + $0 + key, payload: payload) }
  }

  /// What a change of a document removes and puts, each sorted by key.
  ///
  /// An entry that stays but says other number kinds is put again.
  package static func difference(
    old: [IndexEntry], new: [IndexEntry]
  ) -> (removed: [[UInt8]], added: [IndexEntry]) {
    let old = sorted(old)
    let new = sorted(new)
    var removed: [[UInt8]] = []
    var added: [IndexEntry] = []
    var i = 0
    var j = 0
    while i < old.count, j < new.count {
      let order = compare(old[i].key, new[j].key)
      if order < 0 {
        removed.append(old[i].key)
        i += 1
      } else if order > 0 {
        added.append(new[j])
        j += 1
      } else {
        if old[i].payload != new[j].payload { added.append(new[j]) }
        i += 1
        j += 1
      }
    }
    removed.append(contentsOf: old[i...].map(\.key))
    added.append(contentsOf: new[j...])
    return (removed, added)
  }

  /// The encodings of an array's elements, each once, in byte order.
  ///
  /// Query equality of index forms is equality of their bytes.
  static func distinct(_ array: [Value]) -> [[UInt8]] {
    var encodings = array.map(ValueKey.encode)
    if encodings.count > 1 { encodings.sort { compare($0, $1) < 0 } }
    var kept = 0
    for i in encodings.indices where i == 0 || encodings[i] != encodings[kept - 1] {
      encodings[kept] = encodings[i]
      kept += 1
    }
    encodings.removeLast(encodings.count - kept)
    return encodings
  }

  private static func sorted(_ entries: [IndexEntry]) -> [IndexEntry] {
    entries.count < 2 ? entries : entries.sorted { compare($0.key, $1.key) < 0 }
  }

  private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a.withUnsafeBufferPointer { x in
      b.withUnsafeBufferPointer { y in UTF8Order.compare(x, y) }
    }
  }
}

/// One pass over a document's fields that collects its automatic entries.
private struct AutomaticWalk {
  /// The trees that a path has; the default one needs no lookup.
  struct Trees {
    var ordered = false
    var contains = false
    var groupOrdered = false
    var groupContains = false
  }

  let collectionID: String
  let collection: CollectionNumber
  let configuration: IndexConfiguration
  let hasOverrides: Bool
  /// The last part of every key in collection scope.
  let name: [UInt8]
  let path: DocumentPath
  var entries: [IndexEntry] = []

  init(path: DocumentPath, collection: CollectionNumber, configuration: IndexConfiguration) {
    self.path = path
    self.collection = collection
    self.configuration = configuration
    let collectionID = path.collection.collectionID
    self.collectionID = collectionID
    hasOverrides = configuration.overrides.contains {
      UTF8Order.equal($0.collectionID, collectionID)
    }
    var name: [UInt8] = []
    NameKey.appendID(path.id, to: &name)
    self.name = name
  }

  mutating func visit(
    _ fields: Fields, above: [String],
    _ number: (AutomaticIndexKey) throws(HearthError) -> IndexNumber
  ) throws(HearthError) {
    for field in fields {
      let fieldPath = FieldPath(above + [field.name])
      let trees = self.trees(fieldPath)
      if trees.ordered {
        try add(field.value, fieldPath, .collection, number)
      }
      if trees.groupOrdered {
        try add(field.value, fieldPath, .collectionGroup, number)
      }
      switch field.value {
      case .array(let array) where !array.isEmpty && (trees.contains || trees.groupContains):
        let elements = IndexEntries.distinct(array)
        if trees.contains { try add(elements, fieldPath, .collection, number) }
        if trees.groupContains { try add(elements, fieldPath, .collectionGroup, number) }
      case .map(let inner): try visit(inner, above: fieldPath.segments, number)
      default: break
      }
    }
  }

  private func trees(_ fieldPath: FieldPath) -> Trees {
    var trees = Trees()
    guard hasOverrides else {
      trees.ordered = true
      trees.contains = true
      return trees
    }
    let indexes = configuration.maintainedIndexes(collectionID: collectionID, path: fieldPath)
    for index in indexes {
      switch (index.scope, index.mode) {
      case (.collection, .contains): trees.contains = true
      case (.collection, _): trees.ordered = true
      case (.collectionGroup, .contains): trees.groupContains = true
      case (.collectionGroup, _): trees.groupOrdered = true
      }
    }
    return trees
  }

  private mutating func add(
    _ value: Value, _ fieldPath: FieldPath, _ scope: IndexScope,
    _ number: (AutomaticIndexKey) throws(HearthError) -> IndexNumber
  ) throws(HearthError) {
    var key = try prefix(fieldPath, contains: false, scope, number)
    ValueKey.append(value, to: &key)
    finish(key, NumberKinds.payload(of: value), scope)
  }

  private mutating func add(
    _ elements: [[UInt8]], _ fieldPath: FieldPath, _ scope: IndexScope,
    _ number: (AutomaticIndexKey) throws(HearthError) -> IndexNumber
  ) throws(HearthError) {
    let prefix = try prefix(fieldPath, contains: true, scope, number)
    for element in elements { finish(prefix + element, [], scope) }
  }

  private func prefix(
    _ fieldPath: FieldPath, contains: Bool, _ scope: IndexScope,
    _ number: (AutomaticIndexKey) throws(HearthError) -> IndexNumber
  ) throws(HearthError) -> [UInt8] {
    let index = try number(
      AutomaticIndexKey(
        collectionID: collectionID, path: fieldPath, contains: contains, scope: scope))
    var key: [UInt8] = []
    key.reserveCapacity(64)
    KeyLayout.appendEntriesPrefix(index, scope == .collection ? collection : nil, to: &key)
    return key
  }

  private mutating func finish(
    _ key: consuming [UInt8], _ payload: [UInt8], _ scope: IndexScope
  ) {
    if scope == .collection {
      key.append(contentsOf: name)
    } else {
      NameKey.appendPath(path, to: &key)
    }
    entries.append(IndexEntry(key: key, payload: payload))
  }
}
