/// Folds documents into the results of aggregations (documents-and-queries, 5.8).
package struct Aggregator: Sendable {
  private let list: AggregationList
  /// The aggregated fields, in the order in which `add` takes their values.
  package let paths: [FieldPath]
  private var count = 0
  private var totals: [NumberTotal]

  package init(_ list: AggregationList) {
    self.list = list
    paths = list.paths
    totals = Array(repeating: NumberTotal(), count: paths.count)
  }

  /// Counts a document that has every aggregated field; `values` are parallel to `paths`.
  package mutating func add(_ values: [Value]) {
    count += 1
    for (position, value) in values.enumerated() { totals[position].add(value) }
  }

  /// The results, in the order of the aggregations.
  package var results: [Value] {
    list.kinds.map { kind in
      switch kind {
      case .count(let cap): .integer(Int64(cap.map { min($0, count) } ?? count))
      case .sum(let path): total(of: path).sum
      case .average(let path): total(of: path).average
      }
    }
  }

  private func total(of path: FieldPath) -> NumberTotal {
    paths.firstIndex(of: path).map { totals[$0] } ?? NumberTotal()
  }
}

/// The numbers of one field: their sum and their count.
struct NumberTotal: Sendable {
  /// Exact: no number of documents overflows 128 bits.
  private var integers: Int128 = 0
  /// All numbers as doubles, added in the order in which they came.
  private var running = 0.0
  private var hasDouble = false
  private var count = 0

  /// Takes a value; what is not a number is passed over.
  mutating func add(_ value: Value) {
    switch value {
    case .integer(let number):
      integers += Int128(number)
      running += Double(number)
    case .double(let number):
      running += number
      hasDouble = true
    default: return
    }
    count += 1
  }

  private var total: Double { hasDouble ? running : Double(integers) }

  /// An integer where all are integers and the exact total fits, else a double.
  var sum: Value {
    if !hasDouble, let exact = Int64(exactly: integers) { return .integer(exact) }
    return .double(total)
  }

  /// The sum as a double, divided; null over no numbers.
  var average: Value { count == 0 ? .null : .double(total / Double(count)) }
}
