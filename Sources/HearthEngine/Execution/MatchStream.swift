import HearthEncoding
import HearthModel
import HearthPlanner
import HearthStorage

/// What one run touches; a transaction keeps the footprint.
struct ExecutionTrace {
  var statistics = ExecutionStatistics()
  /// Filled only where somebody wants it, since keys have to be copied for it.
  var footprint: Footprint?

  mutating func count(_ document: StoredDocument) {
    statistics.documentsScanned += 1
    statistics.bytesRead += document.byteCount
    footprint?.add(document.path, document.updateVersion)
  }
}

/// The matches of one disjunction in effective order, one at a time.
///
/// A stream does not own the cursor it walks with: several take turns with one, and each finds its
/// place again.
protocol MatchStream: AnyObject {
  /// The table of the cursor that `next` wants.
  var place: RangeRead.Place { get }

  /// Goes to the next match; false at the end.
  ///
  /// `isPlaced` says that nobody else has moved the cursor since this stream did.
  func next(
    _ cursor: inout Cursor, isPlaced: Bool, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) throws -> Bool

  /// Puts the cursor back to the match, if somebody else has moved it.
  func settle(_ cursor: inout Cursor, isPlaced: Bool) throws

  /// After a limit was met: reads and counts one further entry where there is one, as Firestore
  /// does.
  func lookAhead(
    _ cursor: inout Cursor, _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) throws

  /// Notes what was walked in the footprint; nothing is read afterwards.
  func close(_ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace) throws

  /// Appends the name of the match, as the scope's name space spells it.
  func appendName(to key: inout [UInt8]) throws

  /// The components of the match that stand before its name, with the name: what it sorts by.
  ///
  /// Fields that the disjunction fixes by equality are not among them.
  func suffix() throws -> (bytes: ArraySlice<UInt8>, ends: [Int])

  /// The document of the match where the stream has come by it; else it is read by name.
  ///
  /// Checks the match's checksum in any case.
  func document(_ cursor: borrowing Cursor) throws -> StoredDocument?

  /// The numbers in some fields, `.null` for what is none.
  func numbers(_ sources: [NumberSource], _ cursor: borrowing Cursor) throws -> [Value]
}

extension MatchStream {
  func settle(_ cursor: inout Cursor, isPlaced: Bool) {
    // Most streams hold what their match says.
  }
}

/// Where an aggregated field stands: a member of a merge (0 for a single scan), and the field's
/// place in that member's index.
struct NumberSource {
  var member: Int
  var field: Int
}

extension DisjunctionPlan {
  /// Where the numbers of an aggregation stand in the entries of this plan.
  func sources(of paths: [FieldPath]) -> [NumberSource] {
    paths.compactMap { path in
      for (member, scan) in scans.enumerated() {
        let field = scan.index.fieldsBeforeName.firstIndex {
          $0.path == path && $0.mode != .contains
        }
        if let field { return NumberSource(member: member, field: field) }
      }
      return nil
    }
  }
}

/// A disjunction that nothing can match.
final class EmptyStream: MatchStream {
  let place = RangeRead.Place.entries

  func next(
    _ cursor: inout Cursor, isPlaced: Bool, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) -> Bool { false }

  func lookAhead(
    _ cursor: inout Cursor, _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) {}

  func close(_ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace) {}

  func appendName(to key: inout [UInt8]) {}

  func suffix() -> (bytes: ArraySlice<UInt8>, ends: [Int]) { ([], []) }

  func document(_ cursor: borrowing Cursor) -> StoredDocument? { nil }

  func numbers(_ sources: [NumberSource], _ cursor: borrowing Cursor) -> [Value] { [] }
}

/// Documents looked up by name.
final class LookupStream: MatchStream {
  let place = RangeRead.Place.documents
  private let reader: RecordReader
  private let space: NameSpace
  private var rest: ArraySlice<DocumentPath>
  private var found: StoredDocument?
  private var matched: [UInt8] = []

  init(_ reader: RecordReader, _ space: NameSpace, _ paths: [DocumentPath]) {
    self.reader = reader
    self.space = space
    rest = paths[...]
  }

  func next(
    _ cursor: inout Cursor, isPlaced: Bool, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) throws -> Bool {
    while let path = rest.popFirst() {
      guard let name = space.name(path) else { continue }
      if space.isPartial, !space.all.contains(name[...]) { continue }
      trace.statistics.indexEntriesScanned += 1
      found = try reader.document(path, transaction)
      trace.footprint?.add(path, found?.updateVersion)
      if found == nil { continue }
      matched = name
      return true
    }
    return false
  }

  func lookAhead(
    _ cursor: inout Cursor, _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) {}

  func close(_ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace) {}

  func appendName(to key: inout [UInt8]) { key += matched }

  func suffix() -> (bytes: ArraySlice<UInt8>, ends: [Int]) { (matched[...], []) }

  func document(_ cursor: borrowing Cursor) -> StoredDocument? { found }

  func numbers(_ sources: [NumberSource], _ cursor: borrowing Cursor) -> [Value] { [] }
}
