import Foundation
import HearthTestSupport

/// Counts the rows of a closed database with py-lmdb, another build of LMDB under another language,
/// so that a mistake in how Hearth reads cannot hide one in how it writes.
enum OutsideReader {
  struct Rows: Equatable, Sendable {
    var documents: Int
    var entries: Int
    var collections: Int
    /// Rows whose envelope is not of format 1.
    var strange: Int
  }

  /// Why it cannot be used, nil if it can.
  static let obstacle: String? = {
    guard let answer = try? run("import lmdb; print(lmdb.version())"), !answer.isEmpty else {
      return "the outside reader is left out: python3 has no module lmdb (pip install lmdb)"
    }
    return nil
  }()

  // The tables and the tag 0x11 of collections are described in Docs/StorageFormat.md.
  private static let script = """
    import lmdb, sys
    env = lmdb.open(sys.argv[1], readonly=True, lock=False, create=False, max_dbs=8)
    tables = {n: env.open_db(n.encode(), create=False) for n in ("catalog", "documents", "entries")}
    rows = {}
    with env.begin() as txn:
        for name, table in tables.items():
            rows[name] = [(k, v[0]) for k, v in txn.cursor(table)]
            assert len(rows[name]) == txn.stat(table)["entries"]
            keys = [k for k, _ in rows[name]]
            assert keys == sorted(set(keys))
    print(len(rows["documents"]), len(rows["entries"]),
        sum(k[0] == 0x11 for k, _ in rows["catalog"]),
        sum(f != 1 for table in rows.values() for _, f in table))
    """

  static func rows(of path: String) async throws -> Rows? {
    let numbers = try await blocking {
      try run(script, path).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    }
    guard numbers.count == 4 else { return nil }
    return Rows(
      documents: numbers[0], entries: numbers[1], collections: numbers[2], strange: numbers[3])
  }

  private static func run(_ script: String, _ arguments: String...) throws -> String {
    let child = try ChildProcess("/usr/bin/env", ["python3", "-c", script] + arguments)
    let output = String(decoding: child.readToEnd(), as: UTF8.self)
    return child.wait() == .exit(0) ? output : ""
  }
}
