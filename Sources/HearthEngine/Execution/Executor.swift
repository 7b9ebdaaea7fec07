import HearthEncoding
import HearthModel
import HearthPlanner
import HearthStorage

/// Runs planned queries at one point in time.
struct Executor: Sendable {
  let reader: RecordReader
  let planning: QueryPlanning

  /// The documents of a query in its order.
  ///
  /// Those of an offset are read like all others; Firestore counts them too.
  func run(
    _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) throws -> [StoredDocument] {
    let query = planning.query
    var found: [StoredDocument] = []
    if let plan = planning.plan {
      let wanted = query.reach(query.limit)
      var fetch = DocumentFetch(reader)
      found.reserveCapacity(min(wanted ?? 0, 256))
      try forEachMatch(
        plan, wanted, readsFurther: true, transaction, &trace
      ) { stream, _, space, cursor, trace in
        let document =
          try stream.document(cursor)
          ?? fetch.document(of: stream, space, transaction)
        trace.count(document)
        found.append(document)
      }
      found.removeFirst(min(query.offset, found.count))
    } else {
      found = try FullScan(executor: self, query: query).documents(transaction, &trace)
    }
    if query.reversesResult { found.reverse() }
    trace.statistics.resultsReturned = found.count
    return found
  }

  /// Counts, sums and averages over the documents of a query.
  ///
  /// They come from index entries alone; no document is read.
  func aggregate(
    _ list: AggregationList, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) throws -> [Value] {
    let query = planning.query
    var aggregator = Aggregator(list)
    trace.statistics.isAggregation = true
    trace.statistics.resultsReturned = 1
    guard let plan = planning.plan else {
      let scan = FullScan(executor: self, query: query, aggregated: list.paths)
      for document in try scan.documents(transaction, &trace) {
        aggregator.add(try list.paths.map { try document.value(at: $0) ?? .null })
      }
      return aggregator.results
    }
    var wanted = query.reach(query.limit)
    // Behind its cap a count reads nothing, not even to see whether there is more.
    let enough = query.reach(list.cap)
    let isCapped = enough.map { $0 <= wanted ?? .max } ?? false
    if isCapped { wanted = enough }
    let sources = plan.disjunctions.map { $0.sources(of: list.paths) }
    var skipped = 0
    try forEachMatch(
      plan, wanted, readsFurther: !isCapped, transaction, &trace
    ) { stream, disjunction, _, cursor, _ in
      if skipped < query.offset {
        skipped += 1
      } else {
        aggregator.add(try stream.numbers(sources[disjunction], cursor))
      }
    }
    return aggregator.results
  }

  /// What is done with a match: the stream that stands at it, the number of its disjunction, and
  /// the cursor.
  typealias Visitor = (
    any MatchStream, Int, NameSpace, borrowing Cursor, inout ExecutionTrace
  ) throws -> Void

  /// Visits the matches of a plan in effective order, each document once, at most `wanted`.
  func forEachMatch(
    _ plan: QueryPlan, _ wanted: Int?, readsFurther: Bool,
    _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace, _ visit: Visitor
  ) throws {
    guard let space = try space(of: plan.query.query, transaction, &trace) else { return }
    if wanted == 0 { return }
    let streams = try plan.disjunctions.map {
      try stream($0, plan.query.query, space, transaction, &trace)
    }
    if streams.count > 1 {
      let union = MatchUnion(plan, streams, space)
      try union.forEach(wanted, reader.store, transaction, &trace, visit)
    } else if let stream = streams.first {
      try transaction.withCursor(in: reader.store.table(of: stream.place)) { cursor in
        var count = 0
        while try stream.next(&cursor, isPlaced: true, transaction, &trace) {
          try visit(stream, 0, space, cursor, &trace)
          count += 1
          if count == wanted {
            if readsFurther { try stream.lookAhead(&cursor, transaction, &trace) }
            break
          }
        }
      }
    }
    for stream in streams { try stream.close(transaction, &trace) }
  }

  // MARK: From plans to streams

