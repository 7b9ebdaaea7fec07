import HearthModel

extension QueryCase {
  /// Cases that are a little smaller, the boldest first.
  var smaller: [QueryCase] {
    smallerSteps + smallerQuestions + smallerWrites + withIndexes
  }

  /// Simpler questions with the indexes that they need: another query needs another index.
  private var withIndexes: [QueryCase] {
    smallerQuestions.compactMap { smaller in
      guard QueryCase.invalid(smaller.question) == nil else { return nil }
      let needed = smaller.question.disjunctions.map(\.suggestion)
        .filter { !ReferenceDisjunction.isSingleField($0) }
      return smaller.with { copy in
        copy.question.configuration = nil
        copy.steps.removeAll { !$0.isCommit }
        copy.steps += needed.map { .create($0) }
      }
    }
  }

  private func with(_ change: (inout QueryCase) -> Void) -> QueryCase {
    var copy = self
    change(&copy)
    return copy
  }

  private var smallerSteps: [QueryCase] {
    var cases: [QueryCase] = []
    // The history as one commit: what is stored in the end, after the indexes.
    if steps.count(where: \.isCommit) > 1 {
      cases.append(
        with { copy in
          copy.steps = steps.filter { !$0.isCommit } + [.commit(steps.flatMap(\.writes))]
        })
    }
    cases += Shrinking.shorter(steps).map { steps in with { $0.steps = steps } }
    for (position, step) in steps.enumerated() {
      guard case .override(let overrides) = step else { continue }
      cases += Shrinking.shorter(overrides).map { overrides in
        with { $0.steps[position] = .override(overrides) }
      }
    }
    for (position, step) in steps.enumerated() where step.isCommit {
      cases += Shrinking.shorter(step.writes).map { writes in
        with { $0.steps[position] = .commit(writes) }
      }
    }
    return cases
  }

  private var smallerWrites: [QueryCase] {
    steps.enumerated().flatMap { position, step in
      step.writes.enumerated().flatMap { place, write in
        Shrinking.simpler(write).map { simpler in
          var writes = step.writes
          writes[place] = simpler
          return with { $0.steps[position] = .commit(writes) }
        }
      }
    }
  }

  private var smallerQuestions: [QueryCase] {
    var questions: [Question] = []
    func add(_ change: (inout Question) -> Void) {
      var copy = question
      change(&copy)
      questions.append(copy)
    }
    if question.configuration != nil { add { $0.configuration = nil } }
    if let configuration = question.configuration {
      for composites in Shrinking.shorter(configuration.composites) {
        add { $0.configuration?.composites = composites }
      }
      for overrides in Shrinking.shorter(configuration.overrides) {
        add { $0.configuration?.overrides = overrides }
      }
    }
    if question.aggregations != nil { add { $0.aggregations = nil } }
    for list in Shrinking.shorter(question.aggregations ?? []) where !list.isEmpty {
      add { $0.aggregations = list }
    }
    for query in Shrinking.simpler(question.query) { add { $0.query = query } }
    return questions.map { question in with { $0.question = question } }
  }
}

extension QueryCase.Step {
  var isCommit: Bool {
    if case .commit = self { return true }
    return false
  }

  var writes: [Write] {
    if case .commit(let writes) = self { return writes }
    return []
  }
}

/// Smaller forms of the nouns that a case is made of.
enum Shrinking {
  /// Lists without some of their elements: halves, quarters and so on down to single ones.
  static func shorter<T>(_ list: [T]) -> [[T]] {
    var made: [[T]] = list.isEmpty ? [] : [[]]
    var size = list.count / 2
    while size > 0 {
      for first in stride(from: 0, to: list.count, by: size) {
        made.append(Array(list[..<first] + list[min(list.count, first + size)...]))
      }
      size /= 2
    }
    return made
  }

