import HearthEncoding
import HearthModel
import HearthPlanner

/// A place between keys, given by leading bytes: just before the first key that has them, or just
/// after the last one.
struct KeyEdge {
  var bytes: [UInt8]
  var after: Bool
  /// The bytes are a whole key: "after" then means after that key alone, not after all that begin
  /// with it.
  ///
  /// Names end without a terminator and need this.
  var exact = false

  /// The key that begins there; nil for "after everything".
  var key: [UInt8]? {
    if !after { return bytes }
    return exact ? bytes + [0] : KeyLayout.end(ofPrefix: bytes)
  }
}

/// Ranges of suffix bytes, relative to the fixed prefix of an index.
struct SuffixRange: Equatable {
  var lower: [UInt8]
  /// Exclusive; nil for the end of the prefix.
  var upper: [UInt8]?

  var isEmpty: Bool {
    guard let upper else { return false }
    return !bytesLess(lower, upper)
  }

  func intersected(with other: SuffixRange) -> SuffixRange {
    let low = bytesLess(lower, other.lower) ? other.lower : lower
    switch (upper, other.upper) {
    case (let a?, let b?): return SuffixRange(lower: low, upper: bytesLess(a, b) ? a : b)
    case (let a?, nil): return SuffixRange(lower: low, upper: a)
    case (nil, let b): return SuffixRange(lower: low, upper: b)
    }
  }
}

/// An index scan in terms of bytes: what the executor walks.
struct CompiledScan {
  /// The bytes that every entry of the scan begins with.
  var prefix: [UInt8]
  var descending: Bool
  /// In scan order.
  var ranges: [SuffixRange]
  /// For each suffix field before the name: whether its component is complemented.
  var complemented: [Bool]
  /// Checks on later components: the component's position and the ranges it may lie in.
  var residuals: [(position: Int, ranges: [SuffixRange])]
  /// A check on the name component.
  var names: SuffixRange?
  /// Names that are ruled out one by one.
  var excludedNames: [[UInt8]]
  /// Whether the name's checks apply to each entry rather than bounding the scan.
  var checksNames: Bool
}

extension CompiledScan {
  /// Compiles a scan of one collection.
  ///
  /// `keyPrefix` is the tree's prefix for that collection.
  init(_ scan: IndexScan, keyPrefix: [UInt8], collection: CollectionPath) {
    let physical = scan.index.physical
    descending = scan.direction == .descending
    var prefix = keyPrefix
    for (field, value) in zip(physical.fields, scan.prefix) {
      ValueKey.append(value, descending: field.mode == .descending, to: &prefix)
    }
    self.prefix = prefix
    let reversed = descending
    complemented = scan.suffix.dropLast().map { ($0.direction == .descending) != reversed }
    let complemented = complemented
    residuals = scan.residuals.map { residual in
      let flag = complemented[residual.position]
      return (
        residual.position,
        residual.intervals.map { CompiledScan.range($0, complemented: flag) }
      )
    }
    let names = scan.names.map { CompiledScan.range($0, collection) }
    self.names = names
    excludedNames =
      scan.names?.excluded.compactMap { path in
        guard path.collection == collection else { return nil }
        return CompiledScan.nameBytes(path.id)
      } ?? []
    checksNames = !complemented.isEmpty && scan.names != nil

    var ranges: [SuffixRange]
    if let first = complemented.first {
      ranges =
        scan.intervals.isEmpty
        ? [SuffixRange(lower: [], upper: nil)]
        : scan.intervals.map { CompiledScan.range($0, complemented: first) }
    } else {
      ranges = CompiledScan.split(
        names ?? SuffixRange(lower: [], upper: nil), excluding: excludedNames)
      if reversed { ranges.reverse() }
    }
    let window = CompiledScan.window(
      scan, complemented: complemented, descending: reversed, collection)
    self.ranges = ranges.map { $0.intersected(with: window) }.filter { !$0.isEmpty }
  }

