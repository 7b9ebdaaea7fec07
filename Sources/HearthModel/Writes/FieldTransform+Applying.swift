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
    var elements = current?.elements ?? []
    for operand in operands
    where !elements.contains(where: { Value.compare($0, operand) == 0 }) {
      elements.append(operand)
    }
    return .array(elements)
  }

  private static func removing(_ current: Value?, _ operands: [Value]) -> Value {
    let elements = current?.elements ?? []
    return .array(
      elements.filter { element in
        !operands.contains { Value.compare($0, element) == 0 }
      })
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
