package import HearthModel

/// Reading one index: fixed leading values, then ranges over what follows.
///
/// Fields present in the index are present in the document (6.1), so a scan never has to ask
/// whether an ordered field exists.
package struct IndexScan: Sendable, Hashable {
  /// The logical index, as declared or automatic.
  ///
  /// The name index is `(__name__ ASC)`.
  package let index: IndexDefinition
  /// Values of the leading fields of `index`, in its order: equalities, null for IS_NULL, NaN for
  /// IS_NAN, and the element of `array-contains`.
  package let prefix: [Value]
  /// The fields after the prefix, as the query orders them, ending in `__name__`.
  ///
  /// They are those of `index`, directions included, except under the one relaxation of 6.4, where
  /// `__name__` may run against the index. So take the direction of reading from here.
  package let suffix: [OrderBy]
  /// Restrictions on the first suffix field if that is not `__name__`: disjoint, in scan order.
  ///
  /// Empty means unrestricted.
  package let intervals: [ValueInterval]
  /// Restrictions on later suffix fields, to be checked on each entry.
  package let residuals: [Residual]
  /// The restriction on `__name__`: a range of the scan if it is the first suffix field, else
  /// checked on each entry.
  package let names: NameInterval?
  /// Where to start within the suffix.
  package let start: SuffixBound?
  /// Where to end within the suffix.
  package let end: SuffixBound?

  package init(
    index: IndexDefinition, prefix: [Value], suffix: [OrderBy], intervals: [ValueInterval] = [],
    residuals: [Residual] = [], names: NameInterval? = nil, start: SuffixBound? = nil,
    end: SuffixBound? = nil
  ) {
    self.index = index
    self.prefix = prefix
    self.suffix = suffix
    self.intervals = intervals
    self.residuals = residuals
    self.names = names
    self.start = start
    self.end = end
  }

  /// The direction in which `index.physical`, which has `__name__` ascending, is read.
  package var direction: Direction { suffix.last?.direction ?? .ascending }

  /// How many separate ranges are read, which is how often explain lists the index (section 7).
  package var rangeCount: Int {
    if suffix.count > 1 { return max(1, intervals.count) }
    return 1 + (names?.excluded.count ?? 0)
  }
}

/// A restriction on a suffix field that does not bound the scan.
package struct Residual: Sendable, Hashable {
  /// The position of the field in the suffix; never 0.
  package let position: Int
  /// The value must lie in one of these.
  package let intervals: [ValueInterval]

  package init(position: Int, intervals: [ValueInterval]) {
    self.position = position
    self.intervals = intervals
  }

  package func admits(_ value: Value) -> Bool { intervals.contains { $0.contains(value) } }
}

/// A cursor reduced to the suffix of an index: fields fixed by equality are compared at planning
/// and dropped.
package struct SuffixBound: Sendable, Hashable {
  /// Values in suffix order; that of `__name__` is a reference.
  package let values: [Value]
  /// Whether documents that are equal on `values` are kept.
  package let inclusive: Bool
  /// The suffix positions of `values`: 0, 1, 2… unless aggregated fields, which no cursor names,
  /// stand before `__name__`.
  package let positions: [Int]

  package init(values: [Value], inclusive: Bool, positions: [Int]? = nil) {
    self.values = values
    self.inclusive = inclusive
    self.positions = positions ?? Array(values.indices)
  }
}
