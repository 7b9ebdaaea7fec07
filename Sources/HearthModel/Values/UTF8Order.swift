/// Order and equality of strings by their UTF-8 bytes.
///
/// Swift's own `==` and `<` use canonical equivalence and would merge keys that Firestore keeps
/// apart, so ids, field names and string values must never be compared with them.
package enum UTF8Order {
  /// Negative, zero or positive as `a` sorts before, with or after `b`.
  package static func compare(_ a: String, _ b: String) -> Int {
    var a = a
    var b = b
    return a.withUTF8 { x in b.withUTF8 { y in compare(x, y) } }
  }

  /// Compares raw bytes, shorter prefix first.
  package static func compare(
    _ x: UnsafeBufferPointer<UInt8>, _ y: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let shared = min(x.count, y.count)
    var i = 0
    while i < shared {
      if x[i] != y[i] { return x[i] < y[i] ? -1 : 1 }
      i += 1
    }
    return x.count == y.count ? 0 : (x.count < y.count ? -1 : 1)
  }

  /// Whether both strings have the same bytes.
  package static func equal(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count && compare(a, b) == 0
  }
}

/// A string that hashes and compares by its UTF-8 bytes, for dictionaries keyed by names.
package struct UTF8String: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var string: String

  package init(_ string: String) { self.string = string }

  package static func == (a: UTF8String, b: UTF8String) -> Bool {
    UTF8Order.equal(a.string, b.string)
  }

  package static func < (a: UTF8String, b: UTF8String) -> Bool {
    UTF8Order.compare(a.string, b.string) < 0
  }

  package func hash(into hasher: inout Hasher) { hasher.combineUTF8(string) }

  package var description: String { string }
}

extension Hasher {
  /// Feeds a string's bytes, so that hashes agree with `UTF8Order.equal`.
  package mutating func combineUTF8(_ string: String) {
    var string = string
    string.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
    combine(0xff as UInt8)
  }
}
