#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The order in which LMDB keeps keys: by unsigned bytes, a proper prefix first.
@safe package enum ByteOrder {
  /// Below 0, 0 or above 0 as `a` comes before `b`, equals it, or comes after it.
  package static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
    let common = min(a.count, b.count)
    let order = unsafe a.withUnsafeBytes { x in
      unsafe b.withUnsafeBytes { y -> Int32 in
        // An empty array may have no address; then there is nothing to compare.
        guard common > 0, let p = x.baseAddress, let q = y.baseAddress else {
          return 0
        }
        return unsafe memcmp(p, q, common)
      }
    }
    return order != 0 ? Int(order) : a.count - b.count
  }
}