  /// How the documents of a query are named, nil if there cannot be any.
  private func space(
    of query: StructuredQuery, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) throws -> NameSpace? {
    guard case .collection(let collection) = query.scope else {
      return .group(ancestor: query.ancestor)
    }
    if let number = try reader.catalog.number(of: collection, transaction) {
      return .collection(collection, number)
    }
    // Nothing was ever written to the collection. A transaction must still notice when somebody
    // does, so it watches the record that would give the collection a number.
    trace.footprint?.watchAbsence(of: CatalogKeys.collection(collection))
    return nil
  }

  private func stream(
    _ plan: DisjunctionPlan, _ query: StructuredQuery, _ space: NameSpace,
    _ transaction: borrowing ReadTransaction, _ trace: inout ExecutionTrace
  ) throws -> any MatchStream {
    switch plan {
    case .nothing: return EmptyStream()
    case .lookup(let paths): return LookupStream(reader, space, paths)
    case .scan(let scan):
      if let names = names(scan, query, space) { return names }
      guard let compiled = try compile(scan, space, transaction, &trace) else {
        return EmptyStream()
      }
      let ranges = compiled.ranges.map { RangeWalk.Segment(scan: compiled, range: $0) }
      return RangeStream(
        reader.store, .entries, descending: compiled.descending, .list(ranges[...]))
    case .merge(let scans):
      var compiled: [CompiledScan] = []
      for scan in scans {
        guard let member = try compile(scan, space, transaction, &trace) else {
          return EmptyStream()
        }
        compiled.append(member)
      }
      return MergeStream(reader.store, compiled)
    }
  }

  /// A scan of names alone reads the documents themselves; only the paths of a group read
  /// backwards have a tree, which then is a declared one.
  private func names(
    _ scan: IndexScan, _ query: StructuredQuery, _ space: NameSpace
  ) -> RangeStream? {
    guard scan.index.fields.count == 1 else { return nil }
    switch space {
    case .collection(let collection, let number):
      let compiled = CompiledScan(
        scan, keyPrefix: KeyLayout.documentsPrefix(number), space)
      let ranges = compiled.ranges.map {
        RangeWalk.Segment(scan: compiled, range: $0, collection: collection)
      }
      return RangeStream(
        reader.store, .documents, descending: compiled.descending, .list(ranges[...]))
    case .group(let ancestor):
      if scan.direction == .descending { return nil }
      let walk = GroupWalk(reader, scan, id: query.collectionID, ancestor: ancestor)
      return RangeStream(reader.store, .documents, descending: false, .group(walk))
    }
  }

  /// A scan in terms of bytes; nil if its tree was never written to, so that nothing can match.
  private func compile(
    _ scan: IndexScan, _ space: NameSpace, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) throws -> CompiledScan? {
    guard let tree = try tree(of: scan.index, transaction, &trace) else { return nil }
    return CompiledScan(scan, keyPrefix: space.entriesPrefix(tree), space)
  }

  /// The number of the tree that serves an index.
  private func tree(
    of index: IndexDefinition, _ transaction: borrowing ReadTransaction,
    _ trace: inout ExecutionTrace
  ) throws -> IndexNumber? {
    // The snapshot is open by now: whoever took the index away since the plan was made is seen,
    // even if somebody has put another in its place.
    let planned = planning.catalog
    let state = reader.catalog.state
    guard index.isSingleField, let field = index.fields.first else {
      guard let declared = planned.declared(index),
        state.declared.contains(where: { $0.sequence == declared.sequence })
      else { throw HearthError.indexDropped(index) }
      trace.footprint?.trees.insert(declared.tree.number)
      return declared.tree.number
    }
    guard state.overridesNumber == planned.overridesNumber,
      state.fieldConfiguration.offers(field.mode, of: field.path, in: index)
    else { throw HearthError.indexDropped(index) }
    trace.footprint?.noteOverrides(state.overridesNumber)
    let key = AutomaticIndexKey(
      collectionID: index.collectionID, path: field.path, contains: field.mode == .contains,
      scope: index.scope)
    if let number = try reader.catalog.number(of: key, transaction) { return number }
    trace.footprint?.watchAbsence(of: CatalogKeys.automatic(key))
    return nil
  }
}

extension Footprint {
  /// Watches one absent catalog record: whoever gives out the number changes it.
  mutating func watchAbsence(of key: [UInt8]) {
    add(RangeRead(place: .catalog, lower: key, upper: key + [0], count: 0, fingerprint: 0))
  }
}
