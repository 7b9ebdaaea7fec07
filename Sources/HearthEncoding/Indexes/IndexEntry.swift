package import HearthModel

/// One entry of a physical index: its full key, and what the key cannot say.
package struct IndexEntry: Sendable, Hashable {
  package var key: [UInt8]
  /// The number kinds of the entry's values; see ``NumberKinds``.
  package var payload: [UInt8]

  package init(key: [UInt8], payload: [UInt8] = []) {
    self.key = key
    self.payload = payload
  }
}

/// Which numbers of an entry are doubles although they have no fraction.
///
/// 1 and 1.0 are one value to a query and have one key, but a sum has to know them apart, and
/// aggregations read no documents. So an entry carries a bit per field, set for a double that an
/// integer equals; trailing zero bytes are left out, which leaves most entries without a payload.
package enum NumberKinds {
  /// Whether a value needs its bit.
  package static func isWholeDouble(_ value: Value) -> Bool {
    guard case .double(let number) = value else { return false }
    return Int64(exactly: number) != nil
  }

  /// The payload of an entry of one field.
  static func payload(of value: Value) -> [UInt8] { isWholeDouble(value) ? first : [] }

  private static let first: [UInt8] = [1]

  /// Sets the bit of a field.
  static func insert(_ field: Int, into payload: inout [UInt8]) {
    while payload.count <= field / 8 { payload.append(0) }
    payload[field / 8] |= 1 << UInt8(field % 8)
  }

  /// Whether the bit of a field is set.
  package static func contains(_ field: Int, in payload: [UInt8]) -> Bool {
    field / 8 < payload.count && payload[field / 8] & (1 << UInt8(field % 8)) != 0
  }
}
