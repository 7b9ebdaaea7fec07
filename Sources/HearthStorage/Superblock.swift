/// What a database says about itself.
///
/// Written once, when it is made.
package struct Superblock: Sendable, Equatable {
  /// The format of the file as this code writes and reads it.
  package static let currentFormat = 2

  package var formatVersion: Int
  /// 16 random bytes that name this database.
  package var databaseID: [UInt8]
  /// 16 random bytes, the key of every hash that an attacker must not foresee.
  package var hashKey: [UInt8]
  package var creationMicroseconds: Int64
  package var pageSize: Int

  static let tableName = "hearth"
  static let key = Array("superblock".utf8)
  private static let magic = Array("hearthdb".utf8)
  private static let length = 8 + 4 + 16 + 16 + 8 + 4 + 8

  /// magic, format, id, hash key, creation time, page size, checksum; integers big-endian.
  func encoded() -> [UInt8] {
    var bytes = Self.magic
    Self.append(UInt32(formatVersion), to: &bytes)
    bytes += databaseID
    bytes += hashKey
    Self.append(UInt64(bitPattern: creationMicroseconds), to: &bytes)
    Self.append(UInt32(pageSize), to: &bytes)
    Self.append(Self.checksum(bytes[...]), to: &bytes)
    return bytes
  }

  static func decoded(_ bytes: [UInt8], path: String) throws(StorageError) -> Superblock {
    guard bytes.count >= 12, bytes.starts(with: magic) else {
      throw StorageError(
        .notADatabase, "\(path) has a superblock that is none of ours: check the path.")
    }
    // The format comes before the checksum: later formats may arrange the rest differently.
    let format = Int(integer(bytes[8..<12]))
    guard format == currentFormat else {
      throw StorageError(
        .formatVersion,
        """
        \(path) has format \(format), this version reads format \(currentFormat): export it with \
        the version that wrote it, and import it here.
        """)
    }
    guard bytes.count == length, integer(bytes[56...]) == checksum(bytes[..<56]) else {
      throw StorageError(
        .corrupted, "The superblock of \(path) is damaged: restore a backup.")
    }
    return Superblock(
      formatVersion: format,
      databaseID: Array(bytes[12..<28]),
      hashKey: Array(bytes[28..<44]),
      creationMicroseconds: Int64(bitPattern: integer(bytes[44..<52])),
      pageSize: Int(integer(bytes[52..<56])))
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// FNV-1a, 64 bits: enough to tell 56 damaged bytes from sound ones.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
