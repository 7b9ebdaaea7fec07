import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// The engine against an evaluator that shares nothing with it (documents-and-queries, Annex C).
@Suite struct BruteForceTests {
  /// The worlds of one run, in parts that run side by side.
  private static let parts = 4
  /// Each asks 330 queries; five times as many where time does not matter: two millions and more.
  private static let worlds = soakFactor > 1 ? 320 * soakFactor : 64

  @Test(arguments: 0..<parts)
  func `by every plan that indexes admit a query finds what looking at everything finds`(
    _ part: Int
  ) async throws {
    let seed = testSeed("bruteForce \(part)")
    var counts = BruteForceWorld.Counts()
    for number in 0..<UInt64(BruteForceTests.worlds / BruteForceTests.parts) {
      do {
        counts += try await BruteForceWorld.run(seed &+ number &* 0x1_0001)
      } catch let failure as BruteForceWorld.Failure {
        return await report(failure, "HEARTH_SEED=\(seed), world \(number)")
      }
    }
    print("bruteForce \(part): \(counts)")
    // The test is worth its time only if every kind of plan occurs, and queries find something.
    #expect(counts.queries >= 20_000 / BruteForceTests.parts)
    #expect(counts.plans > counts.queries)
    #expect(counts.found > counts.queries / 5)
    #expect(counts.invalid > counts.queries / 20)
    let kinds = [
      "nothi", "looku", "scan ", "merge", "every", "group", "ancestor", "projection", "sum",
      "cursor", "limit to last",
    ]
    for kind in kinds {
      #expect(counts.kinds[kind, default: 0] > 0, "too few of \(kind): \(counts)")
    }
  }

  /// Shrinks a failure and records it.
  private func report(_ failure: BruteForceWorld.Failure, _ seed: String) async {
    let ask = BruteForceWorld.asking
    let small = (try? await failure.failing.shrunk(ask)) ?? failure.failing
    let answers = try? await small.difference(ask)
    Issue.record(
      """
      \(seed)
      \(CaseText.text(small))
      expected \(CaseText.text(answers?.expected ?? failure.expected))
      got      \(CaseText.text(answers?.got ?? failure.got))
      """)
  }
}

extension BruteForceWorld {
  /// Runs a whole world; what it did.
  static func run(
    _ seed: UInt64, _ ask: @escaping QueryCase.Asking = BruteForceWorld.asking
  ) async throws -> Counts {
    try await withEngine { options in
      // Without an index every document is looked at: one more plan.
      if seed % 5 == 0 { options.indexPolicy = .scan }
    } _: { engine in
      var world = BruteForceWorld(engine, seed: seed, ask)
      try await world.run(shapes: 10, variants: 30)
      return world.counts
    }
  }

  /// The first wrong answer in a world, nil if there is none.
  static func failure(_ seed: UInt64, _ ask: @escaping QueryCase.Asking) async throws -> Failure? {
    do {
      _ = try await run(seed, ask)
      return nil
    } catch let failure as Failure {
      return failure
    }
  }
}
