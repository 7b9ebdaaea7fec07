/// What an index, a filter, an order and a cursor see of a value (documents-and-queries, 2.4).
///
/// Values are walked in comparison order with a budget of 1500. The encoding of index keys
/// follows the same rule on bytes:
///
/// - null and booleans cost 1; integers, doubles, timestamps, geopoints and each component of a
///   vector cost 8; each byte of a string, of a bytes value, of a reference's ids and of a map's
///   keys costs 1. Empty text and empty containers cost 1, so that no number of them is free;
///   other containers and a vector's dimension cost nothing themselves.
/// - A fixed-cost leaf (a numeric id is one, at the cost of its bytes) is kept whole while any
///   budget is left; what it overspends is forgiven. Text is cut at the byte where the budget ends.
/// - With nothing left, whatever would begin (an element, a map entry, an entry's value, an id, a
///   component, even if it is empty) is dropped, and the form is *truncated*. Only ends of
///   containers may follow the end of the budget in a form that is not.
/// - Of two forms with equal retained content the one that is not truncated is smaller; two
///   truncated ones are equal, wherever their cuts lie in the structure.
///
/// Values that are equal so far have spent the same, so comparing needs one budget and no copy.
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
    var walk = IndexFormComparison()
    _ = walk.compare(value, value)
    return walk.firstHasMore
  }
}

extension Value {
  /// The part of this value that takes part in queries.
  package var indexForm: IndexForm { IndexForm(self) }

  /// The total order as queries see it: that of `compare` over index forms.
  package static func compareIndexForms(_ a: Value, _ b: Value) -> Int {
    if a.rank != b.rank || a.isShort { return compare(a, b) }
    var walk = IndexFormComparison()
    let order = walk.compare(a, b)
    return order != 0 ? order : walk.orderOfTruncation
  }

  /// Whether a value of this type alone cannot use up the budget.
  private var isShort: Bool {
    switch self {
    case .null, .boolean, .integer, .double, .timestamp, .geoPoint: true
    case .string, .bytes, .reference, .array, .vector, .map: false
    }
  }
}

/// One walk over two values; see `IndexForm` for the rule.
///
/// Once the budget is used up with everything equal, what is left to learn is whether each value
/// goes on; the containers find out while the walk returns through them.
private struct IndexFormComparison {
  private var left = IndexForm.budget
  private(set) var firstHasMore = false
  private(set) var secondHasMore = false

  /// The order of two forms with equal retained content.
  var orderOfTruncation: Int {
    firstHasMore == secondHasMore ? 0 : (firstHasMore ? 1 : -1)
  }

  /// Compares two values that begin while some budget is left.
  mutating func compare(_ a: Value, _ b: Value) -> Int {
    switch (a, b) {
    case (.string(let x), .string(let y)): return compareText(x, y)
    case (.bytes(let x), .bytes(let y)):
      return x.withUnsafeBufferPointer { p in
        y.withUnsafeBufferPointer { q in compareBytes(p, q) }
      }
    case (.reference(let x), .reference(let y)): return compareIDs(x.segments, y.segments)
    case (.array(let x), .array(let y)): return compareArrays(x, y)
    case (.vector(let x), .vector(let y)): return compareVectors(x.array, y.array)
    case (.map(let x), .map(let y)): return compareMaps(x, y)
    default:
      let order = Value.compare(a, b)
      if order == 0 { spend(a.rank <= .boolean ? 1 : 8) }
      return order
    }
  }

  private mutating func spend(_ cost: Int) { left = max(0, left - cost) }

  /// Takes the price of a container that is empty on both sides.
  private mutating func spendIfEmpty(_ x: Int, _ y: Int) { if x == 0, y == 0 { spend(1) } }

  /// Notes at the end of the budget, or after all that two containers share, which one goes on.
  private mutating func end(at position: Int, _ x: Int, _ y: Int) -> Int {
    if left == 0 {
      if position < x { firstHasMore = true }
      if position < y { secondHasMore = true }
      return 0
    }
    return x == y ? 0 : (x < y ? -1 : 1)
  }

  private mutating func compareArrays(_ x: [Value], _ y: [Value]) -> Int {
    var position = 0
    while left > 0, position < x.count, position < y.count {
      let order = compare(x[position], y[position])
      if order != 0 { return order }
      position += 1
    }
    spendIfEmpty(x.count, y.count)
    return end(at: position, x.count, y.count)
  }

  private mutating func compareMaps(_ x: Fields, _ y: Fields) -> Int {
    var position = 0
    while left > 0, position < x.count, position < y.count {
      let names = compareText(x[position].name, y[position].name)
      if names != 0 { return names }
      if left == 0 {
        // The values are dropped on both sides.
        (firstHasMore, secondHasMore) = (true, true)
        return 0
      }
      let values = compare(x[position].value, y[position].value)
      if values != 0 { return values }
      position += 1
    }
    spendIfEmpty(x.count, y.count)
    return end(at: position, x.count, y.count)
  }

  /// Vectors of one dimension; others differ before the budget matters.
  private mutating func compareVectors(_ x: [Double], _ y: [Double]) -> Int {
    if x.count != y.count { return x.count < y.count ? -1 : 1 }
    var position = 0
    while left > 0, position < x.count {
      let order = Value.compareDoubles(x[position], y[position])
      if order != 0 { return order }
      spend(8)
      position += 1
    }
    spendIfEmpty(x.count, y.count)
    return end(at: position, x.count, y.count)
  }

  private mutating func compareIDs(_ x: [String], _ y: [String]) -> Int {
    var position = 0
    while left > 0, position < x.count, position < y.count {
      let (p, q) = (x[position], y[position])
      let order: Int
      if PathRules.numericID(p) != nil || PathRules.numericID(q) != nil {
        order = PathRules.compareIDs(p, q)
        if order == 0 { spend(p.utf8.count) }
      } else {
        order = compareText(p, q)
      }
      if order != 0 { return order }
      position += 1
    }
    return end(at: position, x.count, y.count)
  }

  private mutating func compareText(_ x: String, _ y: String) -> Int {
    var x = x
    var y = y
    return x.withUTF8 { p in y.withUTF8 { q in compareBytes(p, q) } }
  }

  private mutating func compareBytes(
    _ x: UnsafeBufferPointer<UInt8>, _ y: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let order = UTF8Order.compare(
      UnsafeBufferPointer(rebasing: x.prefix(left)), UnsafeBufferPointer(rebasing: y.prefix(left)))
    if order != 0 { return order }
    if x.count > left { firstHasMore = true }
    if y.count > left { secondHasMore = true }
    spend(max(1, x.count))
    return 0
  }
}
