import HearthEncoding
import HearthModel
import HearthPlanner
import HearthStorage

/// The documents of a collection group in the order of their paths, straight from the table of
/// documents: no index has to be kept for it (documents-and-queries, 6.2).
///
/// Collections with one id follow each other in the order of their paths. Only one that lies
/// inside another, such as `a/1/a` in `a`, interrupts it: behind the document that it lies under.
final class GroupWalk {
  private struct Open {
    var key: [UInt8]
    var path: CollectionPath
    var number: CollectionNumber
    /// What is still to come of it.
    var rest = SuffixRange(lower: [], upper: nil)
  }

  private static let pageSize = 256

  private let reader: RecordReader
  private let scan: IndexScan
  /// What the catalog keys of the group begin with, and those that are asked.
  private let prefix: [UInt8]
  private let floor: [UInt8]
  /// The catalog keys still to be listed.
  private var lower: [UInt8]
  private let upper: [UInt8]
  private var listed: ArraySlice<(key: [UInt8], number: CollectionNumber)> = []
  private var isListedWhole = false
  private var begun: [Open] = []
  private var ready: [RangeWalk.Segment] = []
  private var recorder: RangeRecorder?
  private var isStarted = false

  init(_ reader: RecordReader, _ scan: IndexScan, id: String, ancestor: DocumentPath?) {
    self.reader = reader
    self.scan = scan
    let prefix = CatalogKeys.group(id)
    self.prefix = prefix
    var floor = prefix
    if let ancestor { NameKey.appendPath(ancestor, to: &floor) }
    self.floor = floor
    // What the query leaves of the paths bounds the collections that can have any of them.
    let paths = CompiledScan(scan, keyPrefix: [], .group(ancestor: ancestor)).ranges
    let end = KeyLayout.end(ofPrefix: floor) ?? []
    guard let first = paths.first, let last = paths.last else {
      lower = end
      upper = end
      return
    }
    lower = prefix + first.lower
    upper = last.upper.map { prefix + $0 } ?? end
  }

  /// The next range of documents, nil at the end.
  func next(
    _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) throws -> RangeWalk.Segment? {
    if !isStarted {
      isStarted = true
      try begin(transaction, &trace)
    }
    while ready.isEmpty {
      guard let (key, number) = try nextCollection(transaction) else {
        guard let last = begun.popLast() else { return nil }
        take(last)
        continue
      }
      while let top = begun.last, !key.starts(with: top.key) {
        begun.removeLast()
        take(top)
      }
      try interrupt(by: key)
      let path = try NameKey.decodeCollection(in: key, from: prefix.count)
      begun.append(Open(key: key, path: path, number: number))
    }
    return ready.removeFirst()
  }

  func close(_ trace: inout ExecutionTrace) {
    recorder?.finish(&trace, reachedEnd: isListedWhole && listed.isEmpty)
    recorder = nil
  }

  /// Opens the collections that begin before the first path asked and reach beyond it.
  private func begin(
    _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) throws {
    let store = reader.store
    let first = Array(lower[min(prefix.count, lower.count)...])
    if trace.footprint != nil {
      recorder = RangeRecorder(.catalog, lower, upper, descending: false)
    }
    // Where one bound lies below the other, the deeper one is the first path asked.
    let candidates = [scan.names?.lower?.path, scan.startPath].compactMap(\.self)
    let bounds = candidates.filter { candidate in
      var bytes: [UInt8] = []
      NameKey.appendPath(candidate, to: &bytes)
      return first.starts(with: bytes)
    }
    guard let path = bounds.max() else { return }
    for length in stride(from: 1, to: path.segments.count, by: 2) {
      let collection = CollectionPath(unchecked: Array(path.segments.prefix(length)))
      let key = CatalogKeys.member(collection)
      guard key.starts(with: floor), bytesLess(key, lower) else { continue }
      guard let payload = try store.get(key, in: store.catalog, transaction) else {
        trace.footprint?.add(
          RangeRead(place: .catalog, lower: key, upper: key + [0], count: 0, fingerprint: 0))
        continue
      }
      var offset = 0
      let number = CollectionNumber(try OrderedNumber.read(from: payload, at: &offset))
      try interrupt(by: key)
      begun.append(Open(key: key, path: collection, number: number))
    }
  }

  /// The part of the enclosing collection that comes before one inside it.
  private func interrupt(by key: [UInt8]) throws {
    guard let outer = begun.last else { return }
    let inner = try NameKey.decodeCollection(in: key, from: prefix.count)
    var id: [UInt8] = []
    NameKey.appendID(inner.segments[outer.path.segments.count], to: &id)
    let behind = id + [0]
    take(outer, until: behind)
    begun[begun.count - 1].rest.lower = behind
  }

  /// Turns what is left of a collection into ranges.
  private func take(_ collection: Open, until end: [UInt8]? = nil) {
    let compiled = CompiledScan(
      scan, keyPrefix: KeyLayout.documentsPrefix(collection.number),
      .collection(collection.path, collection.number))
    let part = collection.rest.intersected(with: SuffixRange(lower: [], upper: end))
    for range in compiled.ranges {
      let range = range.intersected(with: part)
      if range.isEmpty { continue }
      ready.append(
        RangeWalk.Segment(scan: compiled, range: range, collection: collection.path))
    }
  }

  private func nextCollection(
    _ transaction: borrowing ReadTransaction
  ) throws -> (key: [UInt8], number: CollectionNumber)? {
    if let next = listed.popFirst() { return next }
    if isListedWhole { return nil }
    let page = try CatalogRecords.members(
      from: lower, to: upper, limit: GroupWalk.pageSize, reader.store, transaction)
    for (key, _) in page { recorder?.add(key, []) }
    isListedWhole = page.count < GroupWalk.pageSize
    if let last = page.last { lower = last.key + [0] }
    listed = page[...]
    return listed.popFirst()
  }
}

extension IndexScan {
  /// The name that the scan starts at, if it starts at one.
  fileprivate var startPath: DocumentPath? {
    if case .reference(let path)? = start?.values.last { return path }
    return nil
  }
}
