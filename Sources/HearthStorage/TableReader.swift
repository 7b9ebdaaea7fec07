/// What read and write transactions have in common, so that one function reads through both.
package protocol TableReader: ~Copyable {
  /// Shows the value of a key; nil if the key is absent.
  ///
  /// The bytes do not outlive the closure.
  borrowing func get<R>(
    _ key: [UInt8], in table: Table, _ body: (RawSpan) throws -> R
  ) throws -> R?

  /// Whether the key has a value.
  borrowing func contains(_ key: [UInt8], in table: Table) throws -> Bool

  /// Opens a cursor for as long as the closure runs.
  borrowing func withCursor<R>(
    in table: Table, _ body: (inout Cursor) throws -> R
  ) throws -> R

  /// The commit this transaction sees: in a write transaction, the one it will be.
  var transactionID: UInt64 { get }
}

extension TableReader where Self: ~Copyable {
  /// A copy of the value of a key; nil if the key is absent.
  @inlinable package borrowing func bytes(_ key: [UInt8], in table: Table) throws -> [UInt8]? {
    try get(key, in: table) { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
  }

  /// Shows the entries of a range in order, until the closure answers false.
  @inlinable package borrowing func scan(
    _ range: KeyRange, in table: Table, descending: Bool = false,
    _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
  ) throws {
    if range.isEmpty { return }
    try withCursor(in: table) { cursor in
      if descending {
        var found = try range.upper.map { try cursor.seekBefore($0) } ?? cursor.seekLast()
        while found, cursor.compareKey(to: range.lower) >= 0, try cursor.withEntry(body) {
          found = try cursor.previous()
        }
      } else {
        var found = try cursor.seek(range.lower)
        while found {
          if let upper = range.upper, cursor.compareKey(to: upper) >= 0 { return }
          guard try cursor.withEntry(body) else { return }
          found = try cursor.next()
        }
      }
    }
  }
}
