import HearthEngine
import HearthStorage
import HearthTestSupport
import Testing

/// One script, one way to read, one way to run.
struct AnomalyCase: Sendable, CustomTestStringConvertible {
  var script: AnomalyScript
  var read: PlayRead
  var mode: PlayMode

  var testDescription: String {
    "\(script.rawValue), \(read.rawValue), \(mode.rawValue)"
  }

  static let all = AnomalyScript.allCases.flatMap { script in
    PlayRead.allCases.flatMap { read in
      PlayMode.allCases.map { AnomalyCase(script: script, read: read, mode: $0) }
    }
  }
}

/// Every anomaly by every kind of read in every mode, in virtual time, where a lease that has to
/// end costs nothing.
@Suite struct AnomalyTableTests {
  @Test(arguments: AnomalyCase.all)
  func `a scripted anomaly is prevented`(_ play: AnomalyCase) throws {
    try simulate(seed: testSeed(play.testDescription)) { runtime in
      try await withTemporaryDirectory(inMemory: true) { directory in
        var options = EngineOptions(path: directory + "/db", runtime: runtime)
        options.durability = .none
        options.mapSize = 1 << 28
        let engine = try Engine.open(options)
        try await play.script.play(AnomalyStage(engine, play.mode, play.read))
        let findings = try engine.findings()
        #expect(findings == [])
        await engine.close()
      }
    }
  }

  @Test func `the table has at least sixty cases`() {
    #expect(AnomalyCase.all.count >= 60)
  }
}
