import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// How the transaction that an anomaly is aimed at is run.
enum PlayMode: String, Sendable, CaseIterable {
  /// Optimistic, whatever happens.
  case optimistic
  /// Optimistic first, then what the engine chooses.
  case automatic
  /// With turns on the documents from the first run on.
  case turns
  /// With turns since its first run lost.
  case turnsAfterLoss
  /// With the gate, since two runs lost.
  case gate

  /// The first run in which the script plays: earlier ones are made to lose.
  var firstRun: Int {
    switch self {
    case .optimistic, .automatic, .turns: 1
    case .turnsAfterLoss: 2
    case .gate: 3
    }
  }

  var request: TransactionRequest {
    var request = TransactionRequest()
    if self == .optimistic { request.concurrency = .optimistic }
    if self == .turns { request.concurrency = .turns([doc("x"), doc("y")]) }
    request.maxAttempts = 6
    return request
  }
}

/// How a script reads: one document, the documents of a predicate, or only their number.
enum PlayRead: String, Sendable, CaseIterable {
  case documents, query, count
}

/// What scripts of anomalies are played on: *cells* that are numbers which only grow.
///
/// Read as documents, a cell is one document with all numbers added so far; read by query or count,
/// each number is a document of its own, so that only a protected predicate keeps two from adding
/// the same one.
struct AnomalyStage: Sendable {
  let engine: Engine
  let mode: PlayMode
  let kind: PlayRead
  private let unique = Lock(0)

  init(_ engine: Engine, _ mode: PlayMode, _ kind: PlayRead) {
    self.engine = engine
    self.mode = mode
    self.kind = kind
  }

  private func fresh() -> Int {
    unique.withLock { number in
      number += 1
      return number
    }
  }

  // MARK: Cells

  private func of(_ cell: String) -> StructuredQuery {
    query(filter("cell", .equal, .string(cell)))
  }

  /// A cell's number, as a transaction sees it.
  func read(_ cell: String, _ context: TransactionContext) throws -> Int {
    switch kind {
    case .documents: return try numbers(context.get(doc(cell))).count
    case .query: return try context.run(of(cell)).documents.count
    case .count:
      return try AnomalyStage.count(
        context.aggregate(of(cell), [Aggregation(.count(upTo: nil))]))
    }
  }

  /// A cell's number, as anybody outside sees it.
  func look(_ cell: String) throws -> Int {
    switch kind {
    case .documents: return try numbers(engine.get(doc(cell)).document).count
    case .query: return try engine.run(of(cell)).documents.count
    case .count:
      return try AnomalyStage.count(engine.aggregate(of(cell), [Aggregation(.count(upTo: nil))]))
    }
  }

  static func count(_ result: AggregationResult) -> Int {
    if case .integer(let count)? = result.values.first?.value { return Int(count) }
    return -1
  }

  /// What a document's cell holds.
  func numbers(_ document: StoredDocument?) throws -> [Int64] {
    guard case .array(let values)? = try document?.value(at: field("numbers")) else { return [] }
    return values.compactMap { if case .integer(let number) = $0 { number } else { nil } }
  }

  /// Makes a cell one more than what was read of it.
  func add(_ cell: String, to seen: Int) throws -> Write {
    if kind == .documents {
      let numbers = (0...seen).map { Value.integer(Int64($0)) }
      return try .set("r/\(cell)", ["numbers": .array(numbers)])
    }
    return try .set(
      "r/\(cell)-\(fresh())", ["cell": .string(cell), "number": .integer(Int64(seen))])
  }

  /// What was added to a cell, in order: 0, 1, 2 and so on, if nobody's addition was lost.
  func ledger(_ cell: String) throws -> [Int64] {
    if kind == .documents { return try numbers(engine.get(doc(cell)).document) }
    return try engine.run(of(cell)).documents.map { document -> Int64 in
      if case .integer(let number)? = try document.value(at: field("number")) { return number }
      return -1
    }.sorted()
  }

  func expectLedger(
    _ cell: String, _ count: Int, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let ledger = try ledger(cell)
    #expect(ledger == Array(0..<Int64(count)), sourceLocation: location)
  }

  // MARK: Playing

  /// The transaction that an anomaly is aimed at; `run` is 1 in the first run of its mode.
  ///
  /// Gives how many runs it took from there.
  @discardableResult
  func play(
    _ body: @Sendable (TransactionContext, _ run: Int) async throws -> Void
  ) async throws -> Int {
    let first = mode.firstRun
    return try await engine.runs(mode.request) { context in
      if context.attempt < first {
        // A plain write to what was read makes the run lose, whatever it holds.
        _ = try context.get(doc("lost"))
        _ = try await engine.set("lost", ["n": .integer(Int64(fresh()))])
        return try context.write(.set("r/never", [:]))
      }
      try await body(context, context.attempt - first + 1)
    } - first + 1
  }

  /// Another transaction, which the block that calls this waits for.
  ///
  /// Where it needs what the block holds, the block's lease ends first, in virtual time.
  func meanwhile(_ body: @Sendable (TransactionContext) async throws -> Void) async throws {
    _ = try await engine.runs { context in try await body(context) }
  }

  /// Another transaction that adds to cells what it reads there.
  func addMeanwhile(_ cells: String...) async throws {
    try await meanwhile { context in
      var seen: [Int] = []
      for cell in cells { seen.append(try read(cell, context)) }
      for (cell, number) in zip(cells, seen) { try context.write(add(cell, to: number)) }
    }
  }
}
