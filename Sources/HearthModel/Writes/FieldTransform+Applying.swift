extension FieldTransform {
  /// Combines the operand with the value now at the path (documents-and-queries, 4.4).
  ///
  /// `requestTime` is already cut to milliseconds. The second value is what the caller is told:
  /// null for array transforms.
  func apply(to fields: inout Fields, requestTime: Timestamp) -> Value {
    let current = fields.value(at: path)
    let value: Value
    var isArrayTransform = false
    switch kind {
    case .serverTimestamp: value = .timestamp(requestTime)
    case .increment(let operand): value = FieldTransform.sum(current, operand)
    case .maximum(let operand): value = FieldTransform.extremum(current, operand, sign: 1)
    case .minimum(let operand): value = FieldTransform.extremum(current, operand, sign: -1)
    case .arrayUnion(let operands):
      value = FieldTransform.union(current, operands.map(\.normalizedForStorage))
      isArrayTransform = true
    case .arrayRemove(let operands):
      value = FieldTransform.removing(current, operands.map(\.normalizedForStorage))
      isArrayTransform = true
    }
    let stored = value.normalizedForStorage
    fields.set(stored, at: path)
    return isArrayTransform ? .null : stored
  }

  private static func sum(_ current: Value?, _ operand: Value) -> Value {
    switch (current, operand) {
    case (.integer(let x)?, .integer(let y)):
      let (sum, overflow) = x.addingReportingOverflow(y)
      return .integer(overflow ? (y < 0 ? .min : .max) : sum)
    case (let current?, _) where current.rank == .number:
      return .double(current.asDouble + operand.asDouble)
    default: return operand
    }
  }

  /// The larger operand for sign 1, the smaller for -1; of equal ones the current value stays.
  private static func extremum(_ current: Value?, _ operand: Value, sign: Int) -> Value {
    guard let current, current.rank == .number else { return operand }
    if current.isNaN || operand.isNaN { return .double(.nan) }
    return Value.compare(operand, current) * sign > 0 ? operand : current
  }

  private static func union(_ current: Value?, _ operands: [Value]) -> Value {
    let elements = current?.elements ?? []
    let present = elements.sorted { Value.compare($0, $1) < 0 }
    // Of equal operands the first spelling wins; then back to the order they came in.
    let sorted = operands.enumerated().sorted { a, b in
      let order = Value.compare(a.element, b.element)
      return order != 0 ? order < 0 : a.offset < b.offset
    }
    var added: [(offset: Int, element: Value)] = []
    for (position, operand) in sorted.enumerated() {
      if position > 0, Value.compare(sorted[position - 1].element, operand.element) == 0 {
        continue
      }
      if !contains(present, operand.element) { added.append(operand) }
    }
    added.sort { $0.offset < $1.offset }
    return .array(elements + added.map(\.element))
  }

  /// Binary search, since both sides may have tens of thousands of elements and the committer
  /// waits.
  private static func contains(_ sorted: [Value], _ value: Value) -> Bool {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      let order = Value.compare(sorted[middle], value)
      if order == 0 { return true }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return false
  }

  private static func removing(_ current: Value?, _ operands: [Value]) -> Value {
    let removed = operands.sorted { Value.compare($0, $1) < 0 }
    return .array((current?.elements ?? []).filter { !contains(removed, $0) })
  }
}

extension Value {
  /// A number as a double, 0 for everything else.
  fileprivate var asDouble: Double {
    switch self {
    case .integer(let x): Double(x)
    case .double(let x): x
    default: 0
    }
  }

  /// The elements of an array, nil for everything else.
  fileprivate var elements: [Value]? {
    if case .array(let x) = self { return x }
    return nil
  }
}
