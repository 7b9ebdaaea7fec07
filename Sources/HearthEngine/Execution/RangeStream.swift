import HearthEncoding
import HearthModel
import HearthStorage

/// The matches of a single scan: ranges of one table, one after the other.
final class RangeStream: MatchStream {
  let place: RangeRead.Place
  /// All that changes, so that a call accesses it once.
  private var walk: RangeWalk

  init(
    _ store: RecordStore, _ place: RangeRead.Place, descending: Bool,
    _ segments: RangeWalk.Segments
  ) {
    self.place = place
    walk = RangeWalk(store, place, descending: descending, segments)
  }

  func next(
    _ cursor: inout Cursor, isPlaced: Bool, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) throws -> Bool {
    try walk.next(&cursor, isPlaced: isPlaced, transaction, &trace)
  }

  func settle(_ cursor: inout Cursor, isPlaced: Bool) throws {
    if !isPlaced { try walk.settle(&cursor) }
  }

  func lookAhead(
    _ cursor: inout Cursor, _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) throws {
    try walk.lookAhead(&cursor, transaction, &trace)
  }

  func close(_ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace) {
    walk.close(&trace)
  }

  func appendName(to key: inout [UInt8]) throws { try walk.appendName(to: &key) }

  func suffix() throws -> (bytes: ArraySlice<UInt8>, ends: [Int]) { try walk.suffix() }

  func document(_ cursor: borrowing Cursor) throws -> StoredDocument? {
    try walk.document(cursor)
  }

  func numbers(_ sources: [NumberSource], _ cursor: borrowing Cursor) throws -> [Value] {
    try walk.numbers(sources, cursor)
  }
}
