import HearthModel

/// A failing case as text that reads like Swift, exact to the bit.
package enum CaseText {
  package static func text(_ failing: QueryCase) -> String {
    var lines = failing.policy == .strict ? [] : ["policy  \(failing.policy)"]
    for step in failing.steps {
      switch step {
      case .commit(let writes): lines += writes.map { "commit  \(text($0))" }
      case .create(let index): lines.append("create  \(index.collectionID) \(text(index))")
      case .override(let overrides): lines += overrides.map { "set     \(text($0))" }
      case .drop(let index): lines.append("drop    \(index.collectionID) \(text(index))")
      }
    }
    lines.append("query   " + text(failing.question.query))
    if let aggregations = failing.question.aggregations {
      lines.append("asking  " + aggregations.map(text).joined(separator: ", "))
    }
    if let configuration = failing.question.configuration {
      for declared in configuration.composites {
        lines.append("using   \(text(declared.definition))")
      }
      lines += configuration.overrides.map { "only    \(text($0))" }
    }
    return lines.joined(separator: "\n")
  }

  package static func text(_ answer: QueryCase.Answer) -> String {
    switch answer {
    case .documents(let documents):
      return "[" + documents.map { "\(path($0.path)) \(text($0.fields))" }.joined(separator: ", ")
        + "]"
    case .values(let names, let values):
      return "[" + zip(names, values).map { "\($0): \(text($1))" }.joined(separator: ", ") + "]"
    case .refused(_, let reason, let missing):
      return reason + (missing.map { " \(text($0))" } ?? "")
    }
  }

  private static func text(_ index: IndexDefinition) -> String {
    "(" + index.fields.map { "\(text($0.path)) \($0.mode.planText)" }.joined(separator: ", ") + ")"
      + (index.scope == .collection ? "" : " of the group")
  }

  private static func text(_ override: FieldOverride) -> String {
    let modes = override.indexes.map { "\($0.scope.rawValue) \($0.mode.rawValue)" }
    return "\(override.collectionID) \(override.path.map(text) ?? "*"): "
      + "[\(modes.joined(separator: ", "))]"
  }

  private static func text(_ write: Write) -> String {
    switch write.operation {
    case .delete: return ".delete(\(path(write.document)))"
    case .update(let fields, let mask, let transforms):
      var text = ".set(\(path(write.document)), \(self.text(fields))"
      if let mask { text += ", mask: [" + mask.map(self.text).joined(separator: ", ") + "]" }
      if !transforms.isEmpty { text += ", transforms: \(transforms)" }
      return text + ")"
    }
  }

  private static func text(_ query: StructuredQuery) -> String {
    var parts: [String] = []
    switch query.scope {
    case .collection(let collection):
      parts.append(quoted(collection.segments.joined(separator: "/")))
    case .collectionGroup(let id): parts.append("group \(quoted(id.string))")
    }
    if let ancestor = query.ancestor { parts.append("below \(path(ancestor))") }
    if let filter = query.filter { parts.append("where " + text(filter)) }
    if !query.orderBy.isEmpty {
      let orders = query.orderBy.map {
        text($0.path) + ($0.direction == .ascending ? "" : " desc")
      }
      parts.append("order by " + orders.joined(separator: ", "))
    }
    if let start = query.start {
      parts.append(text(start, start.inclusive ? "start at" : "start after"))
    }
    if let end = query.end { parts.append(text(end, end.inclusive ? "end at" : "end before")) }
    if query.offset != 0 { parts.append("offset \(query.offset)") }
    if let limit = query.limit {
      parts.append("limit \(query.limitIsToLast ? "to last " : "")\(limit)")
    }
    if let paths = query.projection {
      parts.append("select [" + paths.map(text).joined(separator: ", ") + "]")
    }
    return parts.joined(separator: " ")
  }

  private static func text(_ bound: Bound, _ words: String) -> String {
    "\(words) [" + bound.values.map(text).joined(separator: ", ") + "]"
  }

  private static func text(_ filter: QueryFilter) -> String {
    switch filter {
    case .field(let filter):
      return "\(text(filter.path)) \(filter.op.rawValue) \(text(filter.value))"
    case .and(let filters): return "and(" + filters.map(text).joined(separator: ", ") + ")"
    case .or(let filters): return "or(" + filters.map(text).joined(separator: ", ") + ")"
    }
  }

  private static func text(_ aggregation: Aggregation) -> String {
    let name = aggregation.alias.map { "\($0): " } ?? ""
    switch aggregation.kind {
    case .count(let cap): return name + "count(" + (cap.map { "upTo: \($0)" } ?? "") + ")"
    case .sum(let path): return name + "sum(\(text(path)))"
    case .average(let path): return name + "average(\(text(path)))"
    }
  }

  private static func text(_ path: FieldPath) -> String { plain(path.description) }

  private static func path(_ path: DocumentPath) -> String {
    quoted(path.segments.joined(separator: "/"))
  }

  private static func text(_ fields: Fields) -> String {
    "["
      + (fields.isEmpty
        ? ":"
        : fields.map { "\(quoted($0.name)): \(text($0.value))" }
          .joined(separator: ", ")) + "]"
  }

  static func text(_ value: Value) -> String {
    switch value {
    case .null: return ".null"
    case .boolean(let flag): return "\(flag)"
    case .integer(let number): return "\(number)"
    case .double(let number): return number.isNaN ? ".nan" : "\(number)"
    case .timestamp(let time): return "time(\(time.seconds), \(time.nanoseconds))"
    case .string(let text): return quoted(text)
    case .bytes(let bytes): return "bytes([" + runs(bytes.map { "\($0)" }) + "])"
    case .reference(let path): return "ref(\(self.path(path)))"
    case .geoPoint(let point): return "geo(\(point.latitude), \(point.longitude))"
    case .array(let elements): return "[" + runs(elements.map(text)) + "]"
    case .vector(let vector): return "vec([" + runs(vector.array.map { "\($0)" }) + "])"
    case .map(let fields): return text(fields)
    }
  }

  /// Repeated items once, with their number.
  private static func runs(_ items: [String]) -> String {
    var runs: [(item: String, count: Int)] = []
    for item in items {
      if let last = runs.last, last.item.utf8.elementsEqual(item.utf8) {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((item, 1))
      }
    }
    return runs.map {
      $0.count > 3
        ? "\($0.item) * \($0.count)"
        : Array(
          repeating: $0.item, count: $0.count
        ).joined(separator: ", ")
    }.joined(separator: ", ")
  }

  private static func quoted(_ text: String) -> String { "\"" + plain(text) + "\"" }

  /// Everything beyond ASCII as escapes; long runs of a letter by their length.
  private static func plain(_ text: String) -> String {
    var out = ""
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.first {
      let rest = scalars.drop { $0 == scalar }
      let count = scalars.count - rest.count
      let visible = scalar.isASCII && scalar.value >= 0x20 && scalar.value < 0x7f
      let letter =
        visible ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
      out += count > 8 ? "\\(\(letter) * \(count))" : String(repeating: letter, count: count)
      scalars = rest
    }
    return out
  }
}
