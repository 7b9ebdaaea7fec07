package import HearthModel

/// Values as bytes that sort as the values do (documents-and-queries, 2.2).
///
/// What is encoded is the *index form* (2.4): at most 1500 payload bytes of a value, the rest
/// dropped and the form marked as truncated. Every encoding ends by itself, and none is a prefix
/// of another, so encodings can be concatenated, and their complement sorts the other way round.
package enum ValueKey {
  /// The payload bytes that an index sees of one value.
  package static let budget = 1500

  /// First bytes of values, in the order of the ranks, with gaps; and what ends a container.
  enum Tag {
    /// The end of an array, a map or a reference: below everything that can continue it.
    static let end: UInt8 = 0x01
    /// The end of a truncated form, all open containers included: above `end`.
    static let truncated: UInt8 = 0x02
    static let null: UInt8 = 0x05
    static let `false`: UInt8 = 0x0a
    static let `true`: UInt8 = 0x0b
    static let nan: UInt8 = 0x0d
    static let negative: UInt8 = 0x0e
    static let positive: UInt8 = 0x0f
    /// A numeric document id inside a path: below `string`.
    static let numericID: UInt8 = 0x10
    static let timestamp: UInt8 = 0x14
    /// A string value, a map's key, or a segment of a path.
    static let string: UInt8 = 0x19
    static let bytes: UInt8 = 0x1e
    static let reference: UInt8 = 0x25
    static let geoPoint: UInt8 = 0x2d
    static let array: UInt8 = 0x32
    static let vector: UInt8 = 0x35
    static let map: UInt8 = 0x37
  }

  /// What stands behind a zero byte inside text.
  enum Escape {
    /// The text ends here.
    static let end: UInt8 = 0x01
    /// The text, and the whole form, was cut here.
    static let truncated: UInt8 = 0x02
    /// The zero belongs to the text.
    static let zero: UInt8 = 0xff
  }

  /// Appends a value's index form, complemented if the component descends.
  package static func append(_ value: Value, descending: Bool = false, to key: inout [UInt8]) {
    let start = key.count
    var form = IndexForm()
    _ = form.append(value, to: &key)
    if descending { complement(&key, from: start) }
  }

  /// A value's index form in ascending order.
  package static func encode(_ value: Value) -> [UInt8] {
    var key: [UInt8] = []
    // Numbers and short strings fit; growing step by step would cost more than the encoding.
    key.reserveCapacity(32)
    append(value, to: &key)
    return key
  }

  /// The encoding of null.
  package static let nullEncoding: [UInt8] = [Tag.null]

  /// The encoding of NaN.
  package static let nanEncoding: [UInt8] = [Tag.nan]

  /// The smallest byte string of a rank's bracket: every encoding of the rank is at or above it and
  /// below `bracketUpper`.
  ///
  /// The bracket of numbers leaves out NaN.
  package static func bracketLower(_ rank: Value.Rank, descending: Bool = false) -> [UInt8] {
    let (first, last) = tags(rank)
    return [descending ? ~last : first]
  }

  /// The first byte string above a rank's bracket.
  package static func bracketUpper(_ rank: Value.Rank, descending: Bool = false) -> [UInt8] {
    let (first, last) = tags(rank)
    return [(descending ? ~first : last) + 1]
  }

  /// The first and the last tag of a rank.
  ///
  /// None is 0x00 or 0xff, so neighbours always exist.
  private static func tags(_ rank: Value.Rank) -> (first: UInt8, last: UInt8) {
    switch rank {
    case .null: (Tag.null, Tag.null)
    case .boolean: (Tag.false, Tag.true)
    case .number: (Tag.negative, Tag.positive)
    case .timestamp: (Tag.timestamp, Tag.timestamp)
    case .string: (Tag.string, Tag.string)
    case .bytes: (Tag.bytes, Tag.bytes)
    case .reference: (Tag.reference, Tag.reference)
    case .geoPoint: (Tag.geoPoint, Tag.geoPoint)
    case .array: (Tag.array, Tag.array)
    case .vector: (Tag.vector, Tag.vector)
    case .map: (Tag.map, Tag.map)
    }
  }

  /// Complements everything from a position on.
  static func complement(_ key: inout [UInt8], from start: Int) {
    // Safe: the loop stays inside the buffer; the pointer only spares a check per byte.
    key.withUnsafeMutableBufferPointer { bytes in
      var position = start
      while position < bytes.count {
        bytes[position] = ~bytes[position]
        position += 1
      }
    }
  }
}
