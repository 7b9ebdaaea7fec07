import HearthModel

extension ValueInterval {
  /// The values that an inequality filter admits, as disjoint intervals in ascending order.
  ///
  /// Empty if nothing can match (5.2, 5.3); nil for filters that are no inequalities.
  static func admitted(by filter: FieldFilter) -> [ValueInterval]? {
    switch filter.op {
    case .lessThan: range(filter.value, upper: Endpoint(filter.value, inclusive: false))
    case .lessThanOrEqual: range(filter.value, upper: Endpoint(filter.value, inclusive: true))
    case .greaterThan: range(filter.value, lower: Endpoint(filter.value, inclusive: false))
    case .greaterThanOrEqual: range(filter.value, lower: Endpoint(filter.value, inclusive: true))
    case .notEqual: allBut([filter.value])
    case .notIn:
      if case .array(let values) = filter.value { allBut(values) } else { allBut([filter.value]) }
    case .isNotNull: [ValueInterval(lower: aboveNull, upper: nil)]
    case .isNotNaN: allBut([.double(.nan)])
    case .equal, .arrayContains, .arrayContainsAny, .in, .isNull, .isNaN: nil
    }
  }

  /// Null is below everything, and no negation matches it.
  private static let aboveNull = Endpoint(.null, inclusive: false)

  /// A range stays within the type of its operand; null and NaN are in no range.
  private static func range(
    _ operand: Value, lower: Endpoint? = nil, upper: Endpoint? = nil
  ) -> [ValueInterval] {
    if operand.isNull || operand.isNaN { return [] }
    return [ValueInterval(lower: lower, upper: upper, bracket: operand.rank)]
  }

  /// Everything above null except some values; a null among them rules out everything.
  private static func allBut(_ values: [Value]) -> [ValueInterval] {
    if values.contains(where: \.isNull) { return [] }
    var intervals: [ValueInterval] = []
    var lower = aboveNull
    for value in values.sorted(by: { Value.compareIndexForms($0, $1) < 0 }) {
      // Operands that are equal in queries, such as 1 and 1.0, leave one gap.
      if Value.compareIndexForms(value, lower.value) == 0 { continue }
      intervals.append(ValueInterval(lower: lower, upper: Endpoint(value, inclusive: false)))
      lower = Endpoint(value, inclusive: false)
    }
    return intervals + [ValueInterval(lower: lower, upper: nil)]
  }

  /// What two unions of disjoint ascending intervals have in common, again disjoint and ascending.
  static func intersection(_ a: [ValueInterval], _ b: [ValueInterval]) -> [ValueInterval] {
    a.flatMap { x in b.compactMap { x.intersection($0) } }
  }

  /// What two intervals have in common, nil if nothing.
  func intersection(_ other: ValueInterval) -> ValueInterval? {
    if let a = bracket, let b = other.bracket, a != b { return nil }
    return ValueInterval(
      lower: ValueInterval.tighter(lower, other.lower, sign: 1),
      upper: ValueInterval.tighter(upper, other.upper, sign: -1),
      bracket: bracket ?? other.bracket
    ).reduced
  }

  /// The tighter of two ends; `sign` is 1 for lower ends and -1 for upper ones.
  private static func tighter(_ a: Endpoint?, _ b: Endpoint?, sign: Int) -> Endpoint? {
    guard let a, let b else { return a ?? b }
    let order = Value.compareIndexForms(a.value, b.value) * sign
    return order == 0 ? (a.inclusive ? b : a) : (order > 0 ? a : b)
  }

  /// The same values with both ends inside the bracket, nil if there are none.
  private var reduced: ValueInterval? {
    var lower = lower
    var upper = upper
    if let bracket {
      if let end = lower, end.value.rank != bracket || end.value.isNaN {
        if end.value.rank > bracket { return nil }
        lower = nil
      }
      if let end = upper, end.value.rank != bracket || end.value.isNaN {
        if end.value.rank <= bracket { return nil }
        upper = nil
      }
    }
    if let lower, let upper {
      let order = Value.compareIndexForms(lower.value, upper.value)
      if order > 0 || (order == 0 && !(lower.inclusive && upper.inclusive)) { return nil }
    }
    return ValueInterval(lower: lower, upper: upper, bracket: bracket)
  }
}
