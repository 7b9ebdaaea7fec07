import HearthEncoding
import HearthModel
import HearthStorage

/// The catalog inside one group of commits: numbers given out here are seen by the group only,
/// until it is on disk.
struct CatalogEditor {
  private let catalog: Catalog
  private let store: RecordStore
  private(set) var newCollections: [CollectionPath: CollectionNumber] = [:]
  private(set) var newAutomatic: [AutomaticIndexKey: IndexNumber] = [:]
  private var nextCollection: UInt64?
  private var nextIndex: UInt64?
  /// The declared indexes as this group leaves them.
  ///
  /// Only the committer changes them, so what it found at first holds for the whole group.
  private(set) var state: CatalogState
  private var changesState = false

  init(catalog: Catalog, store: RecordStore) {
    self.catalog = catalog
    self.store = store
    state = catalog.state
  }

  /// The number of a collection, given out if it has none.
  mutating func number<T: TableReader & ~Copyable>(
    of path: CollectionPath, _ transaction: borrowing T
  ) throws -> CollectionNumber {
    if let known = newCollections[path] { return known }
    if let known = try catalog.number(of: path, transaction) { return known }
    try loadCounters(transaction)
    let value = nextCollection ?? 1
    nextCollection = value + 1
    let number = CollectionNumber(value)
    newCollections[path] = number
    return number
  }

  /// The number of an automatic index, given out if it has none.
  mutating func number<T: TableReader & ~Copyable>(
    of index: AutomaticIndexKey, _ transaction: borrowing T
  ) throws -> IndexNumber {
    if let known = catalog.cachedNumber(of: index) { return known }
    if let known = newAutomatic[index] { return known }
    if let known = try catalog.number(of: index, transaction) { return known }
    let number = try newIndexNumber(transaction)
    newAutomatic[index] = number
    return number
  }

  /// A fresh index number.
  mutating func newIndexNumber<T: TableReader & ~Copyable>(
    _ transaction: borrowing T
  ) throws -> IndexNumber {
    try loadCounters(transaction)
    let value = nextIndex ?? 1
    nextIndex = value + 1
    return IndexNumber(value)
  }

  /// Replaces the declared indexes.
  mutating func change(
    _ transaction: borrowing WriteTransaction, _ body: (inout CatalogState) -> Void
  ) throws {
    let old = state
    var new = old
    body(&new)
    new.generation = old.generation + 1
    for tree in old.declared where !new.declared.contains(where: { $0.sequence == tree.sequence }) {
      try store.delete(CatalogKeys.declared(tree.sequence), in: store.catalog, transaction)
    }
    for tree in new.declared where !old.declared.contains(tree) {
      try store.put(
        CatalogKeys.declared(tree.sequence), CatalogRecords.encode(tree), in: store.catalog,
        transaction)
    }
    if new.overrides != old.overrides {
      new.overridesNumber = old.overridesNumber + 1
      try store.put(
        CatalogKeys.overrides, json(new.overrides), in: store.catalog, transaction)
    }
    for change in old.changes where !new.changes.contains(change) {
      try store.delete(
        CatalogKeys.overrideChange(change.collectionID), in: store.catalog, transaction)
    }
    for change in new.changes where !old.changes.contains(change) {
      try store.put(
        CatalogKeys.overrideChange(change.collectionID), json(change.previous), in: store.catalog,
        transaction)
    }
    state = new
    changesState = true
  }

  private func json(_ overrides: [FieldOverride]) -> [UInt8] {
    Array(IndexDefinitionFile(composites: [], overrides: overrides).json().utf8)
  }

  /// Writes the numbers given out.
  func flush(_ transaction: borrowing WriteTransaction) throws {
    for (path, number) in newCollections.sorted(by: { $0.value < $1.value }) {
      var payload: [UInt8] = []
      OrderedNumber.append(number.value, to: &payload)
      try store.put(CatalogKeys.collection(path), payload, in: store.catalog, transaction)
      try store.put(CatalogKeys.member(path), payload, in: store.catalog, transaction)
      try store.put(
        CatalogKeys.collection(number), Array(path.description.utf8), in: store.catalog,
        transaction)
    }
    for (index, number) in newAutomatic.sorted(by: { $0.value < $1.value }) {
      var payload: [UInt8] = []
      OrderedNumber.append(number.value, to: &payload)
      try store.put(CatalogKeys.automatic(index), payload, in: store.catalog, transaction)
    }
    if nextCollection != nil || nextIndex != nil {
      var payload: [UInt8] = []
      OrderedNumber.append(nextCollection ?? 1, to: &payload)
      OrderedNumber.append(nextIndex ?? 1, to: &payload)
      try store.put(CatalogKeys.counters, payload, in: store.catalog, transaction)
    }
  }

  /// After the group is on disk: shows its numbers and indexes to everybody.
  func publish() {
    catalog.remember(collections: newCollections, automatic: newAutomatic)
    if changesState { catalog.adopt(state) }
  }

  private mutating func loadCounters<T: TableReader & ~Copyable>(
    _ transaction: borrowing T
  ) throws {
    guard nextCollection == nil else { return }
    nextCollection = 1
    nextIndex = 1
    if let payload = try store.get(CatalogKeys.counters, in: store.catalog, transaction) {
      var offset = 0
      nextCollection = try OrderedNumber.read(from: payload, at: &offset)
      nextIndex = try OrderedNumber.read(from: payload, at: &offset)
    }
  }
}
