package import HearthModel

/// What surrounds every stored value: a format byte, and a checksum that covers the table, the key
/// and the content, so that damage and records under a wrong key are noticed.
package struct Envelope: Sendable {
  /// The format byte of this version.
  package static let format: UInt8 = 1
  /// How many bytes stand before the body.
  package static let headerLength = 9

  private let seed: UInt64

  /// Takes the database's id, so that a record of another database does not pass either.
  package init(databaseID: [UInt8]) { seed = Checksum.hash(databaseID) }

  /// The stored value for a body, which may be empty.
  ///
  /// `key` is the stored key.
  package func seal(_ body: [UInt8], key: [UInt8], table: UInt8) -> [UInt8] {
    var sealed: [UInt8] = []
    sealed.reserveCapacity(Envelope.headerLength + body.count)
    sealed.append(Envelope.format)
    let sum = checksum(body.span.bytes, key: key.span.bytes, table: table)
    withUnsafeBytes(of: sum.littleEndian) { sealed.append(contentsOf: $0) }
    sealed.append(contentsOf: body)
    return sealed
  }

  /// Checks a stored value and says where its body begins.
  package func open(
    _ value: RawSpan, key: RawSpan, table: UInt8
  ) throws(HearthError) -> Int {
    let length = Envelope.headerLength
    guard value.byteCount >= length else { throw Corruption.checksum() }
    let format = value.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
    guard format == Envelope.format else { throw Corruption.format(format) }
    let body = value.extracting(length..<value.byteCount)
    // Safe: the nine bytes of the header were just found to be there.
    let sum = UInt64(
      littleEndian: value.unsafeLoadUnaligned(fromByteOffset: 1, as: UInt64.self))
    guard sum == checksum(body, key: key, table: table) else { throw Corruption.checksum() }
    return length
  }

  /// Checks a stored value and says where its body begins.
  package func open(
    _ value: [UInt8], key: [UInt8], table: UInt8
  ) throws(HearthError) -> Int {
    try open(value.span.bytes, key: key.span.bytes, table: table)
  }

  private func checksum(_ body: RawSpan, key: RawSpan, table: UInt8) -> UInt64 {
    var checksum = Checksum(seed: seed)
    checksum.add(table)
    checksum.add(key)
    checksum.add(body)
    return checksum.finish()
  }
}
