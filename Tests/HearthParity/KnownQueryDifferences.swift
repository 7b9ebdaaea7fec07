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
      "fine times in lists and maps",
      because: """
        The emulator compares a time with its nanoseconds, as the rules say, but cuts times in lists \
        and maps to microseconds first.
        """
    ) { difference, hearth in
      guard let query = difference.request.query else { return }
      var cut = query
      cut.filter = query.filter?.withCutTimes
      for bound in [\StructuredQuery.start, \StructuredQuery.end] {
        cut[keyPath: bound]?.values = query[keyPath: bound]?.values.map(\.withCutTimes) ?? []
      }
      if cut != query, try await hearth.ask(difference.request.with(cut)) == difference.emulator {
        difference.emulator = difference.hearth
      }
    },
  ]
}

extension Value {
  /// The value with times below it cut to microseconds, but not a time alone.
  fileprivate var withCutTimes: Value {
    if case .timestamp = self { return self }
    return normalizedForStorage
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

  fileprivate var withCutTimes: QueryFilter {
    switch self {
    case .field(let filter):
      .field(FieldFilter(filter.path, filter.op, filter.value.withCutTimes))
    case .and(let children): .and(children.map(\.withCutTimes))
    case .or(let children): .or(children.map(\.withCutTimes))
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
