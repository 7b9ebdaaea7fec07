import HearthEncoding
import HearthModel
import HearthPlanner
import HearthStorage

/// A place between keys, given by leading bytes: just before the first key that has them, or just
/// after the last one.
struct KeyEdge {
  var bytes: [UInt8]
  var after: Bool
  /// The bytes are a whole key: "after" then means after that key alone, not after all that begin
  /// with it.
  ///
  /// Names end without a terminator and need this.
  var exact = false

  /// The key that begins there; nil for "after everything".
  var key: [UInt8]? {
    if !after { return bytes }
    return exact ? bytes + [0] : KeyLayout.end(ofPrefix: bytes)
  }
}

/// Ranges of suffix bytes, relative to the fixed prefix of an index.
struct SuffixRange: Equatable {
  var lower: [UInt8]
  /// Exclusive; nil for the end of the prefix.
  var upper: [UInt8]?

  var isEmpty: Bool {
    guard let upper else { return false }
    return !bytesLess(lower, upper)
  }

  func intersected(with other: SuffixRange) -> SuffixRange {
    let low = bytesLess(lower, other.lower) ? other.lower : lower
    switch (upper, other.upper) {
    case (let a?, let b?): return SuffixRange(lower: low, upper: bytesLess(a, b) ? a : b)
    case (let a?, nil): return SuffixRange(lower: low, upper: a)
    case (nil, let b): return SuffixRange(lower: low, upper: b)
    }
  }
}

extension SuffixRange {
  func contains(_ bytes: ArraySlice<UInt8>) -> Bool {
    if ByteOrder.compare(bytes, lower[...]) < 0 { return false }
    guard let upper else { return true }
    return ByteOrder.compare(bytes, upper[...]) < 0
  }

  /// Cuts single names out of a range.
  func excluding(_ names: [[UInt8]]) -> [SuffixRange] {
    var rest = self
    var parts: [SuffixRange] = []
    for name in names.sorted(by: bytesLess) {
      parts.append(rest.intersected(with: SuffixRange(lower: [], upper: name)))
      // A name may lie outside what is left.
      rest = rest.intersected(with: SuffixRange(lower: name + [0], upper: nil))
    }
    parts.append(rest)
    return parts
  }
}
