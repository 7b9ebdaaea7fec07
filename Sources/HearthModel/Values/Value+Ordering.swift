extension Value {
  /// The total order over all values (documents-and-queries, 2.2).
  ///
  /// Negative, zero or positive as `a` sorts before, with or after `b`. Zero is *query
  /// equality*: 1 with 1.0, 0.0 with -0.0, NaN with NaN.
  package static func compare(_ a: Value, _ b: Value) -> Int {
    switch (a, b) {
    case (.null, .null): return 0
    case (.boolean(let x), .boolean(let y)): return x == y ? 0 : (x ? 1 : -1)
    case (.integer(let x), .integer(let y)): return x == y ? 0 : (x < y ? -1 : 1)
    case (.double(let x), .double(let y)): return compareDoubles(x, y)
    case (.double(let x), .integer(let y)): return compareMixed(x, y)
    case (.integer(let x), .double(let y)): return -compareMixed(y, x)
    case (.timestamp(let x), .timestamp(let y)): return x == y ? 0 : (x < y ? -1 : 1)
    case (.string(let x), .string(let y)): return UTF8Order.compare(x, y)
    case (.bytes(let x), .bytes(let y)):
      return x.withUnsafeBufferPointer { p in
        y.withUnsafeBufferPointer { q in UTF8Order.compare(p, q) }
      }
    case (.reference(let x), .reference(let y)): return x == y ? 0 : (x < y ? -1 : 1)
    case (.geoPoint(let x), .geoPoint(let y)):
      let latitude = compareDoubles(x.latitude, y.latitude)
      return latitude != 0 ? latitude : compareDoubles(x.longitude, y.longitude)
    case (.array(let x), .array(let y)): return compareArrays(x, y)
    case (.vector(let x), .vector(let y)): return compareVectors(x.array, y.array)
    case (.map(let x), .map(let y)): return compareMaps(x, y)
    default: return a.rank < b.rank ? -1 : 1
    }
  }

  /// Double order with the one NaN below everything and -0.0 equal to 0.0.
  package static func compareDoubles(_ x: Double, _ y: Double) -> Int {
    if x < y { return -1 }
    if x > y { return 1 }
    if x == y { return 0 }
    return x.isNaN ? (y.isNaN ? 0 : -1) : 1
  }

  /// Exact comparison of a double with an integer; converting the integer would lose bits.
  private static func compareMixed(_ d: Double, _ i: Int64) -> Int {
    if d.isNaN || d < -0x1p63 { return -1 }
    if d >= 0x1p63 { return 1 }
    let truncated = d.rounded(.towardZero)
    let t = Int64(truncated)
    if t != i { return t < i ? -1 : 1 }
    let fraction = d - truncated
    return fraction == 0 ? 0 : (fraction < 0 ? -1 : 1)
  }

  private static func compareArrays(_ x: [Value], _ y: [Value]) -> Int {
    for (p, q) in zip(x, y) {
      let order = compare(p, q)
      if order != 0 { return order }
    }
    return x.count == y.count ? 0 : (x.count < y.count ? -1 : 1)
  }

  /// Vectors sort by dimension first.
  private static func compareVectors(_ x: [Double], _ y: [Double]) -> Int {
    if x.count != y.count { return x.count < y.count ? -1 : 1 }
    for (p, q) in zip(x, y) {
      let order = compareDoubles(p, q)
      if order != 0 { return order }
    }
    return 0
  }

  private static func compareMaps(_ x: Fields, _ y: Fields) -> Int {
    for (p, q) in zip(x, y) {
      let names = UTF8Order.compare(p.name, q.name)
      if names != 0 { return names }
      let values = compare(p.value, q.value)
      if values != 0 { return values }
    }
    return x.count == y.count ? 0 : (x.count < y.count ? -1 : 1)
  }
}
