import HearthModel

extension KnownDifferences {
  static let queries = [
    .acceptance(
      "more than 100 components",
      because: "The documented limit on filters, orders and parents is not kept by the emulator.",
      hearth: "TOO_MANY_COMPONENTS"),
    KnownDifference(
      "more than five aggregations",
      because: "The emulator fails without saying anything; the status is INVALID_ARGUMENT."
    ) { difference, _ in
      guard case .aggregate(_, let aggregations) = difference.request, aggregations.count > 5,
        difference.emulator == .failure("UNKNOWN")
      else { return }
      difference.emulator = .failure("INVALID_ARGUMENT")
    },
    KnownDifference(
      "descending names",
      because: "The emulator has no descending scan of names. Firestore asks for an index."
    ) { difference, _ in
      guard difference.emulator == .failure("FAILED_PRECONDITION"),
        difference.emulatorMessage == "Firestore does not support descending key scans"
      else { return }
      difference.emulator = difference.hearth
    },
    .refusal(
      "an or of one filter beside not-in",
      because: "A composite of one filter is that filter, and no disjunction.",
      saying: "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'."
    ) { query in query.filter?.hasOrOfOne ?? false },
    .refusal(
      "a negation written twice",
      because: "A query may have one negation; the same filter twice is one filter.",
      saying: "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed"
    ) { query in Set(query.filter?.negations ?? []).count == 1 },
    .refusal(
      "operand of more than 1500 bytes",
      because: "Documented as inconsistent in queries; Hearth compares the first 1500 bytes.",
      saying: "is too large to be used in a query"
    ) { query in query.filter?.operandSize ?? 0 >= 1500 },
    KnownDifference(
      "field path of exactly 1500 bytes in a query",
      because: "The documented limit is 1500 bytes; the emulator's check is one short."
    ) { difference, _ in
      guard difference.emulatorMessage == "property path is longer than 1500 bytes.",
        difference.request.paths.contains(where: { $0.canonicalLength == 1500 })
      else { return }
      difference.emulator = difference.hearth
    },
    .acceptance(
      "cursor without values",
      because: "A cursor stands for a position; the emulator passes over one without values.",
      hearth: "CURSOR_EMPTY"),
    KnownDifference(
      "filter that nothing satisfies",
      because: """
        The emulator drops filters that cannot hold, such as a range over null, before it counts \
        filters and looks for the fields that order the query. Firestore returns no document without an inequality field, \
        wherever in the filter that stands.
        """
    ) { difference, hearth in
      guard let query = difference.request.query, let filter = query.filter else { return }
      guard let possible = filter.withoutImpossible else {
        // Nothing is left to look at, not even the order.
        let isRefused = difference.emulatorMessage.contains("after __name__ and Firestore")
        let isEmpty = difference.emulator.isEmpty && difference.hearth.isFailure
        if isRefused || isEmpty { difference.emulator = difference.hearth }
        return
      }
      if possible == filter { return }
      var rest = query
      rest.filter = possible
      // The emulator's answer must be that to the query without them.
      if try await hearth.ask(difference.request.with(rest)) == difference.emulator {
        difference.emulator = difference.hearth
      }
    },
    KnownDifference(
      "collection group below a document",
      because: """
        The emulator, and Firestore too, serve a group below a document only in the order of names. \
        Hearth serves every query of it; no SDK for Swift can ask one.
        """
    ) { difference, _ in
      guard let query = difference.request.query, query.ancestor != nil,
        difference.emulatorMessage.hasPrefix("collection group queries are only allowed")
      else { return }
      difference.emulator = difference.hearth
    },
    KnownDifference(
      "aggregation of a query with a projection",
      because: "A projection does not change which documents match, so it means nothing here."
    ) { difference, _ in
      let words = [
        "Cannot apply property masks when aggregation fields are present.",
        "is not present in the base query's property mask.",
        "Aggregation over non-key properties is not supported for base query that only returns keys.",
      ]
      guard case .aggregate(let query, _) = difference.request, query.projection != nil,
        words.contains(where: { difference.emulatorMessage.hasSuffix($0) })
      else { return }
      difference.emulator = difference.hearth
    },
    KnownDifference(
      "equal members of a list beyond 30 disjunctions",
      because: "Disjunctions are counted as they are written; the emulator leaves out equal ones."
    ) { difference, hearth in
      guard difference.hearthReason == "TOO_MANY_DISJUNCTIONS",
        let query = difference.request.query
      else { return }
      var rest = query
      rest.filter = query.filter?.withoutEqualMembers
      let answer = try await hearth.ask(difference.request.with(rest))
      // What is left may still have too many components, which the emulator does not count.
      let isLong = answer.isFailure && hearth.reason == "TOO_MANY_COMPONENTS"
      if answer == difference.emulator || (isLong && !difference.emulator.isFailure) {
        difference.emulator = difference.hearth
      }
    },
    KnownDifference(
      "order of adding doubles",
      because: "It is not specified, and large numbers that cancel out leave its traces."
    ) { difference, hearth in
      guard case .aggregate(var query, let aggregations) = difference.request,
        case .aggregates(let ours) = difference.hearth,
        case .aggregates(var theirs) = difference.emulator, ours.count == theirs.count,
        let list = try? AggregationList(aggregations)
      else { return }
      query.projection = nil
      guard case .documents(let documents) = try await hearth.ask(.query(query)) else { return }
      for position in ours.indices where ours[position] != theirs[position] {
        guard case .double(let x) = ours[position].value,
          case .double(let y) = theirs[position].value,
          let index = list.aliases.firstIndex(of: ours[position].alias),
          let path = aggregations[index].path
        else { return }
        let numbers = documents.compactMap { $0?.fields.value(at: path)?.number }
        let magnitude = numbers.reduce(0) { $0 + abs($1) }
        // What overflows in one order need not in another.
        let isRounding = !magnitude.isFinite || abs(x - y) <= 1e-14 * magnitude
        if isRounding { theirs[position] = ours[position] }
      }
      difference.emulator = .aggregates(theirs)
    },
    KnownDifference(
      "NaN in not-in",
      because: """
        NaN in the list of a not-in rules out documents with NaN; the emulator lets it rule out \
        nothing.
        """
    ) { difference, hearth in
      guard let query = difference.request.query else { return }
      var rest = query
      rest.filter = query.filter?.withoutNaNInNotIn
      if rest != query, try await hearth.ask(difference.request.with(rest)) == difference.emulator {
        difference.emulator = difference.hearth
      }
    },
    KnownDifference(
      "times finer than microseconds",
      because: """
        Times are stored in microseconds, and those asked for are cut likewise. The emulator cuts \
        them in lists and maps, but compares a time that stands alone with its nanoseconds.
        """
    ) { difference, _ in
      if difference.request.query?.hasFineTime == true { difference.emulator = difference.hearth }
    },
  ]
}

