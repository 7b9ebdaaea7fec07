import HearthEncoding
import HearthEngine
import HearthStorage

/// Removes an index entry of a closed database behind the engine's back.
func removeIndexEntry(at path: String) throws {
  var options = EnvironmentOptions(
    tableNames: TableName.allCases.map(\.rawValue),
    randomBytes: { Array(repeating: 1, count: $0) }, nowMicroseconds: { 0 })
  options.mapSize = 1 << 33
  let environment = try Environment.open(at: path, options: options)
  defer { environment.close() }
  let store = RecordStore(environment: environment)
  try environment.write { transaction in
    let key = try transaction.withCursor(in: store.entries) { cursor in
      var walk = KeyWalk(store: store, table: store.entries, descending: false)
      return try walk.seek([0], &cursor) ? walk.key : nil
    }
    if let key { _ = try store.delete(key, in: store.entries, transaction) }
  }
}
