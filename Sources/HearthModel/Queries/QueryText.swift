extension StructuredQuery {
  /// The query in one readable line, for explain output and errors:
  /// `restaurants where city == "SF" order by stars desc limit 10`.
  package var text: String {
    var parts: [String] = []
    switch scope {
    case .collection(let path): parts.append(path.description)
    case .collectionGroup(let id): parts.append("group \(id)")
    }
    if let ancestor { parts.append("below \(ancestor)") }
    if let filter { parts.append("where " + filter.text(depth: 0)) }
    if !orderBy.isEmpty {
      let orders = orderBy.map { "\($0.path)\($0.direction == .descending ? " desc" : "")" }
      parts.append("order by " + orders.joined(separator: ", "))
    }
    if let start { parts.append("start \(start.inclusive ? "at" : "after") " + start.text) }
    if let end { parts.append("end \(end.inclusive ? "at" : "before") " + end.text) }
    if offset != 0 { parts.append("offset \(offset)") }
    if let limit { parts.append("limit \(limitIsToLast ? "to last " : "")\(limit)") }
    if let projection {
      parts.append("select (" + projection.map(\.description).joined(separator: ", ") + ")")
    }
    return parts.joined(separator: " ")
  }
}

extension Bound {
  fileprivate var text: String { "(" + values.map(\.text).joined(separator: ", ") + ")" }
}

extension FieldFilter {
  /// The filter as text, such as `city == "SF"`.
  package var text: String {
    switch op {
    case .isNull: "\(path) == null"
    case .isNaN: "\(path) == NaN"
    case .isNotNull: "\(path) != null"
    case .isNotNaN: "\(path) != NaN"
    default: "\(path) \(op.rawValue) \(value.text)"
    }
  }
}

extension QueryFilter {
  /// `depth` above 0 puts combinations in brackets; the bound keeps absurd filters printable.
  fileprivate func text(depth: Int) -> String {
    if depth > QueryRules.deepestFilter { return "…" }
    let (children, word): ([QueryFilter], String)
    switch self {
    case .field(let filter): return filter.text
    case .and(let filters): (children, word) = (filters, "and")
    case .or(let filters): (children, word) = (filters, "or")
    }
    if children.isEmpty { return "\(word)()" }
    let text = children.map { $0.text(depth: depth + 1) }.joined(separator: " \(word) ")
    return depth > 0 && children.count > 1 ? "(\(text))" : text
  }
}
