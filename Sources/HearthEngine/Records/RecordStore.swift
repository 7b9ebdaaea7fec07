package import HearthEncoding
package import HearthModel
package import HearthStorage

/// The three tables as the engine sees them: full keys of any length, sealed values.
///
/// Here the storage's plain byte keys meet the encoding's long-key form and checksums; nothing
/// above knows of either.
package struct RecordStore: Sendable {
  package let catalog: Table
  package let documents: Table
  package let entries: Table
  private let longKey: LongKey
  private let envelope: Envelope

  /// Tests may put another form of long keys in the place of the database's own.
  package init(environment: Environment, longKey: LongKey? = nil) {
    catalog = environment.table(TableName.catalog.rawValue)
    documents = environment.table(TableName.documents.rawValue)
    entries = environment.table(TableName.entries.rawValue)
    self.longKey = longKey ?? LongKey(hashKey: environment.superblock.hashKey)
    envelope = Envelope(databaseID: environment.superblock.databaseID)
  }

  /// The payload of a full key, nil if absent.
  package func get<T: TableReader & ~Copyable>(
    _ key: [UInt8], in table: Table, _ transaction: borrowing T
  ) throws -> [UInt8]? {
    guard longKey.isLong(key) else {
      return try transaction.get(key, in: table) { value in
        let body = try self.open(value, key: key, in: table)
        return bytes(of: value, from: body)
      }
    }
    return try probe(key, in: table, transaction).found
  }

  /// Whether a full key is present.
  ///
  /// Its checksum is not looked at.
  package func contains<T: TableReader & ~Copyable>(
    _ key: [UInt8], in table: Table, _ transaction: borrowing T
  ) throws -> Bool {
    guard longKey.isLong(key) else { return try transaction.contains(key, in: table) }
    return try probe(key, in: table, transaction).found != nil
  }

  package func put(
    _ key: [UInt8], _ payload: [UInt8], in table: Table,
    _ transaction: borrowing WriteTransaction
  ) throws {
    guard longKey.isLong(key) else {
      let value = envelope.seal(payload, key: key, table: number(of: table))
      return try transaction.put(key, value, in: table)
    }
    let stored = try probe(key, in: table, transaction).slot
    let body = LongKey.prependTail(LongKey.tail(key), to: payload)
    let value = envelope.seal(body, key: stored, table: number(of: table))
    try transaction.put(stored, value, in: table)
  }

  @discardableResult
  package func delete(
    _ key: [UInt8], in table: Table, _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard longKey.isLong(key) else { return try transaction.delete(key, in: table) }
    let place = try probe(key, in: table, transaction)
    guard place.found != nil else { return false }
    // The last of the keys with this prefix and hash fills the hole: a lookup ends at the first.
    var last = place.number
    while last < LongKey.lastProbe,
      try transaction.contains(longKey.storedKey(key, probe: last + 1), in: table)
    {
      last += 1
    }
    let end = longKey.storedKey(key, probe: last)
    if last != place.number {
      let body = try transaction.get(end, in: table) { value in
        bytes(of: value, from: try self.open(value, key: end, in: table))
      }
      let value = envelope.seal(body ?? [], key: place.slot, table: number(of: table))
      try transaction.put(place.slot, value, in: table)
    }
    return try transaction.delete(end, in: table)
  }

  /// Walks the probes of a long key: its payload if it is there, and the stored key it has or would
  /// get.
  ///
  /// Keys with the same prefix and hash take one probe after another, without holes.
  private func probe<T: TableReader & ~Copyable>(
    _ key: [UInt8], in table: Table, _ transaction: borrowing T
  ) throws -> (found: [UInt8]?, slot: [UInt8], number: UInt8) {
    let tail = LongKey.tail(key)
    for number in 0...LongKey.lastProbe {
      let stored = longKey.storedKey(key, probe: number)
      let value = try transaction.get(stored, in: table) { value in
        bytes(of: value, from: try self.open(value, key: stored, in: table))
      }
      guard let value else { return (nil, stored, number) }
      let split = try LongKey.splitTail(value)
      if value[split].elementsEqual(tail) {
        return (Array(value[split.upperBound...]), stored, number)
      }
    }
    throw HearthError(.internal, "LONG_KEY_COLLISIONS", "A long key found no free slot.")
  }

  /// The number by which a table takes part in its records' checksums.
  private func number(of table: Table) -> UInt8 {
    let name: TableName =
      table == documents ? .documents : table == entries ? .entries : .catalog
    return name.number
  }

  /// Checks the checksum; the offset of the body.
  package func open(_ value: RawSpan, key: [UInt8], in table: Table) throws(HearthError) -> Int {
    try envelope.open(value, key: key.span.bytes, table: number(of: table))
  }

  /// Checks the checksum of a value under the cursor; the offset of the body.
  package func open(_ value: RawSpan, key: RawSpan, in table: Table) throws(HearthError) -> Int {
    try envelope.open(value, key: key, table: number(of: table))
  }
}

/// A copy of a span's bytes from an offset on.
package func bytes(of span: RawSpan, from offset: Int = 0) -> [UInt8] {
  span.withUnsafeBytes { Array($0[offset...]) }
}

extension LongKey {
  /// The last probe that is tried.
  fileprivate static let lastProbe: UInt8 = 254
}
