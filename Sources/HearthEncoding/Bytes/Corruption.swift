package import HearthModel

/// The errors for stored bytes that cannot be what was written.
///
/// They are made out of line, so that the checks in hot loops stay a compare and a jump.
package enum Corruption {
  /// Bytes whose structure is broken.
  @inline(never)
  package static func malformed(_ what: String) -> HearthError {
    .dataLoss(
      "RECORD_MALFORMED",
      "Stored bytes are damaged: \(what). Run the consistency check and restore a backup.")
  }

  /// A format byte that this version does not know.
  @inline(never)
  package static func format(_ byte: UInt8) -> HearthError {
    .dataLoss(
      "RECORD_FORMAT",
      "A stored record has the unknown format \(byte): it is damaged or of a newer version.")
  }

  /// A key that no layout explains.
  @inline(never)
  package static func key(_ what: String) -> HearthError {
    .dataLoss(
      "KEY_MALFORMED",
      "A stored key is damaged: \(what). Run the consistency check and restore a backup.")
  }

  /// A record whose checksum differs from its content.
  @inline(never)
  package static func checksum() -> HearthError {
    .dataLoss(
      "CHECKSUM_MISMATCH",
      "A stored record differs from what was written, or lies under a wrong key. "
        + "Run the consistency check and restore a backup.")
  }
}
