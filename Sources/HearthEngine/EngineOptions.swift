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
  /// How long a block may go without a call on its transaction.
  package var idleNanoseconds: UInt64 = 60_000_000_000
  /// How long a read-only transaction may stay at its version, from its first read.
  package var snapshotNanoseconds: UInt64 = 60_000_000_000
  /// How many documents and ranges a transaction may read, and what noting them may take in bytes.
  package var reads = 1_000_000
  package var readBytes = 64 << 20
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
  /// The most that the file may grow to, in bytes; nil for what disk and system allow.
  package var sizeCeiling: Int?
  /// The least that is added to it when it is full, in bytes.
  package var mapGrowth = 1 << 30
  package var limits = TransactionLimits()
  /// How many shards hold listeners and statistics.
  package var shardCount = 4
  package var runtime: Runtime
  package var access: AccessPolicy = .open
  /// What happens to a query whose index is missing.
  package var indexPolicy: IndexPolicy = .strict
  /// How long documents can be read as they were, beyond what read-only transactions need.
  package var historyNanoseconds: UInt64?
  /// What older states of documents may take in memory, in bytes.
  package var historyBytes = 64 << 20
  /// Faults of the storage, for tests.
  package var faults: StorageFaults?

  package init(path: String, runtime: Runtime) {
    self.path = path
    self.runtime = runtime
  }
}
