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

  /// Runs the program; ends early where the two databases are no longer in the same state.
  mutating func run(
    _ comparison: inout Comparison, progress: (Comparison) -> Void
  ) async throws -> [Finding] {
    var findings: [Finding] = []
    try await comparison.reset()
    var step = 0
    for round in 0..<Program.rounds {
      for request in requests(round) {
        step += 1
        var request = request
        // Made late, since it depends on how many succeeded.
        if case .commit = request, step > 1 { request = .commit(world.commit(after: commits)) }
        let before = try comparison.hearth.fields(world.paths)
        let outcome = try await comparison.compare(request)
        progress(comparison)
        if case .commit = outcome.hearth { commits += 1 }
        if let difference = outcome.difference {
          findings.append(
            Finding(seed: seed, step: step, documents: before, difference: difference))
        }
        guard case .commit(let writes) = request else { continue }
        if !outcome.isInStep { return findings }
        let look = Request.read(Array(Set(writes.map(\.document))).filter(\.isReadable).sorted())
        if case .read(let paths) = look, paths.isEmpty { continue }
        let state = try await comparison.compare(look)
        if let difference = state.difference {
          // What is wrong is the commit; the reading only shows it.
          var shown = difference
          shown.request = request
          findings.append(Finding(seed: seed, step: step, documents: before, difference: shown))
        }
        if state.hearth != state.emulator { return findings }
      }
    }
    return findings
  }

  private mutating func requests(_ round: Int) -> [Request] {
    var requests: [Request] = round == 0 ? [.commit(world.filling())] : []
    requests += (0..<8).map { _ in .commit([]) }
    requests += (0..<24).map { _ in .query(world.query()) }
    requests += (0..<6).map { _ in .aggregate(world.query(), world.aggregations()) }
    return requests
  }
}

extension DocumentPath {
  /// Whether one may ask for a document of this name at all.
  fileprivate var isReadable: Bool { (try? validate()) != nil }
}
