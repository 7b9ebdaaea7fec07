import CLMDB

/// What a write transaction knows about itself.
///
/// One per environment, reused, because there is never more than one write transaction.
// Touched only by the thread that holds the environment's writer lock.
@safe final class WriteState {
  private struct Touched {
    var operations = 0
    var insertedBytes = 0
    var overflowPages = 0
    var stat = MDB_stat()
  }

  /// The transaction, from begin until commit or abort.
  var transaction: OpaquePointer?
  /// The first error inside: nothing else is tried with the transaction after it (LM-16).
  private(set) var failure: StorageError?
  var owner: UInt = 0
  private var pins: [Int]
  private var touched: [Touched]
  private let pageSize: Int
  private var changes = 0
  private var largestValue = 0

  init(tables: Int, pageSize: Int) {
    pins = Array(repeating: 0, count: tables)
    touched = Array(repeating: Touched(), count: tables)
    self.pageSize = pageSize
  }

  func begin(_ transaction: OpaquePointer) {
    unsafe self.transaction = transaction
    failure = nil
    changes = 0
    owner = currentThread()
    for number in touched.indices {
      touched[number] = Touched()
      pins[number] = 0
    }
  }

  func fail(_ error: StorageError) {
    if failure == nil { failure = error }
  }

  /// While a cursor or a shown value points into a table, the table must not change (LM-13).
  func pin(_ table: Table) { pins[table.number] += 1 }

  func unpin(_ table: Table) { pins[table.number] -= 1 }

  @usableFromInline func checkUnpinned(_ table: Table) throws(StorageError) {
    guard pins.indices.contains(table.number) else {
      throw StorageError(.internalError, "There is no table number \(table.number).")
    }
    if pins[table.number] > 0 {
      throw StorageError(
        .internalError,
        "A table cannot change while its cursor or value is in use: copy, leave, then write.")
    }
  }

  /// Counts one change; the transaction must still be alive.
  func count(_ transaction: OpaquePointer, _ table: Table, key: Int, value: Int) {
    let number = table.number
    if touched[number].operations == 0 {
      unsafe mdb_stat(transaction, table.handle, &touched[number].stat)
    }
    touched[number].operations += 1
    largestValue = max(largestValue, value)
    // A node takes 8 bytes of header, and two fit at least into a page; larger ones go elsewhere.
    if key + value + 8 > pageSize / 2 - 10 {
      touched[number].overflowPages += (16 + value + pageSize - 1) / pageSize
      touched[number].insertedBytes += key + 24
    } else {
      touched[number].insertedBytes += key + value + 16
    }
  }

  /// Throws far above the budget, long before LMDB would spill pages early (ITS#9155, ITS#9564).
  func checkSize(budget: Int) throws(StorageError) {
    changes += 1
    guard changes & 63 == 0 || largestValue > 1 << 16 else { return }
    largestValue = 0
    if dirtyPageEstimate > min(16 * budget, 100_000) {
      throw StorageError(
        .transactionFull, "A transaction grew far beyond \(budget) pages: commit more often.")
    }
  }

  /// An upper bound of the pages in memory: no more leaves than changes and no more branches than
  /// there are, twice the inserted bytes for the halves that splits leave, and the free list.
  var dirtyPageEstimate: Int {
    var pages = 0
    for table in touched where table.operations > 0 {
      let depth = Int(table.stat.ms_depth)
      pages += min(table.operations, Int(table.stat.ms_leaf_pages))
      pages += min(table.operations * max(0, depth - 1), Int(table.stat.ms_branch_pages))
      pages += table.overflowPages
      pages += 2 * table.insertedBytes / pageSize + 2
    }
    return pages == 0 ? 0 : pages + 8
  }
}