extension StructuredQuery {
  /// Whether a time that no document can hold stands alone in a filter or cursor.
  fileprivate var hasFineTime: Bool {
    let positions = (start?.values ?? []) + (end?.values ?? [])
    return positions.contains(where: \.isFineTime) || filter?.hasFineTime == true
  }
}

extension Value {
  fileprivate var number: Double? {
    switch self {
    case .integer(let x): Double(x)
    case .double(let x): x
    default: nil
    }
  }

  fileprivate var isFineTime: Bool {
    if case .timestamp(let time) = self { return time.nanoseconds % 1000 != 0 }
    return false
  }
}

extension KnownDifference {
  /// As the other one, for queries of which something more holds.
  fileprivate static func refusal(
    _ name: String, because reason: String, saying words: String,
    of holds: @escaping @Sendable (StructuredQuery) -> Bool
  ) -> KnownDifference {
    let wide = refusal(name, because: reason, saying: words)
    return KnownDifference(name, because: reason) { difference, hearth in
      guard let query = difference.request.query, holds(query) else { return }
      try await wide.settle(&difference, &hearth)
    }
  }
}

extension Request {
  /// Every field path that a query names.
  fileprivate var paths: [FieldPath] {
    guard let query else { return [] }
    var paths = query.orderBy.map(\.path) + (query.projection ?? [])
    if case .aggregate(_, let aggregations) = self { paths += aggregations.compactMap(\.path) }
    return paths + (query.filter?.paths ?? [])
  }

