import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// A query in a transaction protects its predicate, not its result (2.5 and 7.5).
@Suite struct PhantomTests {
  /// Expects how many runs a transaction takes whose first run is disturbed after its query.
  private func expect(
    _ expected: Int, of query: StructuredQuery, in engine: Engine,
    disturbedBy writes: [Write], _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let runs = try await engine.runs { context in
      _ = try context.run(query)
      if context.attempt == 1 { _ = try await engine.commit(writes) }
      try context.write(.set("other/done", ["n": .integer(Int64(context.attempt))]))
    }
    #expect(runs == expected, sourceLocation: location)
  }

  /// Ten documents d0 to d9 with `n` from 0 to 9 and `even`.
  private func withTen(_ body: (Engine) async throws -> Void) async throws {
    try await withEngine { engine in
      for number in 0..<10 {
        try await engine.set(
          "d\(number)", ["n": .integer(Int64(number)), "even": .boolean(number % 2 == 0)])
      }
      try await body(engine)
    }
  }

  @Test func `an insert, a delete and a change into a queried range conflict`() async throws {
    let high = query(filter("n", .greaterThan, 6))
    for write in [
      try Write.set("r/new", ["n": 7]), try .delete("r/d8"), try .set("r/d1", ["n": 9]),
      try .set("r/d8", ["n": 1]), try .set("r/d8", ["n": 8, "even": .boolean(false)]),
    ] {
      try await withTen { engine in
        try await expect(2, of: high, in: engine, disturbedBy: [write])
      }
    }
  }

  @Test func `what lies outside of the range does not conflict`() async throws {
    try await withTen { engine in
      let high = query(filter("n", .greaterThan, 6))
      let writes = try [
        Write.set("r/new", ["n": 6]), .delete("r/d1"), .set("r/d2", ["n": 3]),
        .set("s/new", ["n": 8]), .set("r/odd", ["m": 8]),
      ]
      try await expect(1, of: high, in: engine, disturbedBy: writes)
    }
  }

  @Test func `beyond the last document of a limit nothing is protected`() async throws {
    try await withTen { engine in
      let low = query(order: [by("n")], limit: 3)
      try await expect(1, of: low, in: engine, disturbedBy: [.set("r/new", ["n": 3])])
      try await expect(1, of: low, in: engine, disturbedBy: [.delete("r/d3")])
      try await expect(2, of: low, in: engine, disturbedBy: [.set("r/new2", ["n": 1])])
      let high = query(order: [by("n", .descending)], limit: 3)
      try await expect(1, of: high, in: engine, disturbedBy: [.set("r/new3", ["n": 6])])
      try await expect(2, of: high, in: engine, disturbedBy: [.set("r/new4", ["n": 8])])
    }
  }

  @Test func `a limit that was not met protects everything behind`() async throws {
    try await withTen { engine in
      let high = query(filter("n", .greaterThan, 7), limit: 5)
      try await expect(2, of: high, in: engine, disturbedBy: [.set("r/new", ["n": 100])])
    }
  }

  @Test func `an empty result is protected`() async throws {
    try await withTen { engine in
      let none = query(filter("n", .equal, 77))
      try await expect(2, of: none, in: engine, disturbedBy: [.set("r/new", ["n": 77])])
    }
  }

  @Test func `a collection that was never written to is protected`() async throws {
    try await withEngine { engine in
      try await expect(2, of: query(), in: engine, disturbedBy: [.set("r/a", [:])])
    }
  }

  @Test func `a document of a collection never written to is protected`() async throws {
    try await withEngine { engine in
      let runs = try await engine.runs { context in
        _ = try context.get(doc("a"))
        if context.attempt == 1 { try await engine.set("a", [:]) }
        try context.write(.set("s/b", [:]))
      }
      #expect(runs == 2)
    }
  }

  @Test func `a field that no document ever had is protected`() async throws {
    try await withTen { engine in
      let none = query(filter("fresh", .equal, 1))
      try await expect(2, of: none, in: engine, disturbedBy: [.set("r/a", ["fresh": 1])])
      let tags = query(filter("tags", .arrayContains, 1))
      let write = try Write.set("r/b", ["tags": .array([1])])
      try await expect(2, of: tags, in: engine, disturbedBy: [write])
    }
  }

  @Test func `a merge protects what it skipped`() async throws {
    let both = query(filter("n", .equal, 4), filter("even", .equal, .boolean(true)))
    for (write, expected) in [
      (try Write.set("r/d0", ["n": 4, "even": .boolean(true)]), 2),
      (try Write.set("r/zz", ["n": 4, "even": .boolean(true)]), 2),
      (try Write.delete("r/d4"), 2),
      (try Write.set("r/zz", ["n": 5, "even": .boolean(false)]), 1),
    ] {
      try await withTen { engine in
        try await expect(expected, of: both, in: engine, disturbedBy: [write])
      }
    }
  }

  @Test func `an in query and a name scan are protected`() async throws {
    try await withTen { engine in
      let several = query(filter("n", .in, .array([20, 21])))
      try await expect(2, of: several, in: engine, disturbedBy: [.set("r/x", ["n": 21])])
      let all = query(limit: 3)
      try await expect(2, of: all, in: engine, disturbedBy: [.set("r/a", [:])])
      try await expect(1, of: all, in: engine, disturbedBy: [.set("r/zzz", [:])])
    }
  }

  @Test func `a composite index created meanwhile and used is protected`() async throws {
    try await withTen { engine in
      try await engine.createIndex(index(("even", .ascending), ("n", .descending)))
      let top = query(
        filter("even", .equal, .boolean(true)), order: [by("n", .descending)], limit: 2)
      let inside = try Write.set("r/x", ["even": .boolean(true), "n": 7])
      let outside = try Write.set("r/y", ["even": .boolean(true), "n": 1])
      try await expect(1, of: top, in: engine, disturbedBy: [outside])
      try await expect(2, of: top, in: engine, disturbedBy: [inside])
    }
  }

  @Test func `two inserts under one predicate do not both pass`() async throws {
    try await withEngine { engine in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask {
            _ = try await engine.runs { context in
              let found = try context.run(query(filter("g", .equal, 1)))
              guard found.documents.count < 5 else { return }
              try context.write(.set("r/m\(number)", ["g": 1]))
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try engine.run(query(filter("g", .equal, 1))).documents.count == 5)
    }
  }

  @Test func `where no log answers the range is walked again, and that decides`() async throws {
    // A later read of the same run finds a newer version: the range has to be walked again.
    try await withTen { engine in
      let high = query(filter("n", .greaterThan, 6))
      let runs = try await engine.runs { context in
        _ = try context.run(high)
        if context.attempt == 1 { _ = try await engine.commit([.set("r/d1", ["n": 2])]) }
        // Walks the range again, finds it unchanged and goes on at the newer version.
        _ = try context.get(doc("d2"))
        try context.write(.set("other/done", [:]))
      }
      #expect(runs == 1)
      let again = try await engine.runs { context in
        _ = try context.run(high)
        if context.attempt == 1 { _ = try await engine.commit([.set("r/d1", ["n": 8])]) }
        _ = try? context.get(doc("d2"))
        try context.write(.set("other/done2", [:]))
      }
      #expect(again == 2)
    }
  }
}