  /// The bytes of a name component.
  static func nameBytes(_ id: String) -> [UInt8] {
    var bytes: [UInt8] = []
    NameKey.appendID(id, to: &bytes)
    return bytes
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
  private static func range(_ names: NameInterval, _ collection: CollectionPath) -> SuffixRange {
    var range = SuffixRange(lower: [], upper: nil)
    if let lower = names.lower {
      let edge = nameEdge(lower.path, collection, before: [], after: !lower.inclusive)
      range.lower = edge.key ?? [0xff]
    }
    if let upper = names.upper {
      range.upper = nameEdge(upper.path, collection, before: [], after: upper.inclusive).key
    }
    return range
  }

  /// Where a name stands among the documents of a collection; it may belong to another one.
  private static func nameEdge(
    _ path: DocumentPath, _ collection: CollectionPath, before: [UInt8], after: Bool
  ) -> KeyEdge {
    if path.collection == collection {
      return KeyEdge(bytes: before + nameBytes(path.id), after: after, exact: true)
    }
    let segments = path.segments
    let depth = collection.segments.count
    if segments.count > depth,
      CollectionPath(unchecked: Array(segments[..<depth])) == collection
    {
      // Below a document of this collection: after that document, before the next.
      return KeyEdge(bytes: before + nameBytes(segments[depth]), after: true, exact: true)
    }
    let below = DocumentPath.compare(path, collection.document("a")) < 0
    return KeyEdge(bytes: before, after: !below)
  }

  /// The part of the suffix that the cursors leave.
  private static func window(
    _ scan: IndexScan, complemented: [Bool], descending: Bool, _ collection: CollectionPath
  ) -> SuffixRange {
    var window = SuffixRange(lower: [], upper: nil)
    func edge(_ bound: SuffixBound, after: Bool) -> KeyEdge {
      var bytes: [UInt8] = []
      for (position, value) in zip(bound.positions, bound.values) {
        if position < complemented.count {
          ValueKey.append(value, descending: complemented[position], to: &bytes)
        } else if case .reference(let path) = value {
          return nameEdge(path, collection, before: bytes, after: after)
        }
      }
      return KeyEdge(bytes: bytes, after: after)
    }
    if let start = scan.start {
      if descending {
        window.upper = edge(start, after: start.inclusive).key
      } else {
        window.lower = edge(start, after: !start.inclusive).key ?? [0xff]
      }
    }
    if let end = scan.end {
      if descending {
        window.lower = edge(end, after: !end.inclusive).key ?? [0xff]
      } else {
        window.upper = edge(end, after: end.inclusive).key
      }
    }
    return window
  }

  /// Cuts single names out of a range.
  private static func split(
    _ range: SuffixRange, excluding names: [[UInt8]]
  ) -> [SuffixRange] {
    var rest = range
    var parts: [SuffixRange] = []
    for name in names.sorted(by: bytesLess) {
      parts.append(rest.intersected(with: SuffixRange(lower: [], upper: name)))
      rest.lower = name + [0]
    }
    parts.append(rest)
    return parts
  }

  /// The keys of a range.
  func bounds(_ range: SuffixRange) -> (lower: [UInt8], upper: [UInt8]) {
    // A prefix begins with a number's length byte, so there always is a key after it.
    (prefix + range.lower, range.upper.map { prefix + $0 } ?? KeyLayout.end(ofPrefix: prefix) ?? [])
  }

  /// Where the name begins in an entry, and whether the entry passes the checks on its
  /// components.
  func inspect(_ key: [UInt8]) throws(HearthError) -> (name: ArraySlice<UInt8>, passes: Bool) {
    var offset = prefix.count
    var passes = true
    for (position, flag) in complemented.enumerated() {
      let end = try ValueKey.componentEnd(in: key, from: offset, descending: flag)
      for residual in residuals where residual.position == position {
        let component = SuffixRange(lower: Array(key[offset..<end]), upper: nil)
        passes = passes && residual.ranges.contains { $0.contains(component.lower) }
      }
      offset = end
    }
    let name = key[offset...]
    if checksNames {
      let bytes = Array(name)
      passes = passes && names?.contains(bytes) != false && !excludedNames.contains(bytes)
    }
    return (name, passes)
  }
}

extension SuffixRange {
  func contains(_ bytes: [UInt8]) -> Bool {
    if bytesLess(bytes, lower) { return false }
    guard let upper else { return true }
    return bytesLess(bytes, upper)
  }
}
