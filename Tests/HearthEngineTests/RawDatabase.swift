import HearthEncoding
import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport

/// Opens an engine on a database of its own, closes it, opens the next one on the same files.
struct ReopenedDatabase {
  let path: String

  func withEngine<R>(_ body: (Engine) async throws -> R) async throws -> R {
    let engine = try Engine.open(.test(path: path))
    do {
      let result = try await body(engine)
      await engine.close()
      return result
    } catch {
      await engine.close()
      throw error
    }
  }

  /// Writes to the tables of the closed database behind the engine's back.
  func damage(
    _ body: (RecordStore, borrowing WriteTransaction) throws -> Void
  ) throws {
    var options = EnvironmentOptions(
      tableNames: TableName.allCases.map(\.rawValue),
      randomBytes: { Array(repeating: 1, count: $0) },
      nowMicroseconds: { 0 })
    options.durability = .none
    let environment = try Environment.open(at: path, options: options)
    defer { environment.close() }
    let store = RecordStore(environment: environment)
    try environment.write { transaction in try body(store, transaction) }
  }
}

func withReopening<R>(_ body: (ReopenedDatabase) async throws -> R) async throws -> R {
  try await withTemporaryDirectory { directory in
    try await body(ReopenedDatabase(path: directory + "/db"))
  }
}

/// Every key of a table.
func allKeys(
  _ store: RecordStore, _ table: Table, _ transaction: borrowing WriteTransaction
) throws -> [[UInt8]] {
  try transaction.withCursor(in: table) { cursor in
    var walk = KeyWalk(store: store, table: table, descending: false)
    var keys: [[UInt8]] = []
    var more = try walk.seek([0], &cursor)
    while more {
      keys.append(walk.key)
      more = try walk.step(&cursor)
    }
    return keys
  }
}
