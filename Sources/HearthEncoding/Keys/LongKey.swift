package import HearthModel

/// The stored form of keys that are longer than LMDB takes (511 bytes).
///
/// A key of up to 494 bytes is stored as it is. A longer one is stored as its first 494 bytes, 16
/// bytes of keyed hash and a probe number; its tail, from byte 494 on, leads the value. Long keys
/// with equal first 494 bytes lie together but in no order: readers sort such a group by tail.
package struct LongKey: Sendable {
  package static let prefixLength = 494
  package static let storedLimit = 511

  private let sipHash: SipHash
  private let stub: (@Sendable ([UInt8]) -> [UInt8])?

  /// Takes the database's hash key of 16 bytes; tests may put another hash in its place.
  package init(hashKey: [UInt8], hash: (@Sendable ([UInt8]) -> [UInt8])? = nil) {
    sipHash = SipHash(key: hashKey)
    stub = hash
  }

  /// Whether a full key needs the long form.
  package func isLong(_ full: [UInt8]) -> Bool { full.count > LongKey.prefixLength }

  /// Whether a stored key is of the long form.
  package static func isStoredLong(_ stored: RawSpan) -> Bool {
    stored.byteCount == storedLimit
  }

  /// The stored key.
  ///
  /// `probe` tells keys with equal prefix and equal hash apart.
  package func storedKey(_ full: [UInt8], probe: UInt8 = 0) -> [UInt8] {
    guard isLong(full) else { return full }
    var stored: [UInt8] = []
    stored.reserveCapacity(LongKey.storedLimit)
    stored.append(contentsOf: full[..<LongKey.prefixLength])
    stored.append(contentsOf: stub?(full) ?? sipHash.hash(full))
    stored.append(probe)
    return stored
  }

  /// What the stored key leaves out; empty for a short key.
  package static func tail(_ full: [UInt8]) -> ArraySlice<UInt8> {
    full.count > prefixLength ? full[prefixLength...] : full[full.count...]
  }

  /// A long key's value: the tail behind its count, then the payload.
  package static func prependTail(_ tail: ArraySlice<UInt8>, to payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: tail.count + payload.count + 3)
    writer.count(tail.count)
    writer.bytes.append(contentsOf: tail)
    writer.bytes.append(contentsOf: payload)
    return writer.bytes
  }

  /// Where the tail lies in a long key's value; the payload begins where it ends.
  package static func splitTail(_ value: RawSpan) throws(HearthError) -> Range<Int> {
    var position = 0
    var count: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      guard position < value.byteCount, shift < 63 else {
        throw Corruption.malformed("a long key has no tail")
      }
      let byte = value.unsafeLoad(fromByteOffset: position, as: UInt8.self)
      position += 1
      count |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    // No key is long without a tail, and no tail is longer than its value.
    guard count > 0, count <= UInt64(value.byteCount - position) else {
      throw Corruption.malformed("a long key's tail is cut off")
    }
    return position..<(position + Int(count))
  }

  /// Where the tail lies in a long key's value; the payload begins where it ends.
  package static func splitTail(_ value: [UInt8]) throws(HearthError) -> Range<Int> {
    try splitTail(value.span.bytes)
  }

  /// The full key of a stored long key and the tail from its value.
  package static func fullKey(stored: RawSpan, tail: RawSpan) -> [UInt8] {
    var full: [UInt8] = []
    full.reserveCapacity(prefixLength + tail.byteCount)
    let prefix = stored.extracting(..<min(prefixLength, stored.byteCount))
    prefix.withUnsafeBytes { full.append(contentsOf: $0) }
    tail.withUnsafeBytes { full.append(contentsOf: $0) }
    return full
  }
}
