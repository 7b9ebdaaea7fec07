import HearthEncoding
import HearthModel
import HearthStorage

/// Numbers of collections and indexes, and the declared indexes, as readers see them.
///
/// The tables hold the truth; this keeps what was looked up. Only committed facts enter, and a
/// number never changes its meaning, so a cached one is right for every snapshot.
final class Catalog: Sendable {
  private struct Cache {
    var state: CatalogState
    /// The planner's view, built once per generation.
    var configuration: IndexConfiguration
    var collections: [CollectionPath: CollectionNumber] = [:]
    var automatic: [AutomaticIndexKey: IndexNumber] = [:]
  }

  /// Beyond this many entries a cache is emptied: paths are unbounded, memory is not.
  private static let cacheLimit = 100_000

  private let store: RecordStore
  private let cache: Lock<Cache>

  /// Loads the declared indexes.
  init(store: RecordStore, environment: Environment) throws {
    self.store = store
    let state = try environment.read { transaction in
      try CatalogRecords.load(store, transaction)
    }
    cache = Lock(Cache(state: state, configuration: state.configuration))
  }

  /// The declared indexes at this moment.
  var state: CatalogState { cache.withLock { $0.state } }

  /// What the planner plans with.
  var configuration: IndexConfiguration { cache.withLock { $0.configuration } }

  /// Both of one moment.
  var planned: (state: CatalogState, configuration: IndexConfiguration) {
    cache.withLock { ($0.state, $0.configuration) }
  }

  /// The number of a collection, nil if no document was ever written to it.
  func number<T: TableReader & ~Copyable>(
    of path: CollectionPath, _ transaction: borrowing T
  ) throws -> CollectionNumber? {
    if let known = cache.withLock({ $0.collections[path] }) { return known }
    guard
      let payload = try store.get(
        CatalogKeys.collection(path), in: store.catalog, transaction)
    else { return nil }
    var offset = 0
    let number = CollectionNumber(try OrderedNumber.read(from: payload, at: &offset))
    remember(collections: [path: number])
    return number
  }

  /// The number of an automatic index, nil if no document ever had the field.
  func number<T: TableReader & ~Copyable>(
    of index: AutomaticIndexKey, _ transaction: borrowing T
  ) throws -> IndexNumber? {
    if let known = cache.withLock({ $0.automatic[index] }) { return known }
    guard let payload = try store.get(CatalogKeys.automatic(index), in: store.catalog, transaction)
    else { return nil }
    var offset = 0
    let number = IndexNumber(try OrderedNumber.read(from: payload, at: &offset))
    remember(automatic: [index: number])
    return number
  }

  /// The number of an automatic index if it was looked up before.
  func cachedNumber(of index: AutomaticIndexKey) -> IndexNumber? {
    cache.withLock { $0.automatic[index] }
  }

  /// Takes over what a commit made durable.
  func remember(
    collections: [CollectionPath: CollectionNumber] = [:],
    automatic: [AutomaticIndexKey: IndexNumber] = [:]
  ) {
    if collections.isEmpty && automatic.isEmpty { return }
    cache.withLock { cache in
      if cache.collections.count > Catalog.cacheLimit { cache.collections = [:] }
      if cache.automatic.count > Catalog.cacheLimit { cache.automatic = [:] }
      cache.collections.merge(collections) { _, new in new }
      cache.automatic.merge(automatic) { _, new in new }
    }
  }

  /// Takes over a committed change of the declared indexes.
  func adopt(_ state: CatalogState) {
    cache.withLock { cache in
      cache.state = state
      cache.configuration = state.configuration
    }
  }
}
