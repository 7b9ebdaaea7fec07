package import CLMDB
import Foundation
package import Hearth

/// The thinnest useful layer over LMDB's C functions: two tables, byte keys, byte values.
///
/// Reads may come from any thread; writes are synchronous and one at a time, as LMDB wants them.
// @unchecked Sendable: the environment and the tables are set once; LMDB allows their use from
// any thread, and the scenarios never write from two at once.
package final class RawLMDB: @unchecked Sendable {
  /// A call's error code in LMDB's words.
  package struct Failure: Error, CustomStringConvertible {
    package var call: String
    package var code: Int32
    package var description: String { "\(call): \(String(cString: mdb_strerror(code)))" }
  }

  private let environment: OpaquePointer
  package let documents: MDB_dbi
  package let entries: MDB_dbi

  package init(path: String, durability: Durability) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    var environment: OpaquePointer?
    try Self.check("mdb_env_create", mdb_env_create(&environment))
    guard let environment else { throw Failure(call: "mdb_env_create", code: ENOMEM) }
    try Self.check("mdb_env_set_maxdbs", mdb_env_set_maxdbs(environment, 4))
    try Self.check("mdb_env_set_mapsize", mdb_env_set_mapsize(environment, 8 << 30))
    var flags = UInt32(MDB_NOTLS)
    switch durability {
    case .durable: break
    case .relaxed: flags |= UInt32(MDB_NOMETASYNC)
    case .none: flags |= UInt32(MDB_NOSYNC)
    }
    try Self.check("mdb_env_open", mdb_env_open(environment, path, flags, 0o600))
    var transaction: OpaquePointer?
    try Self.check("mdb_txn_begin", mdb_txn_begin(environment, nil, 0, &transaction))
    var documents: MDB_dbi = 0
    var entries: MDB_dbi = 0
    try Self.check(
      "mdb_dbi_open", mdb_dbi_open(transaction, "documents", UInt32(MDB_CREATE), &documents))
    try Self.check(
      "mdb_dbi_open", mdb_dbi_open(transaction, "entries", UInt32(MDB_CREATE), &entries))
    try Self.check("mdb_txn_commit", mdb_txn_commit(transaction))
    self.environment = environment
    self.documents = documents
    self.entries = entries
  }

  package func close() { mdb_env_close(environment) }

  /// Runs `body` in a read transaction.
  package func read<R>(_ body: (OpaquePointer?) throws -> R) throws -> R {
    var transaction: OpaquePointer?
    try Self.check(
      "mdb_txn_begin", mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
    defer { mdb_txn_abort(transaction) }
    return try body(transaction)
  }

  /// Runs `body` in a write transaction and commits it; no suspension can come between.
  package func write<R>(_ body: (OpaquePointer?) throws -> R) throws -> R {
    var transaction: OpaquePointer?
    try Self.check("mdb_txn_begin", mdb_txn_begin(environment, nil, 0, &transaction))
    let result: R
    do {
      result = try body(transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try Self.check("mdb_txn_commit", mdb_txn_commit(transaction))
    return result
  }

  /// Stores a value under a key.
  package func put(
    _ transaction: OpaquePointer?, _ table: MDB_dbi, _ key: [UInt8], _ value: [UInt8]
  ) throws {
    try Self.withValue(key) { key in
      try Self.withValue(value) { value in
        try Self.check("mdb_put", mdb_put(transaction, table, &key, &value, 0))
      }
    }
  }

  /// Removes a key.
  package func delete(_ transaction: OpaquePointer?, _ table: MDB_dbi, _ key: [UInt8]) throws {
    try Self.withValue(key) { key in
      try Self.check("mdb_del", mdb_del(transaction, table, &key, nil))
    }
  }

  /// Gives the bytes of a key's value to `body`, which must not keep them.
  package func get<R>(
    _ transaction: OpaquePointer?, _ table: MDB_dbi, _ key: [UInt8],
    _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    try Self.withValue(key) { key in
      var value = MDB_val()
      try Self.check("mdb_get", mdb_get(transaction, table, &key, &value))
      return try body(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
    }
  }

  /// Walks keys upward from the first at or after `start`, until `body` says no.
  package func walk(
    _ transaction: OpaquePointer?, _ table: MDB_dbi, from start: [UInt8],
    _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    var cursor: OpaquePointer?
    try Self.check("mdb_cursor_open", mdb_cursor_open(transaction, table, &cursor))
    defer { mdb_cursor_close(cursor) }
    try Self.withValue(start) { key in
      var value = MDB_val()
      var code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
      while code == MDB_SUCCESS {
        guard try body(UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)) else {
          return
        }
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      }
      if code != MDB_NOTFOUND { try Self.check("mdb_cursor_get", code) }
    }
  }

  private static func withValue<R>(
    _ bytes: [UInt8], _ body: (inout MDB_val) throws -> R
  ) rethrows -> R {
    try bytes.withUnsafeBytes { bytes in
      // LMDB takes a mutable pointer and never writes through it here.
      var value = MDB_val(
        mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      return try body(&value)
    }
  }

  private static func check(_ call: String, _ code: Int32) throws {
    guard code == MDB_SUCCESS else { throw Failure(call: call, code: code) }
  }
}
