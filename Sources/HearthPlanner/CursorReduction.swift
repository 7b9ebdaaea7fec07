import HearthModel

/// A cursor of the effective order, brought down to the suffix of a disjunction's index.
enum ReducedCursor {
  /// The cursor excludes no document of the disjunction.
  case everything
  /// The cursor excludes every document of the disjunction.
  case nothing
  case bound(SuffixBound)
}

/// Reduces cursors for one disjunction (5.6).
///
/// A field that is fixed by equality is the same in all documents of the disjunction, so its
/// comparison is made here, once.
struct CursorReduction {
  let query: NormalizedQuery
  let disjunction: Disjunction

  /// Which side of the cursor is kept.
  enum Side { case start, end }

  func reduce(_ bound: Bound?, _ side: Side) throws(HearthError) -> ReducedCursor {
    guard let bound else { return .everything }
    var values: [Value] = []
    var positions: [Int] = []

    /// The rest of the cursor is decided: all documents equal so far stand on one side of it.
    func decided(_ order: Int, in direction: Direction) -> ReducedCursor {
      let position = direction == .ascending ? order : -order
      let keeps = side == .start ? position > 0 : position < 0
      if values.isEmpty { return keeps ? .everything : .nothing }
      return .bound(SuffixBound(values: values, inclusive: keeps, positions: positions))
    }

    for (order, value) in zip(query.effectiveOrder, bound.values) {
      if let constant = disjunction.equality(of: order.path) {
        let comparison = Value.compareIndexForms(constant, value)
        if comparison == 0 { continue }
        return decided(comparison, in: order.direction)
      }
      guard let position = disjunction.order.firstIndex(where: { $0.path == order.path })
      else { continue }
      guard order.path.isDocumentName else {
        positions.append(position)
        values.append(value)
        continue
      }
      let scope = query.query.scope
      switch NamePosition(try Planner.documentPath(of: value), in: scope) {
      case .before: return decided(1, in: order.direction)
      case .after: return decided(-1, in: order.direction)
      case .at(let path):
        positions.append(position)
        values.append(.reference(path))
      case .behind(let path):
        positions.append(position)
        // The cursor stands just above this document, so it falls to the lower side.
        values.append(.reference(path))
        return decided(-1, in: order.direction)
      }
    }
    if values.isEmpty { return bound.inclusive ? .everything : .nothing }
    return .bound(SuffixBound(values: values, inclusive: bound.inclusive, positions: positions))
  }

  /// Whether a start and an end leave no room between them.
  func excludesAll(start: SuffixBound?, end: SuffixBound?) -> Bool {
    guard let start, let end else { return false }
    for (i, position) in start.positions.enumerated() where i < end.positions.count {
      guard end.positions[i] == position else { return false }
      let comparison = compare(start.values[i], end.values[i], at: position)
      if comparison != 0 {
        let descending = disjunction.order[position].direction == .descending
        return descending ? comparison < 0 : comparison > 0
      }
    }
    // One is a prefix of the other. The shorter one, if exclusive, drops all that equal it.
    if start.values.count == end.values.count { return !(start.inclusive && end.inclusive) }
    return start.values.count < end.values.count ? !start.inclusive : !end.inclusive
  }

  /// A document's own name is never reduced to an index form (2.4).
  private func compare(_ a: Value, _ b: Value, at position: Int) -> Int {
    disjunction.order[position].path.isDocumentName
      ? Value.compare(a, b) : Value.compareIndexForms(a, b)
  }
}
