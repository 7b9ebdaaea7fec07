package import HearthModel

extension QueryPlan {
  /// The indexes as explain lists them (section 7): one element per range that is read, so `!=`
  /// lists its index twice; merge members in join order; lookups as the name index.
  package var indexesUsed: [IndexDefinition] {
    disjunctions.flatMap { plan -> [IndexDefinition] in
      switch plan {
      case .nothing: []
      case .lookup: [nameIndex]
      case .scan(let scan): Array(repeating: scan.index, count: scan.rangeCount)
      case .merge(let scans):
        scans.flatMap { Array(repeating: $0.index, count: $0.rangeCount) }
      }
    }
  }

  private var nameIndex: IndexDefinition {
    .nameIndex(collectionID: query.query.collectionID, scope: query.query.indexScope)
  }

  /// The plan in words, one line per disjunction.
  package var lines: [String] { disjunctions.map(\.line) }
}

extension DisjunctionPlan {
  /// The plan in words.
  package var line: String {
    switch self {
    case .nothing: return "nothing"
    case .lookup(let paths):
      return "lookup \(paths.count) document" + (paths.count == 1 ? "" : "s")
    case .scan(let scan): return "scan \(scan.index)" + PlanText.conditions(of: [scan])
    case .merge(let scans):
      let members = scans.map { "\($0.index)" }.joined(separator: " ∩ ")
      return "merge \(members)" + PlanText.conditions(of: scans)
    }
  }
}

/// Wording of conditions and values in plans.
enum PlanText {
  /// The conditions of a scan or of the members of a merge, which differ in their prefixes only.
  static func conditions(of scans: [IndexScan]) -> String {
    var parts: [String] = []
    for scan in scans {
      for (field, value) in zip(scan.index.fields, scan.prefix) {
        let relation = field.mode == .contains ? "array-contains" : "=="
        let part = "\(field.path) \(relation) \(value.text)"
        // Merge members may share a field; say it once.
        if !parts.contains(where: { UTF8Order.equal($0, part) }) { parts.append(part) }
      }
    }
    if let scan = scans.first {
      if let first = scan.suffix.first, !scan.intervals.isEmpty {
        parts.append(text(of: scan.intervals, on: first.path))
      }
      for residual in scan.residuals where residual.position < scan.suffix.count {
        parts.append(text(of: residual.intervals, on: scan.suffix[residual.position].path))
      }
      if let names = scan.names { parts += conditions(of: names) }
    }
    var line = parts.isEmpty ? "" : " where " + parts.joined(separator: " and ")
    if let start = scans.first?.start { line += " from \(text(of: start))" }
    if let end = scans.first?.end { line += " to \(text(of: end))" }
    return line
  }

  private static func text(of intervals: [ValueInterval], on path: FieldPath) -> String {
    let alternatives = intervals.map { text(of: $0, on: "\(path)") }
    return alternatives.count == 1
      ? alternatives[0] : "(" + alternatives.joined(separator: " or ") + ")"
  }

  private static func text(of interval: ValueInterval, on field: String) -> String {
    var parts: [String] = []
    if let lower = interval.lower {
      parts.append("\(field) \(lower.inclusive ? ">=" : ">") \(lower.value.text)")
    }
    if let upper = interval.upper {
      parts.append("\(field) \(upper.inclusive ? "<=" : "<") \(upper.value.text)")
    }
    if parts.isEmpty, let bracket = interval.bracket { parts.append("\(field) is \(bracket)") }
    return parts.joined(separator: " and ")
  }

  private static func conditions(of names: NameInterval) -> [String] {
    var parts: [String] = []
    if let lower = names.lower {
      parts.append("__name__ \(lower.inclusive ? ">=" : ">") \(lower.path)")
    }
    if let upper = names.upper {
      parts.append("__name__ \(upper.inclusive ? "<=" : "<") \(upper.path)")
    }
    return parts + names.excluded.map { "__name__ != \($0)" }
  }

  private static func text(of bound: SuffixBound) -> String {
    let values = bound.values.map(\.text).joined(separator: ", ")
    return "(\(values)) \(bound.inclusive ? "inclusive" : "exclusive")"
  }
}
