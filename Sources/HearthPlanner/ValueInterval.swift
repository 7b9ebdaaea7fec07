package import HearthModel

/// A range of values, in ascending terms of the total order of 2.2.
package struct ValueInterval: Sendable, Hashable {
  /// One end of an interval.
  package struct Endpoint: Sendable, Hashable {
    package let value: Value
    package let inclusive: Bool

    package init(_ value: Value, inclusive: Bool) {
      self.value = value
      self.inclusive = inclusive
    }
  }

  /// The lower end; nil means the start of the bracket, or of all values without one.
  package let lower: Endpoint?
  /// The upper end; nil means the end of the bracket, or of all values without one.
  package let upper: Endpoint?
  /// Set for `< <= > >=`: only values of this rank, and never NaN (5.2).
  ///
  /// Both ends then have this rank. Nil for negations, which compare over all types.
  package let bracket: Value.Rank?

  package init(lower: Endpoint?, upper: Endpoint?, bracket: Value.Rank? = nil) {
    self.lower = lower
    self.upper = upper
    self.bracket = bracket
  }

  /// Whether a value lies in the interval.
  package func contains(_ value: Value) -> Bool {
    if let bracket, value.rank != bracket || value.isNaN { return false }
    if let lower {
      let order = Value.compareIndexForms(value, lower.value)
      if order < 0 || (order == 0 && !lower.inclusive) { return false }
    }
    if let upper {
      let order = Value.compareIndexForms(value, upper.value)
      if order > 0 || (order == 0 && !upper.inclusive) { return false }
    }
    return true
  }
}

/// A range of document names, minus single names.
package struct NameInterval: Sendable, Hashable {
  /// One end of an interval.
  package struct Endpoint: Sendable, Hashable {
    package let path: DocumentPath
    package let inclusive: Bool

    package init(_ path: DocumentPath, inclusive: Bool) {
      self.path = path
      self.inclusive = inclusive
    }
  }

  package let lower: Endpoint?
  package let upper: Endpoint?
  /// Names ruled out by `!=` and `not-in`: distinct, in ascending order, within the ends.
  package let excluded: [DocumentPath]

  package init(lower: Endpoint?, upper: Endpoint?, excluded: [DocumentPath] = []) {
    self.lower = lower
    self.upper = upper
    self.excluded = excluded
  }

  /// Whether a name lies in the interval.
  package func contains(_ path: DocumentPath) -> Bool {
    isWithinEnds(path) && !excluded.contains(path)
  }

  /// Whether a name lies between the ends, exclusions aside.
  func isWithinEnds(_ path: DocumentPath) -> Bool {
    if let lower {
      let order = DocumentPath.compare(path, lower.path)
      if order < 0 || (order == 0 && !lower.inclusive) { return false }
    }
    if let upper {
      let order = DocumentPath.compare(path, upper.path)
      if order > 0 || (order == 0 && !upper.inclusive) { return false }
    }
    return true
  }
}
