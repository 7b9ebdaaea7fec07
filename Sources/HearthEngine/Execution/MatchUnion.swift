import HearthEncoding
import HearthModel
import HearthPlanner
import HearthStorage

/// The streams of several disjunctions as one: in effective order, each document once.
///
/// The streams advance in step, so that a limit reads little more than it returns.
final class MatchUnion {
  /// One part of what a match sorts by.
  private enum Part {
    /// A field that the disjunction fixes, as its component would be.
    case fixed([UInt8])
    /// A component of the stream's suffix.
    case component(Int)
  }

  private let streams: [any MatchStream]
  private let layouts: [[Part]]
  private let space: NameSpace
  private let descending: Bool

  init(_ plan: QueryPlan, _ streams: [any MatchStream], _ space: NameSpace) {
    self.streams = streams
    self.space = space
    let descending = plan.order.last?.direction == .descending
    self.descending = descending
    layouts = plan.disjunctions.map { MatchUnion.layout($0, plan.order, descending) }
  }

  /// Where each field of the order before the name comes from.
  private static func layout(
    _ disjunction: DisjunctionPlan, _ order: [OrderBy], _ descending: Bool
  ) -> [Part] {
    guard let scan = disjunction.scans.first else { return [] }
    return order.dropLast().compactMap { order in
      if let position = scan.suffix.firstIndex(where: { $0.path == order.path }) {
        return .component(position)
      }
      guard let value = disjunction.equality(of: order.path) else { return nil }
      var bytes: [UInt8] = []
      ValueKey.append(
        value, descending: (order.direction == .descending) != descending, to: &bytes)
      return .fixed(bytes)
    }
  }

  /// Visits at most `wanted` matches.
  func forEach(
    _ wanted: Int?, _ store: RecordStore, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace, _ visit: Executor.Visitor
  ) throws {
    try transaction.withCursor(in: store.entries) { entries in
      try transaction.withCursor(in: store.documents) { documents in
        var heads: [[UInt8]?] = Array(repeating: nil, count: streams.count)
        /// Which stream moved each cursor last.
        var placed: [RangeRead.Place: Int] = [:]
        func advance(
          _ number: Int, _ entries: inout Cursor, _ documents: inout Cursor,
          _ trace: inout ExecutionTrace
        ) throws {
          let stream = streams[number]
          let isPlaced = placed[stream.place] == number
          placed[stream.place] = number
          let found =
            stream.place == .entries
            ? try stream.next(&entries, isPlaced: isPlaced, transaction, &trace)
            : try stream.next(&documents, isPlaced: isPlaced, transaction, &trace)
          heads[number] = found ? try key(number) : nil
        }
        for number in streams.indices { try advance(number, &entries, &documents, &trace) }
        var last: [UInt8]?
        var count = 0
        while let (number, key) = first(heads) {
          if key != last {
            let stream = streams[number]
            if stream.place == .entries {
              // The cursor may stand elsewhere; the stream holds what a merge or an entry says.
              try stream.settle(&entries, isPlaced: placed[.entries] == number)
              placed[.entries] = number
              try visit(stream, number, space, entries, &trace)
            } else {
              try stream.settle(&documents, isPlaced: placed[.documents] == number)
              placed[.documents] = number
              try visit(stream, number, space, documents, &trace)
            }
            last = key
            count += 1
            if count == wanted { return }
          }
          try advance(number, &entries, &documents, &trace)
        }
      }
    }
  }

  /// The head that comes first.
  private func first(_ heads: [[UInt8]?]) -> (number: Int, key: [UInt8])? {
    var best: (number: Int, key: [UInt8])?
    for (number, head) in heads.enumerated() {
      guard let head else { continue }
      if let known = best,
        descending ? !bytesLess(known.key, head) : !bytesLess(head, known.key)
      {
        continue
      }
      best = (number, head)
    }
    return best
  }

  /// What a stream's match sorts by; every stream's is read in the same direction.
  private func key(_ number: Int) throws -> [UInt8] {
    let (suffix, ends) = try streams[number].suffix()
    var key: [UInt8] = []
    key.reserveCapacity(suffix.count + 16)
    for part in layouts[number] {
      switch part {
      case .fixed(let bytes): key += bytes
      case .component(let position):
        let start = position == 0 ? suffix.startIndex : ends[position - 1]
        key += suffix[start..<ends[position]]
      }
    }
    key += suffix[(ends.last ?? suffix.startIndex)...]
    return key
  }
}