  static func simpler(_ query: StructuredQuery) -> [StructuredQuery] {
    var made: [StructuredQuery] = []
    func add(_ change: (inout StructuredQuery) -> Void) {
      var copy = query
      change(&copy)
      if copy != query { made.append(copy) }
    }
    add { $0.filter = nil }
    add { $0.start = nil }
    add { $0.end = nil }
    add { $0.limitIsToLast = false }
    add { $0.limit = nil }
    add { $0.limit = $0.limit.map { min($0, 1) } }
    add { $0.offset = 0 }
    add { $0.projection = nil }
    add { $0.ancestor = nil }
    for paths in shorter(query.projection ?? []) { add { $0.projection = paths } }
    if let filter = query.filter { for simpler in simpler(filter) { add { $0.filter = simpler } } }
    for position in query.orderBy.indices {
      add { $0.orderBy[position].direction = .ascending }
      add { copy in
        copy.orderBy.remove(at: position)
        if position < copy.start?.values.count ?? 0 { copy.start?.values.remove(at: position) }
        if position < copy.end?.values.count ?? 0 { copy.end?.values.remove(at: position) }
      }
    }
    for bound in simpler(query.start) { add { $0.start = bound } }
    for bound in simpler(query.end) { add { $0.end = bound } }
    return made
  }

  private static func simpler(_ bound: Bound?) -> [Bound] {
    guard let bound else { return [] }
    var made = bound.values.count > 1 ? [bound.values.dropLast()].map(Array.init) : []
    for (position, value) in bound.values.enumerated() {
      for simpler in simpler(value) {
        var values = bound.values
        values[position] = simpler
        made.append(values)
      }
    }
    return made.map { Bound(values: $0, inclusive: bound.inclusive) }
  }

  static func simpler(_ filter: QueryFilter) -> [QueryFilter] {
    switch filter {
    case .and(let filters):
      return filters + shorter(filters).map { .and($0) } + within(filters).map { .and($0) }
    case .or(let filters):
      return filters + shorter(filters).map { .or($0) } + within(filters).map { .or($0) }
    case .field(let filter):
      return simpler(filter.value).map { .field(FieldFilter(filter.path, filter.op, $0)) }
    }
  }

  private static func within(_ filters: [QueryFilter]) -> [[QueryFilter]] {
    filters.indices.flatMap { position in
      simpler(filters[position]).map { simpler in
        var copy = filters
        copy[position] = simpler
        return copy
      }
    }
  }

  static func simpler(_ write: Write) -> [Write] {
    guard case .update(let fields, let mask, let transforms) = write.operation else { return [] }
    var made: [Write] = []
    func add(_ fields: Fields, _ mask: [FieldPath]?, _ transforms: [FieldTransform]) {
      made.append(
        Write(
          document: write.document,
          operation: .update(fields: fields, mask: mask, transforms: transforms)))
    }
    if mask != nil { add(fields, nil, transforms) }
    for fewer in shorter(mask ?? []) { add(fields, fewer, transforms) }
    for fewer in shorter(transforms) { add(fields, mask, fewer) }
    for fewer in simpler(fields) { add(fewer, mask, transforms) }
    return made
  }

  private static func simpler(_ fields: Fields) -> [Fields] {
    shorter(Array(fields)).map { Fields($0.map { ($0.name, $0.value) }) }
      + fields.flatMap { field in
        simpler(field.value).map { value in
          var copy = fields
          copy[field.name] = value
          return copy
        }
      }
  }

  /// Values that are easier to read, towards the integer 1.
  static func simpler(_ value: Value) -> [Value] {
    switch value {
    case .integer(let number): return (0...2).contains(number) ? [] : [.integer(1)]
    case .null, .boolean: return [.integer(1)]
    case .string(let text):
      let half = String(String.UnicodeScalarView(text.unicodeScalars.prefix(text.utf8.count / 2)))
      return text.utf8.isEmpty ? [.integer(1)] : [.integer(1), .string(half)]
    case .bytes(let bytes):
      return [.integer(1)] + (bytes.isEmpty ? [] : [.bytes(Array(bytes.prefix(bytes.count / 2)))])
    case .array(let elements):
      return [.integer(1)] + shorter(elements).map { .array($0) }
    case .map(let fields): return [.integer(1)] + simpler(fields).map { .map($0) }
    case .double, .timestamp, .reference, .geoPoint, .vector: return [.integer(1)]
    }
  }
}
