import HearthEncoding
import HearthModel
import HearthStorage

/// The decisions of one group of commits: which requests are applied, and what they leave.
///
/// Requests are evaluated against the storage and what earlier requests of the group left; only
/// then is anything written. So a request that fails leaves no trace and harms no neighbour.
package struct CommitGroup {
  private struct Overlaid {
    var before: Document?
    var after: Document?
    /// Set while one request alone has changed the document.
    var prepared: PreparedChange?
  }

  let reader: RecordReader
  var catalog: CatalogEditor
  /// The version of the last unit applied, in this group or before it.
  private(set) var version: CommitVersion
  /// What the group builds on.
  let base: CommitVersion
  /// Versions up to here were given out by a group that failed, and must not mean anything else.
  private let floor: CommitVersion
  /// Documents as the group leaves them, with what they were before it.
  private var overlay: [DocumentPath: Overlaid] = [:]
  private var order: [DocumentPath] = []
  private(set) var byteCount = 0
  private(set) var applied = 0
  /// What each unit has changed.
  private(set) var units: [(version: CommitVersion, changes: [CommitUnit.Change])] = []
  /// Whether anything has to be written although no unit was applied.
  var hasMaintenance = false

  init(
    reader: RecordReader, catalog: Catalog, base: CommitVersion, floor: CommitVersion = .zero
  ) {
    self.reader = reader
    self.catalog = CatalogEditor(catalog: catalog, store: reader.store)
    self.base = base
    self.floor = floor
    version = base
  }

  /// Whether nothing is written that would need room to stay.
  var onlyDeletes: Bool { overlay.values.allSatisfy { $0.after == nil } }

  var isEmpty: Bool { applied == 0 && !hasMaintenance }

  /// Checks a request and takes its effects into the group.
  mutating func apply<T: TableReader & ~Copyable>(
    _ request: CommitRequest, now: Int64, log: CommitLog,
    refuse: (CommitRequest.Owner, [DocumentPath]) -> [DocumentPath], _ transaction: borrowing T
  ) throws -> Result<CommitResult, CommitFailure> {
    if case .transaction(let footprint, let owner) = request.kind {
      let refused = refuse(owner, request.writes.map(\.document))
      if !refused.isEmpty { return .failure(.conflict(.turn(refused))) }
      if let cause = try conflict(footprint, log, transaction) {
        return .failure(.conflict(cause))
      }
    }
    let next = CommitVersion(
      microseconds: max(now, version.microseconds + 1, floor.microseconds + 1))
    let known = try applied(request.prepared, transaction)
    let unit: (changes: [CommitUnit.Change], results: [WriteResult])
    do throws(HearthError) {
      if let known {
        unit = known.stamped(next)
      } else {
        unit = try work(out: request.writes, next, transaction)
      }
    } catch {
      // Damage is no fault of the request alone: the group is given up, and each runs by itself.
      if error.status == .dataLoss { throw error }
      return .failure(.error(error))
    }
    for change in unit.changes where change.before != change.after {
      take(
        ChangedDocument(path: change.path, before: change.before, after: change.after),
        request.prepared.changes[change.path], isFitting: known != nil)
    }
    version = next
    applied += 1
    units.append((next, unit.changes))
    byteCount += request.byteCount
    return .success(CommitResult(version: next, results: unit.results))
  }

  private func work<T: TableReader & ~Copyable>(
    out writes: [Write], _ version: CommitVersion, _ transaction: borrowing T
  ) throws(HearthError) -> (changes: [CommitUnit.Change], results: [WriteResult]) {
    let unit = try CommitUnit.apply(writes, version: version, requestTime: version.time) {
      (path) throws(HearthError) in try self.document(path, transaction)
    }
    for change in unit.changes {
      guard let after = change.after else { continue }
      try checkBudget(after)
    }
    return unit
  }

  private func checkBudget(_ document: Document) throws(HearthError) {
    let state = catalog.state
    try IndexEntries.checkBudget(
      fields: document.fields, path: document.path, configuration: state.fieldConfiguration,
      declared: state.maintained(collectionID: document.path.collection.collectionID)
        .map(\.definition))
  }

  /// The unit as it was worked out before, nil if one of its documents has changed since.
  private func applied<T: TableReader & ~Copyable>(
    _ prepared: PreparedUnit, _ transaction: borrowing T
  ) throws -> PreparedUnit.Applied? {
    guard let applied = prepared.applied, prepared.generation == catalog.state.generation else {
      return nil
    }
    for (path, version) in applied.before
    where try self.version(of: path, transaction) != version { return nil }
    return applied
  }

  /// When a document last changed, as the group sees it; nil if there is none.
  private func version<T: TableReader & ~Copyable>(
    of path: DocumentPath, _ transaction: borrowing T
  ) throws -> CommitVersion? {
    if let known = overlay[path] { return known.after?.updateVersion }
    return try reader.version(of: path, transaction)
  }

  private mutating func take(
    _ change: ChangedDocument, _ prepared: PreparedChange?, isFitting: Bool
  ) {
    if overlay[change.path] == nil {
      let fits =
        isFitting || prepared?.fits(change, generation: catalog.state.generation) ?? false
      overlay[change.path] = Overlaid(
        before: change.before, after: change.after, prepared: fits ? prepared : nil)
      order.append(change.path)
    } else {
      overlay[change.path]?.after = change.after
      overlay[change.path]?.prepared = nil
    }
  }

  /// A document as the group sees it.
  private func document<T: TableReader & ~Copyable>(
    _ path: DocumentPath, _ transaction: borrowing T
  ) throws(HearthError) -> Document? {
    if let known = overlay[path] { return known.after }
    do {
      return try reader.document(path, transaction)?.document()
    } catch {
      throw HearthError.wrapping(error)
    }
  }

  // MARK: Validation (transactions-and-listeners, 7.5)

  private func conflict<T: TableReader & ~Copyable>(
    _ footprint: Footprint, _ log: CommitLog, _ transaction: borrowing T
  ) throws -> ConflictCause? {
    // Nothing was committed since: the common case.
    if footprint.readVersion == version { return nil }
    var changed: [DocumentPath] = []
    for (path, version) in footprint.points
    where try self.version(of: path, transaction) != version {
      changed.append(path)
    }
    if !changed.isEmpty { return .points(changed.sorted()) }
    if footprint.ranges.isEmpty { return nil }
    if footprint.lostTree(catalog.state) { return .range }
    let touched = try touchedKeys(transaction)
    for range in footprint.ranges {
      if CommitLog.anyKey(touched[range.place] ?? [], in: range) { return .range }
      if let touches = log.touches(range, after: footprint.readVersion) {
        if touches { return .range }
      } else if footprint.readVersion != base,
        try !range.isUnchanged(reader.store, transaction)
      {
        return .range
      }
    }
    return nil
  }

  /// The keys that this group has touched so far, for the ranges of a later request in it.
  private func touchedKeys<T: TableReader & ~Copyable>(
    _ transaction: borrowing T
  ) throws -> [RangeRead.Place: [[UInt8]]] {
    var scratch = self
    var keys: [RangeRead.Place: [[UInt8]]] = [:]
    for delta in try scratch.deltas(transaction) {
      if delta.changesPresence { keys[.documents, default: []].append(delta.key) }
      keys[.entries, default: []] += delta.removedEntries + delta.addedEntries.map(\.key)
    }
    keys[.catalog] =
      scratch.catalog.newCollections.keys.flatMap {
        [CatalogKeys.collection($0), CatalogKeys.member($0)]
      }
      + scratch.catalog.newAutomatic.keys.map(CatalogKeys.automatic)
    return keys.mapValues { $0.sorted(by: bytesLess) }
  }

  // MARK: Writing

  /// Documents as the group leaves them.
  func documents(_ paths: some Sequence<DocumentPath>) -> [(path: DocumentPath, after: Document?)] {
    paths.compactMap { path in overlay[path].map { (path, $0.after) } }
  }

  /// Every document that the group has touched, as it leaves it.
  var documents: [(path: DocumentPath, after: Document?)] { documents(order) }

  /// The group's net changes, in the order in which documents were first touched.
  var changes: [ChangedDocument] {
    order.compactMap { path in
      guard let known = overlay[path], known.before != known.after else { return nil }
      return ChangedDocument(path: path, before: known.before, after: known.after)
    }
  }

  private mutating func deltas<T: TableReader & ~Copyable>(
    _ transaction: borrowing T
  ) throws -> [DocumentDelta] {
    var deltas: [DocumentDelta] = []
    for change in changes {
      if let prepared = overlay[change.path]?.prepared,
        prepared.generation == catalog.state.generation
      {
        deltas.append(prepared.delta.stamped(change.after))
        continue
      }
      let collection = try catalog.number(of: change.path.collection, transaction)
      let state = catalog.state
      deltas.append(
        try DocumentDelta(change, collection: collection, state: state) {
          (key) throws(HearthError) in
          do {
            return try catalog.number(of: key, transaction)
          } catch {
            throw HearthError.wrapping(error)
          }
        })
    }
    return deltas
  }

  /// Writes everything, in key order, since writes at random places cost most of a commit.
  ///
  /// Adds what was touched to the log.
  mutating func flush(
    _ log: inout CommitLog, _ transaction: borrowing WriteTransaction
  ) throws {
    let store = reader.store
    let deltas = try deltas(transaction)
    var keys = KeyArena()
    for delta in deltas { keys.append(delta.key) }
    for position in keys.sorted() {
      if let record = deltas[position].record {
        try store.put(deltas[position].key, record, in: store.documents, transaction)
      } else {
        try store.delete(deltas[position].key, in: store.documents, transaction)
      }
    }
    var entries: [(key: [UInt8], payload: [UInt8]?)] = []
    for delta in deltas {
      for key in delta.removedEntries { entries.append((key, nil)) }
      for entry in delta.addedEntries { entries.append((entry.key, entry.payload)) }
    }
    keys = KeyArena()
    for entry in entries { keys.append(entry.key) }
    for position in keys.sorted() {
      if let payload = entries[position].payload {
        try store.put(entries[position].key, payload, in: store.entries, transaction)
      } else {
        try store.delete(entries[position].key, in: store.entries, transaction)
      }
    }
    try catalog.flush(transaction)
    if applied > 0 { try CatalogRecords.putHead(version, store, transaction) }
    if log.isRecording {
      log.add(deltas.filter(\.changesPresence).map(\.key), place: .documents, at: version)
      log.add(entries.map(\.key), place: .entries, at: version)
    }
  }
}

extension HearthError {
  /// The error that leaves the engine for one that came from a lower room.
  static func wrapping(_ error: any Error) -> HearthError {
    if let error = error as? HearthError { return error }
    if let error = error as? StorageError { return HearthError(error) }
    return HearthError(.internal, "UNEXPECTED", "An unexpected error: \(error)", underlying: error)
  }
}
