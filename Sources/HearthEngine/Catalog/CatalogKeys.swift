package import HearthEncoding
package import HearthModel

/// The keys of the catalog table.
///
/// One tag byte tells the kinds of record apart.
package enum CatalogKeys {
  /// The newest commit version.
  package static let head: [UInt8] = [0x01]
  /// The next free collection and index numbers.
  package static let counters: [UInt8] = [0x02]
  /// The field overrides, as one record.
  package static let overrides: [UInt8] = [0x31]

  /// Every collection by the text of its path.
  static let collectionsByPath: [UInt8] = [0x10]

  /// Collection path to number.
  package static func collection(_ path: CollectionPath) -> [UInt8] {
    collectionsByPath + Array(path.description.utf8)
  }

  /// Every collection by number.
  package static let collectionsByNumber: [UInt8] = [0x11]

  /// Collection number to path.
  package static func collection(_ number: CollectionNumber) -> [UInt8] {
    var key = collectionsByNumber
    OrderedNumber.append(number.value, to: &key)
    return key
  }

  /// Every collection with an id, in the order of their paths.
  package static func group(_ id: String) -> [UInt8] {
    var key: [UInt8] = [0x12]
    OrderedNumber.append(UInt64(id.utf8.count), to: &key)
    key.append(contentsOf: id.utf8)
    return key
  }

  /// A collection among those that share its id; holds its number.
  package static func member(_ path: CollectionPath) -> [UInt8] {
    var key = group(path.collectionID)
    NameKey.appendPath(path, to: &key)
    return key
  }

  /// Every automatic index by its meaning.
  package static let automaticIndexes: [UInt8] = [0x20]

  /// Automatic index to number.
  package static func automatic(_ index: AutomaticIndexKey) -> [UInt8] {
    var key = automaticIndexes
    OrderedNumber.append(UInt64(index.collectionID.utf8.count), to: &key)
    key.append(contentsOf: index.collectionID.utf8)
    key.append(index.contains ? 1 : 0)
    key.append(index.scope == .collection ? 0 : 1)
    // Segments with their lengths: canonical text would need parsing back.
    for segment in index.path.segments {
      OrderedNumber.append(UInt64(segment.utf8.count), to: &key)
      key.append(contentsOf: segment.utf8)
    }
    return key
  }

  /// Reads an automatic index back from its key.
  package static func automatic(from key: [UInt8]) throws(HearthError) -> AutomaticIndexKey {
    var offset = automaticIndexes.count
    func text() throws(HearthError) -> String {
      let count = Int(try OrderedNumber.read(from: key, at: &offset))
      guard count >= 0, offset + count <= key.count else { throw damaged }
      defer { offset += count }
      return String(decoding: key[offset..<offset + count], as: UTF8.self)
    }
    let collectionID = try text()
    guard offset + 2 < key.count else { throw damaged }
    let contains = key[offset] == 1
    let scope: IndexScope = key[offset + 1] == 0 ? .collection : .collectionGroup
    offset += 2
    var segments: [String] = []
    while offset < key.count { segments.append(try text()) }
    return AutomaticIndexKey(
      collectionID: collectionID, path: FieldPath(segments), contains: contains, scope: scope)
  }

  /// Trees of dropped indexes whose entries are still to be reclaimed, by number.
  static let reclaims: [UInt8] = [0x32]

  /// A tree that is to be reclaimed.
  static func reclaim(_ number: IndexNumber) -> [UInt8] {
    var key = reclaims
    OrderedNumber.append(number.value, to: &key)
    return key
  }

  /// Changes of overrides that are being applied, by collection id.
  static let overrideChanges: [UInt8] = [0x33]

  /// The overrides of a collection id before the change that is being applied.
  static func overrideChange(_ collectionID: String) -> [UInt8] {
    overrideChanges + Array(collectionID.utf8)
  }

  /// Every declared index, in the order of declaration.
  package static let declaredIndexes: [UInt8] = [0x30]

  /// A declared index by its place in the order of declaration.
  package static func declared(_ sequence: UInt64) -> [UInt8] {
    var key = declaredIndexes
    OrderedNumber.append(sequence, to: &key)
    return key
  }

  private static var damaged: HearthError {
    .dataLoss("CATALOG_MALFORMED", "A catalog record is malformed; restore from a backup.")
  }
}
