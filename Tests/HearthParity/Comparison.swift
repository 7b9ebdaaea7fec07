import HearthModel

/// A request that both databases answered, differently.
struct Difference {
  var request: Request
  var hearth: Answer
  var emulator: Answer
  /// The request as it was sent.
  var wire: JSON
  /// Hearth's token and words, where it failed.
  var hearthReason = ""
  var hearthMessage = ""
  /// The emulator's words, where it failed.
  var emulatorMessage = ""
}

/// Both databases, asked the same.
struct Comparison {
  var hearth: HearthSide
  var emulator: EmulatorSide
  /// How many requests of each kind were compared.
  private(set) var compared: [Request.Kind: Int] = [:]
  /// How many both refused alike, by status and Hearth's reason.
  private(set) var errors: [String: Int] = [:]
  /// How many queries found documents.
  private(set) var fruitful = 0
  /// How often each known difference was met.
  private(set) var known: [String: Int] = [:]

  var total: Int { compared.values.reduce(0, +) }

  init(hearth: HearthSide, emulator: EmulatorSide) {
    self.hearth = hearth
    self.emulator = emulator
  }

  /// Makes both empty.
  mutating func reset() async throws {
    try await hearth.reset()
    try emulator.reset()
  }

  /// What one request came to.
  struct Outcome {
    var hearth: Answer
    var emulator: Answer
    /// The names of the known differences that explain why the answers differ; empty if they are
    /// equal.
    var known: [String] = []
    var difference: Difference?

    /// Whether both did something, or neither.
    var isInStep: Bool {
      hearth.isFailure || emulator.isFailure ? hearth.isFailure == emulator.isFailure : true
    }
  }

  /// Asks both and compares; counts unless told that this is only a look.
  mutating func compare(_ request: Request, counts: Bool = true) async throws -> Outcome {
    let ours = try await hearth.ask(request)
    let wire = emulator.body(request)
    let theirs = try emulator.ask(request)
    var outcome = Outcome(hearth: ours, emulator: theirs)
    if ours != theirs {
      var difference = Difference(
        request: request, hearth: ours, emulator: theirs, wire: wire)
      if ours.isFailure {
        difference.hearthReason = hearth.reason
        difference.hearthMessage = hearth.message
      }
      if theirs.isFailure { difference.emulatorMessage = emulator.message }
      outcome.known = try await KnownDifferences.explain(difference, &hearth)
      if outcome.known.isEmpty { outcome.difference = difference }
    }
    guard counts else { return outcome }
    if case .query = request, case .documents(let documents) = ours, !documents.isEmpty {
      fruitful += 1
    }
    compared[request.kind, default: 0] += 1
    for name in outcome.known { known[name, default: 0] += 1 }
    if ours == theirs, case .failure(let status) = ours {
      errors["\(status) \(hearth.reason)", default: 0] += 1
    }
    return outcome
  }
}
