/// What an index, a filter, an order and a cursor see of a value (documents-and-queries, 2.4).
///
/// Values are walked in comparison order with a budget of 1500. The rule, which the encoding of
/// index keys follows byte for byte:
///
/// - null and booleans cost 1; integers, doubles, timestamps and geopoints cost 8; each component
///   of a vector costs 8, its dimension nothing; each byte of a string, of a bytes value, of a
///   reference's ids and of a map's keys costs 1. A non-empty array or map costs nothing itself.
///   An empty string, bytes value, array, map or vector costs 1, so that keys stay bounded.
/// - Where something begins (a value, a map entry, a reference's id) with nothing left of the
///   budget, or a fixed-cost value, a vector component or a numeric id costs more than is left,
///   it is dropped whole, its type included. A string, a bytes value, an id or a key that is
///   longer than what is left is cut at that byte.
/// - The first thing dropped or cut ends the form with the mark *truncated*; all that follows,
///   ends of containers included, is dropped too. A value that ends exactly with the budget is
///   not truncated.
/// - The mark sorts after everything else that can stand in its place: after the end of the
///   string or container and after any further element. Two marks in one place are equal.
///
/// Values equal so far have spent the same budget, so comparing needs one budget and no copy.
/// Only the document's own name, `__name__`, is never reduced.
package struct IndexForm: Sendable {
  /// The budget of one value.
  package static let budget = 1500

  /// The whole value, of which only the form is looked at.
  package let value: Value

  package init(_ value: Value) { self.value = value }

  /// Order of forms; zero is query equality.
  package static func compare(_ a: IndexForm, _ b: IndexForm) -> Int {
    Value.compareIndexForms(a.value, b.value)
  }

  /// Whether the value is longer than its form.
  package var isTruncated: Bool {
    // A form equals itself either to its end or to its mark.
    var walk = IndexFormComparison()
    _ = walk.compare(value, value)
    return walk.isCut
  }
}

extension Value {
  /// The part of this value that takes part in queries.
  package var indexForm: IndexForm { IndexForm(self) }

  /// The total order as queries see it: that of `compare` over index forms.
  package static func compareIndexForms(_ a: Value, _ b: Value) -> Int {
    switch (a, b) {
    case (.integer, .integer), (.double, .double), (.integer, .double), (.double, .integer),
      (.null, _), (_, .null), (.boolean, _), (_, .boolean), (.timestamp, _), (_, .timestamp):
      // Short enough on at least one side that no budget can run out before a decision.
      return compare(a, b)
    default:
      var walk = IndexFormComparison()
      return walk.compare(a, b)
    }
  }
}

/// One walk over two values; see `IndexForm` for the rule.
private struct IndexFormComparison {
  private var left = IndexForm.budget
  /// Set when both forms ended in the same place with the mark.
  private(set) var isCut = false

  mutating func compare(_ a: Value, _ b: Value) -> Int {
    let fits = (a.wholeCost <= left, b.wholeCost <= left)
    switch fits {
    case (true, true): break
    case (true, false): return -1
    case (false, true): return 1
    case (false, false): return cut()
    }
    switch (a, b) {
    case (.string(var x), .string(var y)):
      return x.withUTF8 { p in y.withUTF8 { q in compareValueBytes(p, q) } }
    case (.bytes(let x), .bytes(let y)):
      return x.withUnsafeBufferPointer { p in
        y.withUnsafeBufferPointer { q in compareValueBytes(p, q) }
      }
    case (.reference(let x), .reference(let y)): return compareIDs(x.segments, y.segments)
    case (.array(let x), .array(let y)): return compareArrays(x, y)
    case (.vector(let x), .vector(let y)): return compareVectors(x.array, y.array)
    case (.map(let x), .map(let y)): return compareMaps(x, y)
    default:
      let order = Value.compare(a, b)
      if order == 0 { left -= a.wholeCost }
      return order
    }
  }

  private mutating func cut() -> Int {
    isCut = true
    return 0
  }

  private mutating func compareArrays(_ x: [Value], _ y: [Value]) -> Int {
    if x.isEmpty, y.isEmpty { left -= 1 }
    for (p, q) in zip(x, y) {
      let order = compare(p, q)
      if order != 0 || isCut { return order }
    }
    return x.count == y.count ? 0 : (x.count < y.count ? -1 : 1)
  }

  private mutating func compareMaps(_ x: Fields, _ y: Fields) -> Int {
    if x.isEmpty, y.isEmpty { left -= 1 }
    for (p, q) in zip(x, y) {
      if left == 0 { return cut() }
      var first = p.name
      var second = q.name
      let names = first.withUTF8 { f in second.withUTF8 { s in compareBytes(f, s) } }
      if names != 0 || isCut { return names }
      let values = compare(p.value, q.value)
      if values != 0 || isCut { return values }
    }
    return x.count == y.count ? 0 : (x.count < y.count ? -1 : 1)
  }

  private mutating func compareVectors(_ x: [Double], _ y: [Double]) -> Int {
    if x.count != y.count { return x.count < y.count ? -1 : 1 }
    if x.isEmpty { left -= 1 }
    for (p, q) in zip(x, y) {
      if left < 8 { return cut() }
      let order = Value.compareDoubles(p, q)
      if order != 0 { return order }
      left -= 8
    }
    return 0
  }

  private mutating func compareIDs(_ x: [String], _ y: [String]) -> Int {
    for (p, q) in zip(x, y) {
      let (m, n) = (PathRules.numericID(p), PathRules.numericID(q))
      let fits = (
        left > 0 && (m == nil || p.utf8.count <= left),
        left > 0 && (n == nil || q.utf8.count <= left)
      )
      switch fits {
      case (true, true): break
      case (true, false): return -1
      case (false, true): return 1
      case (false, false): return cut()
      }
      if m != nil || n != nil {
        let order = PathRules.compareIDs(p, q)
        if order != 0 { return order }
        left -= p.utf8.count
      } else {
        var first = p
        var second = q
        let order = first.withUTF8 { f in second.withUTF8 { s in compareBytes(f, s) } }
        if order != 0 || isCut { return order }
      }
    }
    return x.count == y.count ? 0 : (x.count < y.count ? -1 : 1)
  }

  /// The bytes of a string or bytes value, where an empty one costs 1.
  private mutating func compareValueBytes(
    _ x: UnsafeBufferPointer<UInt8>, _ y: UnsafeBufferPointer<UInt8>
  ) -> Int {
    if x.isEmpty, y.isEmpty { left -= 1 }
    return compareBytes(x, y)
  }

  private mutating func compareBytes(
    _ x: UnsafeBufferPointer<UInt8>, _ y: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let order = UTF8Order.compare(
      UnsafeBufferPointer(rebasing: x.prefix(left)), UnsafeBufferPointer(rebasing: y.prefix(left)))
    if order != 0 { return order }
    switch (x.count > left, y.count > left) {
    case (true, true): return cut()
    case (true, false): return 1
    case (false, true): return -1
    case (false, false):
      left -= x.count
      return 0
    }
  }
}

extension Value {
  /// What must be left of the budget for the value to begin at all.
  fileprivate var wholeCost: Int {
    switch self {
    case .integer, .double, .timestamp, .geoPoint: 8
    default: 1
    }
  }
}
