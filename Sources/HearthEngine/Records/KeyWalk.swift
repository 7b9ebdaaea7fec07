import HearthEncoding
import HearthModel
package import HearthStorage

/// A walk over the full keys of a table in their exact order, in either direction.
///
/// Keys beyond the storage's cap are stored as prefix and hash; members of such a group stand in
/// hash order, so the walk gathers a group whole and sorts it by the rest of the key (LMDB
/// notes, 9.3).
package struct KeyWalk {
  private let store: RecordStore
  private let table: Table
  private let descending: Bool
  /// The group at hand, in walking order, and where the walk stands in it.
  private var group: [(key: [UInt8], payload: [UInt8])] = []
  private var groupPosition = 0
  /// Whether the cursor stands just behind the group, as it does until somebody seeks in the group.
  private var isBehindGroup = false

  /// The full key the walk stands at.
  package private(set) var key: [UInt8] = []

  package init(store: RecordStore, table: Table, descending: Bool) {
    self.store = store
    self.table = table
    self.descending = descending
  }

  /// Goes to the first key of the walk that is not outside the edge: ascending, the first key ≥
  /// `edge`; descending, the last key < `edge`.
  ///
  /// False at the end.
  package mutating func seek(_ edge: [UInt8], _ cursor: inout Cursor) throws -> Bool {
    if isInGroup(edge) {
      // Gathering it again for each seek would cost the square of its size.
      groupPosition = groupPlace(of: edge)
      isBehindGroup = false
      if groupPosition == group.count { return try leaveGroup(&cursor) }
      key = group[groupPosition].key
      return true
    }
    group = []
    let short = edge.count <= LongKey.prefixLength
    if descending {
      // The whole group of a long edge may hold keys below it: start after the group.
      let from =
        short
        ? edge
        : Array(edge[..<LongKey.prefixLength])
          + [UInt8](repeating: 0xff, count: LongKey.storedLimit - LongKey.prefixLength)
      guard try cursor.seekBefore(from) else { return false }
    } else {
      guard try cursor.seek(short ? edge : Array(edge[..<LongKey.prefixLength])) else {
        return false
      }
    }
    guard try land(&cursor) else { return false }
    while descending ? !bytesLess(key, edge) : bytesLess(key, edge) {
      guard try step(&cursor) else { return false }
    }
    return true
  }

  /// Goes to the next key of the walk.
  ///
  /// False at the end.
  package mutating func step(_ cursor: inout Cursor) throws -> Bool {
    if groupPosition + 1 < group.count {
      groupPosition += 1
      key = group[groupPosition].key
      return true
    }
    if !group.isEmpty { return try leaveGroup(&cursor) }
    guard try descending ? cursor.previous() : cursor.next() else { return false }
    return try land(&cursor)
  }

  /// Whether everything from the edge on, as far as it begins like the group, is in the group.
  private func isInGroup(_ edge: [UInt8]) -> Bool {
    guard let first = group.first?.key, edge.count > LongKey.prefixLength else { return false }
    return edge[..<LongKey.prefixLength] == first[..<LongKey.prefixLength]
  }

  /// The place of the first key of the group that is not outside the edge; its count if there is
  /// none.
  private func groupPlace(of edge: [UInt8]) -> Int {
    var low = 0
    var high = group.count
    while low < high {
      let middle = (low + high) / 2
      let isOutside =
        descending ? !bytesLess(group[middle].key, edge) : bytesLess(group[middle].key, edge)
      if isOutside { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Goes to the first key behind the group.
  private mutating func leaveGroup(_ cursor: inout Cursor) throws -> Bool {
    if !isBehindGroup, let key = group.first?.key {
      // No short key begins with the whole prefix and goes on.
      let prefix = Array(key[..<LongKey.prefixLength])
      group = []
      if descending {
        guard try cursor.seekBefore(prefix + [0]) else { return false }
      } else {
        guard let end = KeyLayout.end(ofPrefix: prefix), try cursor.seek(end) else { return false }
      }
      return try land(&cursor)
    }
    group = []
    if cursor.keyLength == 0 { return false }
    return try land(&cursor)
  }

  /// The payload at the walk's place, checked.
  package func payload(_ cursor: borrowing Cursor) throws -> [UInt8] {
    if !group.isEmpty { return group[groupPosition].payload }
    return try cursor.withEntry { key, value throws(HearthError) in
      bytes(of: value, from: try store.open(value, key: key, in: table))
    }
  }

  /// Checks the checksum at the walk's place without copying.
  package func verify(_ cursor: borrowing Cursor) throws {
    if !group.isEmpty { return }
    _ = try cursor.withEntry { key, value throws(HearthError) in
      try store.open(value, key: key, in: table)
    }
  }

  private mutating func land(_ cursor: inout Cursor) throws -> Bool {
    guard cursor.keyLength == LongKey.storedLimit else {
      key = cursor.keyBytes()
      return true
    }
    let prefix = Array(cursor.keyBytes()[..<LongKey.prefixLength])
    var members: [(key: [UInt8], payload: [UInt8])] = []
    var more = true
    while more, cursor.keyLength == LongKey.storedLimit, cursor.keyHasPrefix(prefix) {
      let body = try cursor.withEntry { key, value throws(HearthError) in
        bytes(of: value, from: try store.open(value, key: key, in: table))
      }
      let tail = try LongKey.splitTail(body)
      members.append((prefix + body[tail], Array(body[tail.upperBound...])))
      more = try descending ? cursor.previous() : cursor.next()
    }
    members.sort { descending ? bytesLess($1.key, $0.key) : bytesLess($0.key, $1.key) }
    group = members
    groupPosition = 0
    isBehindGroup = true
    key = members[0].key
    return true
  }
}

/// Order of keys by unsigned bytes.
package func bytesLess(_ a: [UInt8], _ b: [UInt8]) -> Bool { ByteOrder.compare(a, b) < 0 }
