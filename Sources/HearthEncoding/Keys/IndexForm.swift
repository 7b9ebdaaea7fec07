import HearthModel

/// Writes one value's index form and keeps its budget.
///
/// A leaf is written whole while any budget is left, text up to the budget. Whatever would follow
/// once it is used up is dropped: the ends written since then are taken back and one mark closes
/// the form. So forms with equal retained content are equal bytes wherever they were cut, and a
/// truncated one differs from the whole value of the same content only in that mark, which is
/// above every end.
struct IndexForm {
  private var budget = ValueKey.budget
  /// The key's length when the budget ran out, before any end was written.
  private var cut = 0
  /// Whether the cut lies inside text, where the mark needs an escape.
  private var cutInText = false

  /// Appends a value.
  ///
  /// False means that the form was truncated and is complete.
  mutating func append(_ value: Value, to key: inout [UInt8]) -> Bool {
    guard budget > 0 else { return truncate(&key) }
    switch value {
    case .null: return scalar(ValueKey.Tag.null, &key)
    case .boolean(let flag): return scalar(flag ? ValueKey.Tag.true : ValueKey.Tag.false, &key)
    case .integer(let number):
      NumberKey.append(number, to: &key)
      return spend(8, key)
    case .double(let number):
      NumberKey.append(number, to: &key)
      return spend(8, key)
    case .timestamp(let time):
      key.append(ValueKey.Tag.timestamp)
      NumberKey.appendSortable(time.seconds, to: &key)
      NumberKey.appendSortable(time.nanoseconds, to: &key)
      return spend(8, key)
    case .string(let string):
      key.append(ValueKey.Tag.string)
      return text(string, &key)
    case .bytes(let bytes):
      key.append(ValueKey.Tag.bytes)
      return bytes.withUnsafeBufferPointer { text($0, &key) }
    case .reference(let path): return reference(path, &key)
    case .geoPoint(let point):
      key.append(ValueKey.Tag.geoPoint)
      NumberKey.appendSortable(point.latitude, to: &key)
      NumberKey.appendSortable(point.longitude, to: &key)
      return spend(8, key)
    case .array(let elements):
      key.append(ValueKey.Tag.array)
      for element in elements where !append(element, to: &key) { return false }
      key.append(ValueKey.Tag.end)
      return elements.isEmpty ? spend(1, key) : true
    case .vector(let vector): return self.vector(vector.array, &key)
    case .map(let fields): return map(fields, &key)
    }
  }

  private mutating func scalar(_ tag: UInt8, _ key: inout [UInt8]) -> Bool {
    key.append(tag)
    return spend(1, key)
  }

  /// Takes the price of a leaf that was just written.
  private mutating func spend(_ price: Int, _ key: [UInt8]) -> Bool {
    budget -= price
    if budget <= 0 {
      budget = 0
      cut = key.count
      cutInText = false
    }
    return true
  }

  private mutating func truncate(_ key: inout [UInt8]) -> Bool {
    key.removeLast(key.count - cut)
    if cutInText {
      key.append(0)
      key.append(ValueKey.Escape.truncated)
    } else {
      key.append(ValueKey.Tag.truncated)
    }
    return false
  }

  private mutating func text(_ string: String, _ key: inout [UInt8]) -> Bool {
    var string = string
    return string.withUTF8 { text($0, &key) }
  }

  private mutating func text(
    _ bytes: UnsafeBufferPointer<UInt8>, _ key: inout [UInt8]
  ) -> Bool {
    if bytes.count > budget {
      TextKey.appendEscaped(UnsafeBufferPointer(rebasing: bytes[..<budget]), to: &key)
      budget = 0
      key.append(0)
      key.append(ValueKey.Escape.truncated)
      return false
    }
    TextKey.appendEscaped(bytes, to: &key)
    // Empty text costs something too, or any number of it would fit.
    budget -= max(1, bytes.count)
    if budget == 0 {
      cut = key.count
      cutInText = true
    }
    key.append(0)
    key.append(ValueKey.Escape.end)
    return true
  }

  private mutating func reference(_ path: DocumentPath, _ key: inout [UInt8]) -> Bool {
    key.append(ValueKey.Tag.reference)
    for id in path.collection.segments where !segment(id, &key) { return false }
    guard segment(path.id, &key) else { return false }
    key.append(ValueKey.Tag.end)
    return true
  }

  private mutating func segment(_ id: String, _ key: inout [UInt8]) -> Bool {
    guard budget > 0 else { return truncate(&key) }
    if let number = TextKey.numericID(id) {
      key.append(ValueKey.Tag.numericID)
      NumberKey.appendSortable(number, to: &key)
      return spend(id.utf8.count, key)
    }
    key.append(ValueKey.Tag.string)
    return text(id, &key)
  }

  private mutating func map(_ fields: Fields, _ key: inout [UInt8]) -> Bool {
    key.append(ValueKey.Tag.map)
    for field in fields {
      guard budget > 0 else { return truncate(&key) }
      key.append(ValueKey.Tag.string)
      guard text(field.name, &key), append(field.value, to: &key) else { return false }
    }
    key.append(ValueKey.Tag.end)
    return fields.isEmpty ? spend(1, key) : true
  }

  /// Vectors sort by dimension, which costs nothing, then by components.
  ///
  /// The number of components that follow is written too: it depends on the dimension and on the
  /// budget left, which are equal wherever two keys agree so far, so it never decides an order.
  private mutating func vector(_ components: [Double], _ key: inout [UInt8]) -> Bool {
    let retained = min(components.count, (budget + 7) / 8)
    key.append(ValueKey.Tag.vector)
    NumberKey.appendBigEndian(UInt32(clamping: components.count), to: &key)
    NumberKey.appendBigEndian(UInt32(clamping: retained), to: &key)
    for component in components[..<retained] {
      NumberKey.appendSortable(component, to: &key)
    }
    if retained < components.count {
      key.append(ValueKey.Tag.truncated)
      return false
    }
    return spend(max(1, 8 * retained), key)
  }
}
