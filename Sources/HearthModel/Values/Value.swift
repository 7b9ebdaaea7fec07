/// A Firestore value: what a field of a document holds.
///
/// `==` is storage identity: same type and same bits (1 differs from 1.0, 0.0 from -0.0, NaN
/// equals NaN), which decides whether a write changed a document. Queries compare with
/// ``compare(_:_:)`` instead.
public enum Value: Sendable {
  /// The null value.
  case null
  /// A boolean.
  case boolean(Bool)
  /// A 64-bit integer.
  case integer(Int64)
  /// A double; every NaN counts as the one NaN.
  case double(Double)
  /// A point in time.
  case timestamp(Timestamp)
  /// A string, compared by UTF-8 bytes.
  case string(String)
  /// Raw bytes.
  case bytes([UInt8])
  /// The path of a document of the same database.
  case reference(DocumentPath)
  /// A point on the globe.
  case geoPoint(GeoPoint)
  /// A list of values; never holds an array directly.
  case array([Value])
  /// A vector of doubles.
  case vector(VectorValue)
  /// A map from field names to values.
  case map(Fields)
}

extension Value {
  /// The rank of a type in the total order, low to high (documents-and-queries, 2.2).
  package enum Rank: Int, Sendable, Comparable {
    case null = 1
    case boolean, number, timestamp, string, bytes, reference, geoPoint, array, vector, map

    package static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
  }

  /// The rank of this value's type; integers and doubles share one.
  package var rank: Rank {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .integer, .double: .number
    case .timestamp: .timestamp
    case .string: .string
    case .bytes: .bytes
    case .reference: .reference
    case .geoPoint: .geoPoint
    case .array: .array
    case .vector: .vector
    case .map: .map
    }
  }

  /// Whether this is the double NaN.
  package var isNaN: Bool {
    if case .double(let d) = self { return d.isNaN }
    return false
  }

  /// Whether this is null.
  package var isNull: Bool {
    if case .null = self { return true }
    return false
  }
}

extension Value: Equatable, Hashable {
  /// Storage identity.
  public static func == (a: Value, b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.boolean(let x), .boolean(let y)): x == y
    case (.integer(let x), .integer(let y)): x == y
    case (.double(let x), .double(let y)):
      x.bitPattern == y.bitPattern || (x.isNaN && y.isNaN)
    case (.timestamp(let x), .timestamp(let y)): x == y
    case (.string(let x), .string(let y)): UTF8Order.equal(x, y)
    case (.bytes(let x), .bytes(let y)): x == y
    case (.reference(let x), .reference(let y)): x == y
    case (.geoPoint(let x), .geoPoint(let y)):
      x.latitude.bitPattern == y.latitude.bitPattern
        && x.longitude.bitPattern == y.longitude.bitPattern
    case (.array(let x), .array(let y)): x == y
    case (.vector(let x), .vector(let y)): x.identical(to: y)
    case (.map(let x), .map(let y)): x == y
    default: false
    }
  }

  /// Hashes in agreement with storage identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank.rawValue)
    switch self {
    case .null: break
    case .boolean(let x): hasher.combine(x)
    case .integer(let x): hasher.combine(x)
    case .double(let x): hasher.combine(x.isNaN ? 0x7ff8_0000_0000_0000 : x.bitPattern)
    case .timestamp(let x): hasher.combine(x)
    case .string(let x): hasher.combineUTF8(x)
    case .bytes(let x): hasher.combine(x)
    case .reference(let x): hasher.combine(x)
    case .geoPoint(let x):
      hasher.combine(x.latitude.bitPattern)
      hasher.combine(x.longitude.bitPattern)
    case .array(let x): hasher.combine(x)
    case .vector(let x): for d in x.array { hasher.combine(d.isNaN ? 0 : d.bitPattern) }
    case .map(let x): hasher.combine(x)
    }
  }
}
