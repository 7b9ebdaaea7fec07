package import HearthModel
package import HearthStorage

/// How much survives what (LMDB notes, 7.1).
package enum EngineDurability: String, Sendable {
  /// On disk before acknowledging: survives power loss.
  case durable
  /// One flush fewer: consistent after a crash, may lose the last moments.
  case relaxed
  /// No flushes: a power cut can destroy the file.
  case none
}

/// Bounds of transactions (transactions-and-listeners, 2.7 and 7.6).
package struct TransactionLimits: Sendable {
  /// The whole transaction, all attempts.
  package var totalNanoseconds: UInt64 = 270_000_000_000
  /// How long a turn may be held from grant.
  package var turnLeaseNanoseconds: UInt64 = 250_000_000
  /// How long the gate may be held from grant.
  package var gateLeaseNanoseconds: UInt64 = 100_000_000
  /// The largest commit in bytes.
  package var commitBytes: Int = 10 << 20

  package init() {}
}

/// Everything that is settled when a database is opened.
package struct EngineOptions: Sendable {
  package var path: String
  package var createIfMissing = true
  package var durability: EngineDurability = .durable
  /// Address space reserved for the file, in bytes.
  package var mapSize = 1 << 40
  package var limits = TransactionLimits()
  /// How many shards hold listeners and statistics.
  package var shardCount = 4
  package var runtime: Runtime
  package var access: AccessPolicy = .open
  /// What happens to a query whose index is missing.
  package var indexPolicy: IndexPolicy = .strict
  /// Faults of the storage, for tests.
  package var faults: StorageFaults?

  package init(path: String, runtime: Runtime) {
    self.path = path
    self.runtime = runtime
  }
}
