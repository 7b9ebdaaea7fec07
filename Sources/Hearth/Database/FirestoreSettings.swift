public import Foundation
import HearthEngine
public import HearthModel

/// How much of the acknowledged data survives which accident.
public enum Durability: String, Sendable, Hashable, CaseIterable {
  /// On disk before a write is acknowledged: survives loss of power. The default.
  case durable
  /// One flush fewer: consistent after loss of power, but the last moments may be missing.
  case relaxed
  /// No flushes: loss of power can destroy the database; for tests and throwaway data.
  case none
}

/// The size that meant "no limit" for the SDK's cache; accepted and without effect.
public let FirestoreCacheSizeUnlimited: Int64 = -1

/// Settings of a database, to be assigned before its first use.
///
/// A database copies the settings when they are assigned to it.
public final class FirestoreSettings {
  var values = Values()

  struct Values: Sendable, Equatable {
    var host = "localhost"
    var isSSLEnabled = true
    var isPersistenceEnabled = true
    var cacheSizeBytes: Int64 = 100 << 20
    var durability = Durability.durable
    var mapSizeBytes = 1 << 40
    var indexPolicy = IndexPolicy.strict
    var dispatchQueue = DispatchQueue.main
    var createsIfMissing = true
    var historyWindow: Duration?
    var maximumSizeBytes: Int?

    static func == (a: Values, b: Values) -> Bool {
      a.host == b.host && a.isSSLEnabled == b.isSSLEnabled
        && a.isPersistenceEnabled == b.isPersistenceEnabled
        && a.cacheSizeBytes == b.cacheSizeBytes && a.durability == b.durability
        && a.mapSizeBytes == b.mapSizeBytes && a.indexPolicy == b.indexPolicy
        && a.dispatchQueue === b.dispatchQueue && a.createsIfMissing == b.createsIfMissing
        && a.historyWindow == b.historyWindow && a.maximumSizeBytes == b.maximumSizeBytes
    }
  }

  /// Makes the default settings.
  public init() {}

  init(_ values: Values) { self.values = values }

  /// What survives which accident; `.durable` unless set.
  public var durability: Durability {
    get { values.durability }
    set { values.durability = newValue }
  }

  /// The address space reserved for the database file in bytes, 1 TiB unless set.
  ///
  /// It costs no memory and no disk. A file that needs more gets it while all reads wait, so leave
  /// it large.
  public var mapSizeBytes: Int {
    get { values.mapSizeBytes }
    set { values.mapSizeBytes = newValue }
  }

  /// What happens to a query whose index is missing; `.strict` unless set.
  ///
  /// Explain says of each query which happened; ``Firestore/advisedIndexes`` lists what `.advise`
  /// has found missing.
  public var indexPolicy: IndexPolicy {
    get { values.indexPolicy }
    set { values.indexPolicy = newValue }
  }

  /// The most that the database file may grow to in bytes, at least 8 MiB; nil, unless set, for
  /// what the disk allows.
  ///
  /// An eighth of it, 64 MiB at most, is kept for deletes: other writes fail with
  /// `RESOURCE_EXHAUSTED`, reason `MAP_FULL`, before it is used up, and go on once enough was
  /// deleted. Reads go on in any case.
  public var maximumSizeBytes: Int? {
    get { values.maximumSizeBytes }
    set { values.maximumSizeBytes = newValue }
  }

  /// How long documents can be read as they were, with ``TransactionOptions/readTime``; nil unless
  /// set.
  ///
  /// Older states are kept in memory, 64 MiB of them at most, and not over a reopening. Without a
  /// window only what running read-only transactions need is kept.
  public var historyWindow: Duration? {
    get { values.historyWindow }
    set { values.historyWindow = newValue }
  }

  /// Whether opening makes a database where there is none; true unless set.
  ///
  /// Otherwise that fails with `NOT_FOUND`, reason `DATABASE_NOT_FOUND`, as tools want it.
  public var createsIfMissing: Bool {
    get { values.createsIfMissing }
    set { values.createsIfMissing = newValue }
  }

  /// The queue on which listener overloads that name no queue and are not bound to the main
  /// actor are called; the main queue unless set.
  public var dispatchQueue: DispatchQueue {
    get { values.dispatchQueue }
    set { values.dispatchQueue = newValue }
  }

  /// Whether data is kept on disk; false selects a temporary database.
  public var isPersistenceEnabled: Bool {
    get { values.isPersistenceEnabled }
    set { values.isPersistenceEnabled = newValue }
  }

  /// Accepted for the SDK's sake; a database inside the process has no host.
  public var host: String {
    get { values.host }
    set { values.host = newValue }
  }

  /// Accepted for the SDK's sake; nothing crosses a network.
  public var isSSLEnabled: Bool {
    get { values.isSSLEnabled }
    set { values.isSSLEnabled = newValue }
  }

  /// Accepted for the SDK's sake; there is no cache beside the database.
  public var cacheSizeBytes: Int64 {
    get { values.cacheSizeBytes }
    set { values.cacheSizeBytes = newValue }
  }
}

extension FirestoreSettings: Equatable {
  /// Whether both ask for the same.
  public static func == (a: FirestoreSettings, b: FirestoreSettings) -> Bool {
    a.values == b.values
  }
}

extension Durability {
  var engineDurability: EngineDurability {
    switch self {
    case .durable: .durable
    case .relaxed: .relaxed
    case .none: .none
    }
  }
}
