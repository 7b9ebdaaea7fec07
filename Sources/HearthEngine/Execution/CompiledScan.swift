import HearthEncoding
import HearthModel
import HearthPlanner
import HearthStorage

/// An index scan in terms of bytes: what the executor walks.
///
/// It never changes, and is a class because it is looked at for every entry: as a struct it would
/// be copied out of its owner each time.
final class CompiledScan {
  /// A check on one component behind the prefix, `__name__` not included.
  struct Check {
    var position: Int
    /// Where the component may lie.
    var ranges: [SuffixRange]
  }

  /// The bytes that every entry of the scan begins with.
  let prefix: [UInt8]
  /// Where the components of the prefix begin, and whether they are complemented.
  let lead: [(offset: Int, descending: Bool)]
  let descending: Bool
  /// In scan order.
  let ranges: [SuffixRange]
  /// For each suffix field before the name: whether its component is complemented.
  let complemented: [Bool]
  let checks: [Check]
  /// Checks on the name component, where it does not bound the scan.
  let names: SuffixRange?
  /// Names that are ruled out one by one.
  let excludedNames: [[UInt8]]

  /// Compiles a scan.
  ///
  /// `keyPrefix` is what the keys of the tree begin with for the documents of `space`.
  init(_ scan: IndexScan, keyPrefix: [UInt8], _ space: NameSpace) {
    let descending = scan.direction == .descending
    var prefix = keyPrefix
    var lead: [(offset: Int, descending: Bool)] = []
    for (field, value) in zip(scan.index.physical.fields, scan.prefix) {
      lead.append((prefix.count, field.mode == .descending))
      ValueKey.append(value, descending: field.mode == .descending, to: &prefix)
    }
    let complemented = scan.suffix.dropLast().map { ($0.direction == .descending) != descending }
    let excluded = scan.names?.excluded.compactMap { space.name($0) } ?? []
    let admitted = (scan.names.map { CompiledScan.range($0, space) } ?? space.all)
      .intersected(with: space.all)
    let checksNames = !complemented.isEmpty && (scan.names != nil || space.isPartial)

    var ranges: [SuffixRange]
    if let first = complemented.first {
      ranges =
        scan.intervals.isEmpty
        ? [SuffixRange(lower: [], upper: nil)]
        : scan.intervals.map { CompiledScan.range($0, complemented: first) }
    } else {
      ranges = admitted.excluding(excluded)
      if descending { ranges.reverse() }
    }
    for (bound, isStart) in [(scan.start, true), (scan.end, false)] {
      guard let bound else { continue }
      let kept = CompiledScan.range(
        bound, complemented: complemented, keepsAbove: isStart != descending, space)
      ranges = ranges.map { $0.intersected(with: kept) }
    }

    self.prefix = prefix
    self.lead = lead
    self.descending = descending
    self.ranges = ranges.filter { !$0.isEmpty }
    self.complemented = complemented
    checks = scan.residuals.map { residual in
      let flag = complemented[residual.position]
      return Check(
        position: residual.position,
        ranges: residual.intervals.map { CompiledScan.range($0, complemented: flag) })
    }
    names = checksNames ? admitted : nil
    excludedNames = complemented.isEmpty ? [] : excluded
  }

  /// An interval of values as a range of component bytes.
  static func range(_ interval: ValueInterval, complemented: Bool) -> SuffixRange {
    let lower: KeyEdge =
      if let end = interval.lower {
        KeyEdge(bytes: ValueKey.encode(end.value), after: !end.inclusive)
      } else {
        KeyEdge(bytes: interval.bracket.map { ValueKey.bracketLower($0) } ?? [], after: false)
      }
    let upper: KeyEdge =
      if let end = interval.upper {
        KeyEdge(bytes: ValueKey.encode(end.value), after: end.inclusive)
      } else if let bracket = interval.bracket {
        KeyEdge(bytes: ValueKey.bracketUpper(bracket), after: false)
      } else {
        KeyEdge(bytes: [], after: true)
      }
    if !complemented {
      return SuffixRange(lower: lower.key ?? [], upper: upper.key)
    }
    // Complementing turns the order round: the upper edge becomes the lower one.
    let low = KeyEdge(bytes: upper.bytes.map { ~$0 }, after: !upper.after)
    let high = KeyEdge(bytes: lower.bytes.map { ~$0 }, after: !lower.after)
    return SuffixRange(lower: low.key ?? [], upper: high.key)
  }

