package import HearthModel

extension IndexEntries {
  /// The entries that one document may have.
  package static let mostEntries = 40_000
  /// The size that one entry may have.
  package static let largestEntry = 7680
  /// The size that all entries of one document may have together.
  package static let largestTotal = 8 << 20

  /// What one document costs in its logical indexes.
  package struct Cost: Sendable, Equatable {
    package var entries = 0
    package var largest = 0
    package var total = 0

    mutating func add(_ count: Int, of size: Int) {
      guard count > 0 else { return }
      entries += count
      largest = max(largest, size)
      total += count * size
    }
  }

  /// Checks a document against the budget of its index entries (documents-and-queries, 6.6).
  ///
  /// `declared` are the composite indexes that writes maintain; those of other collections are
  /// passed over. A document far from every limit, as most are, is only counted.
  package static func checkBudget(
    fields: Fields, path: DocumentPath, configuration: IndexConfiguration,
    declared: [IndexDefinition]
  ) throws(HearthError) {
    let declared = declared.filter {
      UTF8Order.equal($0.collectionID, path.collection.collectionID)
    }
    if isSmall(fields, path, configuration, declared) { return }
    let cost = cost(
      fields: fields, path: path, configuration: configuration, declared: declared)
    if cost.entries > mostEntries {
      throw .invalid(
        "TOO_MANY_INDEX_ENTRIES",
        "The document \(path) would have \(cost.entries) index entries; \(mostEntries) are "
          + "allowed. Exempt large arrays and maps from indexing.")
    }
    if cost.largest > largestEntry {
      throw .invalid(
        "INDEX_ENTRY_TOO_LARGE",
        "An index entry of the document \(path) would have \(cost.largest) bytes; "
          + "\(largestEntry) are allowed.")
    }
    if cost.total > largestTotal {
      throw .invalid(
        "INDEX_ENTRIES_TOO_LARGE",
        "The index entries of the document \(path) would have \(cost.total) bytes in total; "
          + "\(largestTotal) are allowed. Exempt large arrays and maps from indexing.")
    }
  }

  /// The exact cost of a document in its logical indexes; definitions must be of its collection.
  package static func cost(
    fields: Fields, path: DocumentPath, configuration: IndexConfiguration,
    declared: [IndexDefinition]
  ) -> Cost {
    var cost = Cost()
    let name = LogicalSize.name(path)
    let parent = LogicalSize.parentName(path)
    addAutomatic(
      fields, above: [], configuration: configuration, id: path.collection.collectionID,
      collection: name + parent + 32, group: name + 48, to: &cost)
    for definition in declared {
      let base = definition.scope == .collection ? name + parent + 32 : name + 32
      addDeclared(definition, fields, base, to: &cost)
    }
    return cost
  }

  private static func addAutomatic(
    _ fields: Fields, above: [String], configuration: IndexConfiguration, id: String,
    collection: Int, group: Int, to cost: inout Cost
  ) {
    for field in fields {
      let path = FieldPath(above + [field.name])
      let pathSize = LogicalSize.string(path.description)
      let valueSize = LogicalSize.indexed(field.value)
      var elements: [Int]?
      for index in configuration.maintainedIndexes(collectionID: id, path: path) {
        let base = pathSize + (index.scope == .collection ? collection : group)
        if index.mode != .contains {
          cost.add(1, of: base + valueSize)
        } else if case .array(let array) = field.value {
          let sizes = elements ?? distinctSizes(array)
          elements = sizes
          for size in sizes { cost.add(1, of: base + size) }
        }
      }
      if case .map(let inner) = field.value {
        addAutomatic(
          inner, above: path.segments, configuration: configuration, id: id,
          collection: collection, group: group, to: &cost)
      }
    }
  }

  private static func addDeclared(
    _ definition: IndexDefinition, _ fields: Fields, _ base: Int, to cost: inout Cost
  ) {
    var size = base
    var elements: [Int]?
    for field in definition.fieldsBeforeName {
      guard let value = fields.value(at: field.path) else { return }
      if field.mode == .contains {
        guard case .array(let array) = value, !array.isEmpty else { return }
        elements = distinctSizes(array)
      } else {
        size += LogicalSize.indexed(value)
      }
    }
    guard let elements else { return cost.add(1, of: size) }
    for element in elements { cost.add(1, of: size + element) }
  }

  /// The sizes of an array's distinct elements.
  ///
  /// Equal elements can differ in size (a long string and a longer one), but not once both are
  /// capped.
  private static func distinctSizes(_ array: [Value]) -> [Int] {
    var seen: Set<[UInt8]> = []
    var sizes: [Int] = []
    for element in array where seen.insert(ValueKey.encode(element)).inserted {
      sizes.append(LogicalSize.indexed(element))
    }
    return sizes
  }

  /// Whether upper bounds that cost next to nothing show that no limit can be exceeded.
  private static func isSmall(
    _ fields: Fields, _ path: DocumentPath, _ configuration: IndexConfiguration,
    _ declared: [IndexDefinition]
  ) -> Bool {
    // Each path has at most so many indexes of whole values, and as many of elements.
    let copies = configuration.overrides.isEmpty ? 2 : 4
    var bounds = Bounds()
    bounds.count(fields, above: 0, copies: copies)
    var entries = bounds.entries
    var values = bounds.longestPath + ValueKey.budget + 49
    for definition in declared {
      entries += bounds.largestArray
      values = max(values, definition.fields.count * ValueKey.budget + 32)
    }
    let largest = LogicalSize.name(path) + LogicalSize.parentName(path) + values
    return largest <= largestEntry && entries <= mostEntries
      && entries <= largestTotal / largest
  }

  private struct Bounds {
    var entries = 0
    var longestPath = 0
    /// At least one: an index without arrays has one entry.
    var largestArray = 1

    mutating func count(_ fields: Fields, above: Int, copies: Int) {
      for field in fields {
        entries += copies
        // In the canonical form of a path quotes come in twos and escapes double a byte.
        let length = above + 2 * field.name.utf8.count + 3
        longestPath = max(longestPath, length)
        switch field.value {
        case .array(let array):
          entries += copies * array.count
          largestArray = max(largestArray, array.count)
        case .map(let inner): count(inner, above: length, copies: copies)
        default: break
        }
      }
    }
  }
}
