import HearthModel
import HearthTestSupport

/// One world's program: commits, each looked at, with queries between them.
struct Program {
  let seed: UInt64
  private var world: RandomWorld
  private var commits = 0

  init(seed: UInt64) {
    self.seed = seed
    world = RandomWorld(seed: seed)
  }

  /// A difference that nobody expected, and what it takes to show it.
  struct Finding {
    var seed: UInt64
    var step: Int
    var documents: [Document]
    var difference: Difference
  }

  static let rounds = 6

  /// Runs the program; where one database took a commit and the other did not, both are set back.
  mutating func run(
    _ comparison: inout Comparison, progress: (Comparison) -> Void
  ) async throws -> [Finding] {
    var findings: [Finding] = []
    try await comparison.reset()
    var step = 0
    for round in 0..<Program.rounds {
      let kinds = (round == 0 ? [.commit] : []) + Program.kinds
      for kind in kinds {
        step += 1
        let before = try comparison.hearth.fields(world.paths)
        func note(_ difference: Difference) {
          findings.append(
            Finding(seed: seed, step: step, documents: before, difference: difference))
        }
        if kind == .commit {
          let writes = step == 1 ? world.filling() : world.commit(after: commits)
          let found = try await commit(writes, &comparison)
          found.differences.forEach(note)
          if !found.isInStep, !(try await setBack(to: before, &comparison)) { return findings }
        } else {
          let fields = before.isEmpty ? Fields() : world.pick(before).fields
          world.witness = fields.withoutServerTimes(comparison.hearth.run)
          let query = world.query()
          let request: Request =
            kind == .query ? .query(query) : .aggregate(query, world.aggregations())
          if let difference = try await comparison.compare(request).difference { note(difference) }
        }
        progress(comparison)
      }
    }
    return findings
  }

  /// What one round asks.
  private static let kinds: [Request.Kind] =
    Array(repeating: .commit, count: 8) + Array(repeating: .query, count: 24)
    + Array(repeating: .aggregate, count: 6)

  /// Commits and looks at what was written.
  private mutating func commit(
    _ writes: [Write], _ comparison: inout Comparison
  ) async throws -> (differences: [Difference], isInStep: Bool) {
    let wire = comparison.emulator.body(.commit(writes))
    let outcome = try await comparison.compare(.commit(writes))
    var differences = outcome.difference.map { [$0] } ?? []
    if outcome.hearth.isFailure != outcome.emulator.isFailure { return (differences, false) }
    if !outcome.hearth.isFailure { commits += 1 }
    let paths = Set(writes.map(\.document)).filter(\.isReadable).sorted()
    if paths.isEmpty { return (differences, true) }
    let state = try await comparison.compare(.read(paths))
    if var difference = state.difference {
      // What is wrong is the commit; the reading only shows it.
      difference.request = .commit(writes)
      difference.wire = wire
      differences.append(difference)
    }
    return (differences, state.hearth == state.emulator)
  }

  /// Makes both databases hold these documents and nothing else; false where one refuses.
  private mutating func setBack(
    to documents: [Document], _ comparison: inout Comparison
  ) async throws -> Bool {
    try await comparison.reset()
    commits = 0
    if documents.isEmpty { return true }
    let writes = documents.map { document in
      Write(
        document: document.path,
        operation: .update(fields: document.fields, mask: nil, transforms: []))
    }
    // Transforms can make what the emulator then does not take.
    let outcome = try await comparison.compare(.commit(writes), counts: false)
    commits = 1
    return !outcome.hearth.isFailure && !outcome.emulator.isFailure
  }
}

extension DocumentPath {
  /// Whether one may ask for a document of this name at all.
  fileprivate var isReadable: Bool { (try? validate()) != nil }
}
