#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The order in which LMDB keeps keys: by unsigned bytes, a proper prefix first.
@safe package enum ByteOrder {
  /// Below 0, 0 or above 0 as `a` comes before `b`, equals it, or comes after it.
  package static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
    unsafe a.withUnsafeBytes { x in unsafe b.withUnsafeBytes { y in unsafe compare(x, y) } }
  }

  /// The same for parts of keys.
  package static func compare(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Int {
    unsafe a.withUnsafeBytes { x in unsafe b.withUnsafeBytes { y in unsafe compare(x, y) } }
  }

  fileprivate static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let common = min(a.count, b.count)
    // An empty buffer may have no address; then there is nothing to compare.
    if common > 0, let p = a.baseAddress, let q = b.baseAddress {
      // Safe: both buffers have at least `common` bytes.
      let order = unsafe memcmp(p, q, common)
      if order != 0 { return Int(order) }
    }
    return a.count - b.count
  }
}

/// Keys side by side in one buffer, to be sorted without touching an array for each comparison.
package struct KeyArena {
  private var bytes: [UInt8] = []
  private var ends: [Int] = [0]

  package init() {}

  package mutating func append(_ key: [UInt8]) {
    bytes += key
    ends.append(bytes.count)
  }

  /// The numbers of the keys, in the order in which they were appended, sorted by their bytes.
  package func sorted() -> [Int] {
    unsafe bytes.withUnsafeBytes { buffer in
      (0..<ends.count - 1).sorted { a, b in
        // Safe: the ends lie within the buffer.
        let x = unsafe UnsafeRawBufferPointer(rebasing: buffer[ends[a]..<ends[a + 1]])
        let y = unsafe UnsafeRawBufferPointer(rebasing: buffer[ends[b]..<ends[b + 1]])
        return unsafe ByteOrder.compare(x, y) < 0
      }
    }
  }
}
