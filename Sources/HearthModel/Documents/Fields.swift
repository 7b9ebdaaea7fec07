/// The fields of a document or of a map value, sorted by the UTF-8 bytes of their names.
///
/// A Swift dictionary keyed by `String` would merge names that are canonically equivalent but
/// differ in bytes; Firestore keeps them apart, and so does this.
public struct Fields: Sendable, Equatable, Hashable, RandomAccessCollection {
  /// One field: its name and its value.
  public struct Element: Sendable, Equatable, Hashable {
    /// The field's name.
    public let name: String
    /// The field's value.
    public var value: Value

    /// Makes a field.
    public init(name: String, value: Value) {
      self.name = name
      self.value = value
    }

    /// Same bytes in the name, and storage identity of the values.
    public static func == (a: Element, b: Element) -> Bool {
      UTF8Order.equal(a.name, b.name) && a.value == b.value
    }

    /// Hashes in agreement with `==`.
    public func hash(into hasher: inout Hasher) {
      hasher.combineUTF8(name)
      hasher.combine(value)
    }
  }

  private var elements: [Element]

  /// Makes an empty set of fields.
  public init() { elements = [] }

  /// Makes fields from pairs; of several values for one name the last one stays.
  public init(_ pairs: some Sequence<(String, Value)>) {
    self.init()
    for (name, value) in pairs { self[name] = value }
  }

  /// Adopts elements that are known to be sorted by name bytes and unique, as a decoder has them.
  package init(sorted elements: [Element]) { self.elements = elements }

  /// The position of the first field.
  public var startIndex: Int { 0 }
  /// The position after the last field.
  public var endIndex: Int { elements.count }
  /// The field at a position, in name order.
  public subscript(position: Int) -> Element { elements[position] }

  /// The value of a field, nil if it is missing.
  ///
  /// Setting nil removes the field.
  public subscript(name: String) -> Value? {
    get {
      let (position, found) = find(name)
      return found ? elements[position].value : nil
    }
    set {
      let (position, found) = find(name)
      switch (found, newValue) {
      case (true, let value?): elements[position].value = value
      case (true, nil): elements.remove(at: position)
      case (false, let value?):
        elements.insert(Element(name: name, value: value), at: position)
      case (false, nil): break
      }
    }
  }

  /// Binary search: the position of the name, or where it would be inserted.
  private func find(_ name: String) -> (position: Int, found: Bool) {
    var low = 0
    var high = elements.count
    // Decoders and builders add fields in order, so look at the end first.
    if let last = elements.last {
      let order = UTF8Order.compare(last.name, name)
      if order < 0 { return (high, false) }
      if order == 0 { return (high - 1, true) }
    }
    while low < high {
      let middle = (low + high) / 2
      let order = UTF8Order.compare(elements[middle].name, name)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }
}

extension Fields {
  /// The value at a field path, walking maps only; nil if missing (documents-and-queries, 3.2).
  package func value(at path: FieldPath) -> Value? {
    var current = self
    var iterator = path.segments.makeIterator()
    guard var segment = iterator.next() else { return nil }
    while let value = current[segment] {
      guard let next = iterator.next() else { return value }
      guard case .map(let inner) = value else { return nil }
      current = inner
      segment = next
    }
    return nil
  }

  /// Sets the value at a path, making maps on the way and replacing what is not a map.
  package mutating func set(_ value: Value, at path: FieldPath) {
    set(value, at: path.segments[...])
  }

  private mutating func set(_ value: Value, at segments: ArraySlice<String>) {
    guard let first = segments.first else { return }
    if segments.count == 1 {
      self[first] = value
      return
    }
    var inner = Fields()
    if case .map(let existing)? = self[first] { inner = existing }
    inner.set(value, at: segments.dropFirst())
    self[first] = .map(inner)
  }

  /// Deletes the value at a path; a no-op where the parents are not all maps.
  package mutating func remove(at path: FieldPath) { remove(at: path.segments[...]) }

  private mutating func remove(at segments: ArraySlice<String>) {
    guard let first = segments.first else { return }
    if segments.count == 1 {
      self[first] = nil
      return
    }
    guard case .map(var inner)? = self[first] else { return }
    inner.remove(at: segments.dropFirst())
    self[first] = .map(inner)
  }
}

extension Fields {
  /// Only the values at these paths, with the maps around them (documents-and-queries, 5.7).
  ///
  /// Missing paths are left out, and `__name__` is no field.
  package func projected(to paths: [FieldPath]) -> Fields {
    var kept = Fields()
    // Shorter paths last, so that a whole map is not cut down again by a path into it.
    for path in paths.sorted(by: >) {
      if let value = value(at: path) { kept.set(value, at: path) }
    }
    return kept
  }
}

extension Fields: ExpressibleByDictionaryLiteral {
  /// Makes fields from a literal.
  public init(dictionaryLiteral elements: (String, Value)...) { self.init(elements) }
}
