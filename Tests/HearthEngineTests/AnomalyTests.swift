import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// The scripted anomalies (transactions-and-listeners, 8.3), each optimistically, in turns, and
/// with the gate.
///
/// The interfering writes come from inside the block, where they cannot be missed.
@Suite(.timeLimit(.minutes(30))) struct AnomalyTests {
  private func withPair(_ body: (Engine) async throws -> Void) async throws {
    try await withEngine { engine in
      _ = try await engine.commit([.set("r/x", ["n": 0]), .set("r/y", ["n": 0])])
      try await body(engine)
    }
  }

  private func number(_ id: String, _ engine: Engine) throws -> Value? {
    try engine.get(doc(id)).document?.value(at: field("n"))
  }

  @Test func `G0: writes of two transactions do not mix`() async throws {
    try await withPair { engine in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...40 {
          group.addTask {
            let n = Value.integer(Int64(number))
            let ids = number % 2 == 0 ? ["x", "y"] : ["y", "x"]
            _ = try await engine.runs { context in
              for id in ids { try context.write(.set("r/\(id)", ["n": n])) }
            }
            let both = try engine.run(query()).documents.map { try $0.value(at: field("n")) }
            #expect(both[0] == both[1])
          }
        }
        try await group.waitForAll()
      }
      #expect(try number("x", engine) == number("y", engine))
    }
  }

  @Test(arguments: Mode.allCases)
  func `G1a and G1b: neither aborted nor intermediate values are seen`(
    _ mode: Mode
  ) async throws {
    try await withPair { engine in
      struct Abort: Error {}
      _ = try? await engine.play(mode) { context, _ in
        try context.write(.set("r/x", ["n": 1]))
        #expect(try number("x", engine) == 0)
        try context.write(.set("r/x", ["n": 2]))
        #expect(try number("x", engine) == 0)
        throw Abort()
      }
      #expect(try number("x", engine) == 0)
      _ = try await engine.play(mode) { context, _ in
        try context.write(.set("r/x", ["n": 1]))
        try context.write(.set("r/x", ["n": 2]))
        #expect(try number("x", engine) == 0)
      }
      #expect(try number("x", engine) == 2)
    }
  }

  @Test func `G1c: of two that read what the other writes, one runs again and sees it`()
    async throws
  {
    try await withPair { engine in
      let runs = try await engine.runs { first in
        let y = try first.get(doc("y"))?.value(at: field("n"))
        if first.attempt == 1 {
          let inner = try await engine.runs { second in
            _ = try second.get(doc("x"))
            try second.write(.set("r/y", ["n": 5]))
          }
          #expect(inner == 1)
        }
        try first.write(.set("r/x", ["n": y ?? .null]))
      }
      #expect(runs == 2)
      #expect(try number("x", engine) == 5)
    }
  }

  @Test(arguments: Mode.allCases)
  func `P4: an update is not lost`(_ mode: Mode) async throws {
    try await withPair { engine in
      let runs = try await engine.play(mode) { context, run in
        guard case .integer(let n)? = try context.get(doc("x"))?.value(at: field("n"))
        else { return }
        if run == 1 { try await engine.set("x", ["n": 10]) }
        try context.write(.set("r/x", ["n": .integer(n + 1)]))
      }
      #expect(runs == 2)
      #expect(try number("x", engine) == 11)
    }
  }

  @Test(arguments: Mode.allCases)
  func `G-single: all reads of a run are of one version`(_ mode: Mode) async throws {
    try await withPair { engine in
      let runs = try await engine.play(mode) { context, run in
        let x = try context.get(doc("x"))?.value(at: field("n"))
        if run == 1 {
          _ = try await engine.commit([.set("r/x", ["n": 1]), .set("r/y", ["n": 1])])
        }
        // The run either sees the old y or learns that it has lost; it never sees a mixture.
        let y = try context.get(doc("y"))?.value(at: field("n"))
        #expect(x == y)
        try context.write(.set("r/z", ["n": y ?? .null]))
      }
      #expect(runs == 2)
      #expect(try number("z", engine) == 1)
    }
  }

  @Test func `OTV: what two writers did does not vanish from a third's view`() async throws {
    try await withPair { engine in
      let seen = try await withThrowingTaskGroup(of: [(Int64, Int64)].self) { group in
        for _ in 0..<2 {
          group.addTask {
            for _ in 0..<50 {
              _ = try await engine.runs { context in
                guard case .integer(let n)? = try context.get(doc("x"))?.value(at: field("n"))
                else { return }
                for id in ["x", "y"] { try context.write(.set("r/\(id)", ["n": .integer(n + 1)])) }
              }
            }
            return []
          }
        }
        group.addTask {
          var seen: [(Int64, Int64)] = []
          for _ in 0..<100 {
            seen.append(
              try await engine.runTransaction { context in
                guard case .integer(let x)? = try context.get(doc("x"))?.value(at: field("n")),
                  case .integer(let y)? = try context.get(doc("y"))?.value(at: field("n"))
                else { return (-1, -2) }
                return (x, y)
              })
          }
          return seen
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      for (x, y) in seen { #expect(x == y) }
      #expect(seen.map(\.0) == seen.map(\.0).sorted())
      #expect(try number("x", engine) == 100)
    }
  }

  @Test(arguments: Mode.allCases)
  func `PMP: a predicate read twice gives the same, and a phantom costs a run`(
    _ mode: Mode
  ) async throws {
    try await withPair { engine in
      let thirty = query(filter("v", .equal, 30))
      let runs = try await engine.play(mode) { context, run in
        let first = try context.run(thirty).documents.map(\.path)
        if run == 1 { try await engine.set("p", ["v": 30]) }
        #expect(try context.run(thirty).documents.map(\.path) == first)
        try context.write(.set("r/z", ["n": .integer(Int64(first.count))]))
      }
      #expect(runs == 2)
      #expect(try number("z", engine) == 1)
    }
  }

  @Test func `G2-item: write skew on documents costs one of them a run`() async throws {
    try await withPair { engine in
      let runs = try await engine.runs { first in
        _ = try (first.get(doc("x")), first.get(doc("y")))
        if first.attempt == 1 {
          _ = try await engine.runs { second in
            _ = try (second.get(doc("x")), second.get(doc("y")))
            try second.write(.set("r/y", ["n": 1]))
          }
        }
        try first.write(.set("r/x", ["n": 1]))
      }
      #expect(runs == 2)
    }
  }

  @Test func `G2: write skew on a predicate costs one of them a run`() async throws {
    try await withPair { engine in
      let members = query(filter("g", .equal, 1))
      let runs = try await engine.runs { first in
        let count = try first.run(members).documents.count
        if first.attempt == 1 {
          _ = try await engine.runs { second in
            _ = try second.run(members)
            try second.write(.set("r/m2", ["g": 1]))
          }
        }
        if count == 0 { try first.write(.set("r/m1", ["g": 1])) }
      }
      #expect(runs == 2)
      #expect(try engine.ids(members) == ["m2"])
    }
  }
}
