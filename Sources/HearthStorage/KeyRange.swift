/// A half-open range of keys: from `lower`, up to but without `upper`; no `upper` means to the end.
package struct KeyRange: Sendable, Hashable {
  package var lower: [UInt8]
  package var upper: [UInt8]?

  /// The keys from `lower` up to, not including, `upper`.
  package init(lower: [UInt8], upper: [UInt8]?) {
    self.lower = lower
    self.upper = upper
  }

  /// Every key.
  package static let all = KeyRange(lower: [], upper: nil)

  /// The keys that begin with `prefix`.
  package static func prefix(_ prefix: [UInt8]) -> KeyRange {
    KeyRange(lower: prefix, upper: successor(ofPrefix: prefix))
  }

  /// The least key above every key with this prefix; nil if there is none, as after 0xFF 0xFF.
  package static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
    guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
    var upper = Array(prefix[...last])
    upper[last] += 1
    return upper
  }

  /// Whether no key can be inside.
  package var isEmpty: Bool {
    guard let upper else { return false }
    return !lower.lexicographicallyPrecedes(upper)
  }

  /// Whether the key is inside.
  package func contains(_ key: [UInt8]) -> Bool {
    if key.lexicographicallyPrecedes(lower) { return false }
    guard let upper else { return true }
    return key.lexicographicallyPrecedes(upper)
  }

  /// The keys that are in both.
  package func intersection(_ other: KeyRange) -> KeyRange {
    let lower = lower.lexicographicallyPrecedes(other.lower) ? other.lower : lower
    guard let a = upper, let b = other.upper else {
      return KeyRange(lower: lower, upper: upper ?? other.upper)
    }
    return KeyRange(lower: lower, upper: a.lexicographicallyPrecedes(b) ? a : b)
  }
}
