package import HearthModel

/// The tables of a database.
package enum TableName: String, CaseIterable, Sendable {
  /// What the database knows about itself: numbers of collections and indexes, definitions.
  case catalog
  /// Documents: collection number, document id.
  case documents
  /// Index entries: index number, collection number, values, name.
  case entries

  /// The number that goes into checksums, so that a record in a wrong table is noticed.
  package var number: UInt8 {
    switch self {
    case .catalog: 1
    case .documents: 2
    case .entries: 3
    }
  }
}

/// The number that stands for a collection path in keys.
package struct CollectionNumber: Hashable, Comparable, Sendable {
  package var value: UInt64

  package init(_ value: UInt64) { self.value = value }

  package static func < (a: CollectionNumber, b: CollectionNumber) -> Bool { a.value < b.value }
}

/// The number that stands for a physical index in keys.
package struct IndexNumber: Hashable, Comparable, Sendable {
  package var value: UInt64

  package init(_ value: UInt64) { self.value = value }

  package static func < (a: IndexNumber, b: IndexNumber) -> Bool { a.value < b.value }
}

/// The one place that knows how keys begin.
package enum KeyLayout {
  /// The key of a document.
  package static func document(_ collection: CollectionNumber, id: String) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(id.utf8.count + 10)
    OrderedNumber.append(collection.value, to: &key)
    NameKey.appendID(id, to: &key)
    return key
  }

  /// What the keys of a collection's documents begin with, and no other key does.
  package static func documentsPrefix(_ collection: CollectionNumber) -> [UInt8] {
    var key: [UInt8] = []
    OrderedNumber.append(collection.value, to: &key)
    return key
  }

  /// The collection and the id in a document's key.
  package static func documentID(
    of key: RawSpan
  ) throws(HearthError) -> (collection: CollectionNumber, id: String) {
    var position = 0
    let collection = CollectionNumber(try OrderedNumber.read(from: key, at: &position))
    return (collection, try NameKey.decodeID(in: key, from: position))
  }

  /// The collection and the id in a document's key.
  package static func documentID(
    of key: [UInt8]
  ) throws(HearthError) -> (collection: CollectionNumber, id: String) {
    try documentID(of: key.span.bytes)
  }

  /// What the entries of an index begin with: for a collection index the entries of one
  /// collection, for a collection-group index (collection nil) all of them.
  package static func entriesPrefix(
    _ index: IndexNumber, _ collection: CollectionNumber?
  ) -> [UInt8] {
    var key: [UInt8] = []
    appendEntriesPrefix(index, collection, to: &key)
    return key
  }

  static func appendEntriesPrefix(
    _ index: IndexNumber, _ collection: CollectionNumber?, to key: inout [UInt8]
  ) {
    OrderedNumber.append(index.value, to: &key)
    if let collection { OrderedNumber.append(collection.value, to: &key) }
  }

  /// Where the name begins in an entry of a physical index, behind the prefix and the values.
  package static func nameStart(
    inEntry key: RawSpan, of definition: IndexDefinition
  ) throws(HearthError) -> Int {
    var position = 0
    _ = try OrderedNumber.read(from: key, at: &position)
    if definition.scope == .collection { _ = try OrderedNumber.read(from: key, at: &position) }
    for field in definition.fieldsBeforeName {
      position = try ValueKey.componentEnd(
        in: key, from: position, descending: field.mode == .descending)
    }
    return position
  }

  /// The first byte string above everything that begins with a prefix, nil if there is none.
  package static func end(ofPrefix prefix: [UInt8]) -> [UInt8]? {
    var end = prefix
    while let last = end.popLast() {
      if last < 0xff {
        end.append(last + 1)
        return end
      }
    }
    return nil
  }
}