  /// A restriction on names as a range of name bytes.
  private static func range(_ names: NameInterval, _ space: NameSpace) -> SuffixRange {
    var range = SuffixRange(lower: [], upper: nil)
    if let lower = names.lower {
      let edge = space.edge(lower.path, before: [], after: !lower.inclusive)
      range.lower = edge.key ?? [0xff]
    }
    if let upper = names.upper {
      range.upper = space.edge(upper.path, before: [], after: upper.inclusive).key
    }
    return range
  }

  /// What a start or an end leaves of the suffix.
  private static func range(
    _ bound: SuffixBound, complemented: [Bool], keepsAbove: Bool, _ space: NameSpace
  ) -> SuffixRange {
    // Fields that are only summed stand behind all that a cursor can name: a cursor that names the
    // document, too, makes its order explicit, and sums behind that are refused.
    assert(zip(bound.positions, 0...).allSatisfy { $0 == $1 }, "a cursor bounds a prefix")
    var edge = KeyEdge(bytes: [], after: keepsAbove != bound.inclusive)
    for (position, value) in zip(bound.positions, bound.values) {
      if position < complemented.count {
        ValueKey.append(value, descending: complemented[position], to: &edge.bytes)
      } else if case .reference(let path) = value {
        edge = space.edge(path, before: edge.bytes, after: edge.after)
      }
    }
    var range = SuffixRange(lower: [], upper: nil)
    if keepsAbove {
      range.lower = edge.key ?? [0xff]
    } else {
      range.upper = edge.key
    }
    return range
  }
}

extension CompiledScan {
  /// The keys of a range.
  func bounds(_ range: SuffixRange) -> (lower: [UInt8], upper: [UInt8]) {
    // A prefix begins with a number's length byte, so there always is a key after it.
    (prefix + range.lower, range.upper.map { prefix + $0 } ?? KeyLayout.end(ofPrefix: prefix) ?? [])
  }

  /// Where the components behind the prefix end; the last of them is where the name begins.
  func ends(in key: [UInt8]) throws(HearthError) -> [Int] {
    var ends: [Int] = []
    ends.reserveCapacity(complemented.count)
    var offset = prefix.count
    for flag in complemented {
      offset = try ValueKey.componentEnd(in: key, from: offset, descending: flag)
      ends.append(offset)
    }
    return ends
  }

  /// Where the name begins in an entry; nil if the entry does not pass the checks on its
  /// components.
  func admit(_ key: [UInt8]) throws(HearthError) -> Int? {
    var offset = prefix.count
    if checks.isEmpty {
      for flag in complemented {
        offset = try ValueKey.componentEnd(in: key, from: offset, descending: flag)
      }
    } else {
      let ends = try ends(in: key)
      func component(_ position: Int) -> ArraySlice<UInt8> {
        let start = position == 0 ? prefix.count : ends[position - 1]
        return key[start..<(position < ends.count ? ends[position] : key.count)]
      }
      for check in checks {
        let component = component(check.position)
        if !check.ranges.contains(where: { $0.contains(component) }) { return nil }
      }
      offset = ends.last ?? offset
    }
    if names != nil || !excludedNames.isEmpty {
      let name = key[offset...]
      if names?.contains(name) == false { return nil }
      if excludedNames.contains(where: { name.elementsEqual($0) }) { return nil }
    }
    return offset
  }

  /// The number in a field of the index before the name, nil if the field holds none.
  func number(
    at field: Int, in key: [UInt8], payload: [UInt8]
  ) throws(HearthError) -> Value? {
    var offset = prefix.count
    var flag = false
    if field < lead.count {
      (offset, flag) = lead[field]
    } else {
      let position = field - lead.count
      for flag in complemented.prefix(position) {
        offset = try ValueKey.componentEnd(in: key, from: offset, descending: flag)
      }
      flag = complemented[position]
    }
    return try ValueKey.number(
      in: key, from: offset, descending: flag,
      isWholeDouble: NumberKinds.contains(field, in: payload))
  }
}
