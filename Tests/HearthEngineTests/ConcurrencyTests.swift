import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport
import Testing

/// Clients on real threads, checked like the simulated ones; the thread sanitizer runs these too.
@Suite struct ConcurrencyTests {
  private static let restaurants = CollectionPath(unchecked: ["restaurants"])
  private static let ratings = CollectionPath(unchecked: ["ratings"])

  private static func restaurant(_ number: Int) -> DocumentPath {
    restaurants.document("r\(number % 3)")
  }

  private static func set(_ path: DocumentPath, _ fields: Fields) -> Write {
    Write(document: path, operation: .update(fields: fields, mask: nil, transforms: []))
  }

  private static func like(_ path: DocumentPath) -> Write {
    Write(
      document: path,
      operation: .update(
        fields: [:], mask: [],
        transforms: [FieldTransform(path: FieldPath(["likes"]), kind: .increment(.integer(1)))]))
  }

  private func populate(_ recorder: Recorder) async throws {
    try await recorder.commit(
      "populate",
      (0..<3).map {
        Self.set(Self.restaurant($0), ["n": .integer(0), "sum": .integer(0)])
      })
  }

  private func rate(_ recorder: Recorder, task: Int, round: Int) async throws {
    let restaurant = Self.restaurant(task + round)
    let rating = Self.ratings.document("t\(task)-\(round)")
    let stars = Int64(1 + (task + round) % 5)
    try await recorder.transaction("rate") { run in
      guard let fields = try run.get(restaurant)?.fields, case .integer(let n)? = fields["n"],
        case .integer(let sum)? = fields["sum"]
      else { return }
      if round % 2 == 0 { await Task.yield() }
      try run.write(Self.set(rating, ["stars": .integer(stars)]))
      try run.write(
        Write(
          document: restaurant,
          operation: .update(
            fields: ["n": .integer(n + 1), "sum": .integer(sum + stars)],
            mask: [FieldPath(["n"]), FieldPath(["sum"])], transforms: []),
          precondition: .exists(true)))
    }
  }

  /// Count and sum of every restaurant are those of its ratings.
  private func checkSums(_ engine: Engine, ratings: Int) throws {
    var count: Int64 = 0
    for number in 0..<3 {
      if case .integer(let n)? = try engine.get(Self.restaurant(number)).document?.fields()["n"] {
        count += n
      }
    }
    #expect(count == Int64(ratings))
  }

  @Test func `transactions alone run at most twice on real threads`() async throws {
    let rounds = 6 * soakFactor
    try await withEngine({ $0.holdLeases() }) { engine in
      let recorder = Recorder(engine)
      try await populate(recorder)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<64 {
          group.addTask {
            for round in 0..<rounds { try await rate(recorder, task: task, round: round) }
          }
        }
        try await group.waitForAll()
      }
      #expect((recorder.runs.max() ?? 0) <= 2)
      try checkSums(engine, ratings: 64 * rounds)
      let findings = try await recorder.findings(reading: [Self.restaurants, Self.ratings])
      #expect(findings == [])
    }
  }

  @Test func `ratings, plain writers, readers and listeners see one serial history`() async throws {
    let rounds = 4 * soakFactor
    try await withEngine({ $0.holdLeases() }) { engine in
      let recorder = Recorder(engine)
      try await populate(recorder)
      var best = StructuredQuery(Self.restaurants)
      best.orderBy = [OrderBy(FieldPath(["sum"]), .descending)]
      best.limit = 2
      let query = best
      for number in 0..<3 { _ = recorder.listen(.document(Self.restaurant(number))) }
      _ = recorder.listen(.query(query))
      _ = recorder.listen(.query(query), delay: 3_000_000)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<64 {
          group.addTask {
            for round in 0..<rounds { try await rate(recorder, task: task, round: round) }
          }
        }
        for writer in 0..<4 {
          group.addTask {
            for round in 0..<20 * soakFactor {
              try await recorder.commit("like", [Self.like(Self.restaurant(writer + round))])
            }
          }
        }
        for reader in 0..<2 {
          group.addTask {
            for round in 0..<40 * soakFactor {
              if round % 2 == 0 {
                try recorder.run(query)
              } else {
                try recorder.get(Self.restaurant(reader + round))
              }
              // Joins a view that is alive: its first state must hold what was acknowledged.
              let listener = recorder.listen(.query(query))
              await Task.yield()
              if round % 8 != 0 { listener.remove() }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect((recorder.runs.max() ?? 0) <= 3)
      try checkSums(engine, ratings: 64 * rounds)
      let findings = try await recorder.findings(reading: [Self.restaurants, Self.ratings])
      #expect(findings == [])
    }
  }
}
