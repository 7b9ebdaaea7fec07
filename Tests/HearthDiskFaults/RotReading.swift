import HearthEngine
import HearthModel

/// What came of reading a damaged file, from good to bad.
enum Verdict: Int, Comparable, CaseIterable, Sendable {
  case right
  /// Not opened, for a documented reason.
  case refused
  /// `DATA_LOSS`, and all else right.
  case dataLoss
  /// Records are missing in an answer.
  case hidden
  /// Right records out of their order or more than once.
  case misplaced
  /// Records that were right once.
  case stale
  /// Anything that never was true.
  case wrong
  /// An error that is not `DATA_LOSS`.
  case failure

  static func < (a: Verdict, b: Verdict) -> Bool { a.rawValue < b.rawValue }
}

/// Reads everything in all ways there are.
struct RotReading {
  /// One answer.
  enum Answer: Equatable {
    case documents([Document])
    case values([Value])
    case error(String, Verdict)

    static func == (a: Answer, b: Answer) -> Bool {
      switch (a, b) {
      case (.documents(let a), .documents(let b)): a == b
      case (.values(let a), .values(let b)): a == b
      default: false
      }
    }
  }

  let answers: [Answer]
  /// All documents of the sound database by path.
  private let documents: [DocumentPath: Document]

  init(_ engine: Engine) throws {
    var answers: [Answer] = []
    var documents: [DocumentPath: Document] = [:]
    for query in try RotReading.queries() {
      answers.append(
        RotReading.answer { try engine.run(query).documents.map { try $0.document() } })
    }
    for path in try RotReading.paths() {
      answers.append(
        RotReading.answer { try [engine.get(path).document].compactMap { try $0?.document() } })
    }
    for query in try RotReading.aggregated() {
      answers.append(
        RotReading.answer {
          try engine.aggregate(query, RotReading.aggregations).values.map(\.value)
        })
    }
    for case .documents(let found) in answers {
      for document in found { documents[document.path] = document }
    }
    self.answers = answers
    self.documents = documents
  }

  private static func answer(_ body: () throws -> [Document]) -> Answer {
    do { return .documents(try body()) } catch { return failed(error) }
  }

  private static func answer(_ body: () throws -> [Value]) -> Answer {
    do { return .values(try body()) } catch { return failed(error) }
  }

  private static func failed(_ error: any Error) -> Answer {
    let error = error as? HearthError
    let verdict: Verdict =
      error?.status == .dataLoss
      ? .dataLoss
      // The catalog's record of an index was hidden.
      : error?.reason == "INDEX_MISSING" ? .hidden : .failure
    return .error(error.map { "\($0)" } ?? "untyped", verdict)
  }

  private static let aggregations = [
    Aggregation(.count(upTo: nil), alias: "count"),
    Aggregation(.sum(FieldPath(["value"])), alias: "sum"),
  ]

  private static func queries() throws -> [StructuredQuery] {
    let things = StructuredQuery(try CollectionPath("things"))
    func filtered(
      _ field: String, _ operation: FilterOperator, _ value: Value, by order: [OrderBy] = []
    ) -> StructuredQuery {
      var query = things
      query.filter = .field(FieldFilter(FieldPath([field]), operation, value))
      query.orderBy = order
      return query
    }
    let byValue = [OrderBy(FieldPath(["value"]))]
    var queries = [
      things, StructuredQuery(try CollectionPath("things/t5/parts")),
      StructuredQuery(scope: .collectionGroup(UTF8String("parts"))),
      filtered("price", .greaterThan, .double(5)),
      filtered(
        "tags", .arrayContains, .string("a1"), by: [OrderBy(FieldPath(["value"]), .descending)]),
      filtered("tags", .arrayContains, .string("b0")),
      filtered("flag", .equal, .null),
    ]
    for field in ["value", "price", "when", "place", "text", "z", "raw", "near", "inner"] {
      for direction in [Direction.ascending, .descending] {
        var query = things
        query.orderBy = [OrderBy(FieldPath([field]), direction)]
        queries.append(query)
      }
    }
    for kind in 0..<7 as Range<Int64> {
      queries.append(filtered("kind", .equal, .integer(kind), by: byValue))
    }
    return queries
  }

  private static func aggregated() throws -> [StructuredQuery] {
    let things = StructuredQuery(try CollectionPath("things"))
    var some = things
    some.filter = .field(FieldFilter(FieldPath(["kind"]), .equal, .integer(3)))
    return [things, some]
  }

  private static func paths() throws -> [DocumentPath] {
    try (0..<RotData.things).map { try DocumentPath(RotData.thing($0)) }
      + (0..<12).map { try DocumentPath("things/new\($0)") }
      + (0..<16).map { try DocumentPath("things/t5/parts/p\($0)") }
      + [try DocumentPath("things/never"), try DocumentPath("nowhere/never")]
  }

  // MARK: Judging

  /// The worst of these answers against the right ones, and what it was.
  ///
  /// `past` are documents as they were once.
  func verdict(on found: RotReading, past: RotReading) -> (Verdict, String) {
    var worst = (Verdict.right, "")
    for (number, (truth, answer)) in zip(answers, found.answers).enumerated() where truth != answer
    {
      let (verdict, text) = judge(answer, truth, past)
      if verdict > worst.0 { worst = (verdict, "answer \(number): \(text)") }
    }
    return worst
  }

  private func judge(_ answer: Answer, _ truth: Answer, _ past: RotReading) -> (Verdict, String) {
    switch (answer, truth) {
    case (.error(let text, let verdict), _): return (verdict, text)
    case (.documents(let found), .documents(let right)):
      return judge(found, right, past)
    case (.values(let found), .values(let right)):
      if case .integer(let count)? = found.first, case .integer(let rightCount)? = right.first {
        if count < rightCount { return (.hidden, "count \(count) of \(rightCount)") }
        if count > rightCount { return (.misplaced, "count \(count) of \(rightCount)") }
        // Every entry has a checksum, its key included, so that another sum over as many can only
        // come of entries that are hidden and others that stand in their place.
        return (.misplaced, "\(found) of as many, not \(right)")
      }
      return (.wrong, "\(found), not \(right)")
    default: return (.wrong, "an answer of another kind")
    }
  }

  private func judge(
    _ found: [Document], _ right: [Document], _ past: RotReading
  ) -> (Verdict, String) {
    var worst = (Verdict.hidden, "\(found.count) of \(right.count) documents")
    func note(_ verdict: Verdict, _ text: String) {
      if verdict > worst.0 { worst = (verdict, text) }
    }
    let places = Dictionary(
      right.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
    var last = -1
    for document in found {
      if let place = places[document.path], right[place] == document {
        if place <= last { note(.misplaced, "\(document.path) out of order") }
        last = place
      } else if past.documents[document.path] == document {
        note(.stale, "\(document.path) as it was")
      } else if documents[document.path] == document {
        note(.misplaced, "\(document.path) does not match")
      } else {
        note(.wrong, "\(document.path) is another one")
      }
    }
    return worst
  }
}
