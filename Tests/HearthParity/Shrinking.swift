import HearthModel

/// Makes a finding small by leaving things out as long as it is still one.
struct Shrinking {
  /// How many tries one finding may cost.
  static let most = 300
  private var tries = 0

  /// The smallest finding found; nil if it cannot be shown again from documents alone.
  mutating func shrink(
    _ finding: Program.Finding, _ comparison: inout Comparison
  ) async throws -> Program.Finding? {
    guard var best = try await again(finding, &comparison) else { return nil }
    var found = true
    while found, tries < Shrinking.most {
      found = false
      for candidate in smaller(best) {
        guard tries < Shrinking.most else { break }
        if let next = try await again(candidate, &comparison) {
          best = next
          found = true
          break
        }
      }
    }
    return best
  }

  /// Tries a finding from the start.
  private mutating func again(
    _ finding: Program.Finding, _ comparison: inout Comparison
  ) async throws -> Program.Finding? {
    tries += 1
    try await comparison.reset()
    let writes = finding.documents.map { document in
      Write(
        document: document.path,
        operation: .update(fields: document.fields, mask: nil, transforms: []))
    }
    if !writes.isEmpty {
      let outcome = try await comparison.compare(.commit(writes), counts: false)
      if outcome.hearth.isFailure || outcome.emulator.isFailure { return nil }
    }
    var finding = finding
    let wire = comparison.emulator.body(finding.difference.request)
    let outcome = try await comparison.compare(finding.difference.request, counts: false)
    if let difference = outcome.difference {
      finding.difference = difference
      return finding
    }
    guard case .commit(let writes) = finding.difference.request, !outcome.hearth.isFailure else {
      return nil
    }
    let paths = Array(Set(writes.map(\.document))).sorted()
    let state = try await comparison.compare(.read(paths), counts: false)
    guard var difference = state.difference else { return nil }
    difference.request = finding.difference.request
    difference.wire = wire
    finding.difference = difference
    return finding
  }

  private func smaller(_ finding: Program.Finding) -> [Program.Finding] {
    var candidates: [Program.Finding] = []
    let count = finding.documents.count
    if count > 3 {
      for half in [finding.documents.prefix(count / 2), finding.documents.dropFirst(count / 2)] {
        candidates.append(finding.with(documents: Array(half)))
      }
    }
    for position in finding.documents.indices {
      var documents = finding.documents
      documents.remove(at: position)
      candidates.append(finding.with(documents: documents))
    }
    candidates += finding.difference.request.smaller.map { finding.with(request: $0) }
    for (position, document) in finding.documents.enumerated() {
      for field in document.fields {
        var documents = finding.documents
        documents[position].fields[field.name] = nil
        candidates.append(finding.with(documents: documents))
      }
    }
    return candidates
  }
}

extension Program.Finding {
  fileprivate func with(documents: [Document]) -> Program.Finding {
    var copy = self
    copy.documents = documents
    return copy
  }

  fileprivate func with(request: Request) -> Program.Finding {
    var copy = self
    copy.difference.request = request
    return copy
  }
}

extension Request {
  /// The same with one thing less.
  fileprivate var smaller: [Request] {
    switch self {
    case .commit(let writes): writes.eachSmaller { $0.smaller }.map { .commit($0) }
    case .read(let paths): paths.eachSmaller { _ in [] }.map { .read($0) }
    case .query(let query): query.smaller.map { .query($0) }
    case .aggregate(let query, let aggregations):
      aggregations.eachSmaller { _ in [] }.map { .aggregate(query, $0) }
        + query.smaller.map { .aggregate($0, aggregations) }
    }
  }
}

extension Array {
  /// Without one element, or with one element made smaller.
  fileprivate func eachSmaller(_ smaller: (Element) -> [Element]) -> [[Element]] {
    var results: [[Element]] = []
    for position in indices {
      var copy = self
      copy.remove(at: position)
      results.append(copy)
    }
    for position in indices {
      for element in smaller(self[position]) {
        var copy = self
        copy[position] = element
        results.append(copy)
      }
    }
    return results
  }
}

extension Write {
  fileprivate var smaller: [Write] {
    var results: [Write] = []
    if precondition != nil {
      var copy = self
      copy.precondition = nil
      results.append(copy)
    }
    guard case .update(let fields, let mask, let transforms) = operation else { return results }
    func add(_ fields: Fields, _ mask: [FieldPath]?, _ transforms: [FieldTransform]) {
      var copy = self
      copy.operation = .update(fields: fields, mask: mask, transforms: transforms)
      results.append(copy)
    }
    for list in transforms.eachSmaller({ _ in [] }) { add(fields, mask, list) }
    for list in mask?.eachSmaller({ _ in [] }) ?? [] { add(fields, list, transforms) }
    for field in fields {
      var fewer = fields
      fewer[field.name] = nil
      add(fewer, mask, transforms)
    }
    return results
  }
}

extension StructuredQuery {
  fileprivate var smaller: [StructuredQuery] {
    var results: [StructuredQuery] = []
    func add(_ change: (inout StructuredQuery) -> Void) {
      var copy = self
      change(&copy)
      if copy != self { results.append(copy) }
    }
    add { $0.filter = nil }
    add { $0.start = nil }
    add { $0.end = nil }
    add {
      $0.limit = nil
      $0.limitIsToLast = false
    }
    add { $0.limitIsToLast = false }
    add { $0.offset = 0 }
    add { $0.projection = nil }
    for filter in filter?.smaller ?? [] { add { $0.filter = filter } }
    for orders in orderBy.eachSmaller({ _ in [] }) { add { $0.orderBy = orders } }
    return results
  }
}

extension QueryFilter {
  fileprivate var smaller: [QueryFilter] {
    switch self {
    case .field(let filter):
      guard case .array(let members) = filter.value else { return [] }
      return members.eachSmaller { _ in [] }.filter { !$0.isEmpty }.map {
        .field(FieldFilter(filter.path, filter.op, .array($0)))
      }
    case .and(let children):
      return children + children.eachSmaller(\.smaller).map { .and($0) }
    case .or(let children):
      return children + children.eachSmaller(\.smaller).map { .or($0) }
    }
  }
}
