package import HearthModel

extension ReferenceQuery {
  /// The results of aggregations over the documents of a query (documents-and-queries, 5.8).
  ///
  /// With sums or averages the query behaves as one that also orders by their fields, before the
  /// name: a document without one of them takes part in nothing, and cursors, offset and limit
  /// look at what remains.
  package static func aggregate(
    _ query: StructuredQuery, _ aggregations: [Aggregation], _ documents: [ReferenceDocument]
  ) -> [(alias: String, value: Value)] {
    let paths = aggregations.compactMap(\.summed)
    let rows = ReferenceQuery(query, aggregating: paths).rows(documents)
    var unnamed = 0
    return aggregations.map { aggregation in
      if aggregation.alias == nil { unnamed += 1 }
      return (
        aggregation.alias?.string ?? "field_\(unnamed)", result(aggregation.kind, rows)
      )
    }
  }

  private static func result(_ kind: Aggregation.Kind, _ rows: [ReferenceDocument]) -> Value {
    switch kind {
    case .count(let cap): return .integer(Int64(min(rows.count, cap ?? .max)))
    case .sum(let path):
      let numbers = numbers(path, rows)
      if let exact = exactSum(numbers), let sum = Int64(exactly: exact) { return .integer(sum) }
      return .double(sum(numbers))
    case .average(let path):
      let numbers = numbers(path, rows)
      return numbers.isEmpty ? .null : .double(sum(numbers) / Double(numbers.count))
    }
  }

  private static func numbers(_ path: FieldPath, _ rows: [ReferenceDocument]) -> [Value] {
    rows.compactMap { row in
      switch row.value(path) {
      case .integer(let number)?: .integer(number)
      case .double(let number)?: .double(number)
      default: nil
      }
    }
  }

  /// The exact sum, nil if one of the numbers is a double.
  private static func exactSum(_ numbers: [Value]) -> Int128? {
    var sum: Int128 = 0
    for number in numbers {
      guard case .integer(let integer) = number else { return nil }
      sum += Int128(integer)
    }
    return sum
  }

  /// The sum as a double: the exact one of integers, else added up in result order.
  private static func sum(_ numbers: [Value]) -> Double {
    if let exact = exactSum(numbers) { return Double(exact) }
    var sum = 0.0
    for number in numbers {
      if case .integer(let integer) = number { sum += Double(integer) }
      if case .double(let double) = number { sum += double }
    }
    return sum
  }
}

extension Aggregation {
  /// The field of a sum or an average.
  var summed: FieldPath? {
    switch kind {
    case .sum(let path), .average(let path): path
    case .count: nil
    }
  }
}