  /// The same of another query.
  fileprivate func with(_ query: StructuredQuery) -> Request {
    switch self {
    case .aggregate(_, let aggregations): .aggregate(query, aggregations)
    default: .query(query)
    }
  }
}

extension Answer {
  /// Whether this is what a query of nothing gives.
  fileprivate var isEmpty: Bool {
    switch self {
    case .documents(let documents): documents.isEmpty
    case .aggregates(let values): values.allSatisfy { $0.value == 0 || $0.value.isNull }
    default: false
    }
  }
}

extension QueryFilter {
  fileprivate var hasOrOfOne: Bool {
    switch self {
    case .field: false
    case .and(let children): children.contains(where: \.hasOrOfOne)
    case .or(let children): children.count == 1 || children.contains(where: \.hasOrOfOne)
    }
  }

  fileprivate var withoutEqualMembers: QueryFilter {
    switch self {
    case .field(let filter):
      guard filter.op.takesList, case .array(let members) = filter.value else { return self }
      var rest: [Value] = []
      for member in members where !rest.contains(where: { Value.compare($0, member) == 0 }) {
        rest.append(member)
      }
      return .field(FieldFilter(filter.path, filter.op, .array(rest)))
    case .and(let children): return .and(children.map(\.withoutEqualMembers))
    case .or(let children): return .or(children.map(\.withoutEqualMembers))
    }
  }

  fileprivate var hasFineTime: Bool {
    switch self {
    case .field(let filter): filter.value.isFineTime
    case .and(let children), .or(let children): children.contains(where: \.hasFineTime)
    }
  }

  /// With NaN taken out of lists; where nothing is left, only null is ruled out.
  fileprivate var withoutNaNInNotIn: QueryFilter {
    switch self {
    case .field(let filter):
      guard filter.op == .notIn, case .array(let members) = filter.value else { return self }
      let rest = members.filter { !$0.isNaN }
      return .field(
        rest.isEmpty
          ? FieldFilter(filter.path, .isNotNull, .null)
          : FieldFilter(filter.path, .notIn, .array(rest)))
    case .and(let children): return .and(children.map(\.withoutNaNInNotIn))
    case .or(let children): return .or(children.map(\.withoutNaNInNotIn))
    }
  }

  fileprivate var paths: [FieldPath] {
    switch self {
    case .field(let filter): [filter.path]
    case .and(let children), .or(let children): children.flatMap(\.paths)
    }
  }

  /// The size of the largest operand, about.
  fileprivate var operandSize: Int {
    switch self {
    case .field(let filter): filter.value.storedSize
    case .and(let children), .or(let children): children.map(\.operandSize).max() ?? 0
    }
  }

  fileprivate var negations: [FieldFilter] {
    switch self {
    case .field(let filter):
      if filter.op == .notEqual, filter.value.isNull {
        return [FieldFilter(filter.path, .isNotNull, .null)]
      }
      if filter.op == .notEqual, filter.value.isNaN {
        return [FieldFilter(filter.path, .isNotNaN, .null)]
      }
      return filter.op.isNegation ? [filter] : []
    case .and(let children), .or(let children): return children.flatMap(\.negations)
    }
  }

  /// The filter without branches that nothing satisfies; nil if nothing is left.
  fileprivate var withoutImpossible: QueryFilter? {
    switch self {
    case .field(let filter):
      return filter.isImpossible ? nil : self
    case .and(let children):
      let possible = children.compactMap(\.withoutImpossible)
      return possible.count < children.count ? nil : .and(possible)
    case .or(let children):
      let possible = children.compactMap(\.withoutImpossible)
      return possible.isEmpty ? nil : .or(possible)
    }
  }
}

extension FieldFilter {
  fileprivate var isImpossible: Bool {
    var members = [value]
    if op.takesList, case .array(let list) = value { members = list }
    let holdsNever = { (value: Value) in value.isNull || value.isNaN }
    return switch op {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: holdsNever(value)
    case .notIn: members.contains(where: \.isNull)
    case .arrayContains, .arrayContainsAny:
      members.allSatisfy { holdsNever($0) || $0.rank == .array }
    default: false
    }
  }
}
