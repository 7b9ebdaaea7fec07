import Foundation
import Hearth
import HearthBenchmarkKit
import HearthCommandLine
import Testing

/// Tiny runs in this process; nothing here depends on how fast they are.
@Suite(.timeLimit(.minutes(10))) struct StressRunTests {
  private func options(_ change: (inout StressOptions) -> Void) -> StressOptions {
    var options = StressOptions()
    options.restaurants = 20
    options.tasks = 8
    options.length = .ratings(200)
    options.durability = .none
    change(&options)
    return options
  }

  @Test(arguments: StressKeys.allCases, StressMode.allCases)
  func `every distribution in every mode keeps the invariants and is serializable`(
    _ keys: StressKeys, _ mode: StressMode
  ) async throws {
    let report = try await StressRun(
      options {
        $0.keys = keys
        $0.mode = mode
      }
    ).measured()
    #expect(report.commits + report.failed == 200)
    #expect(report.invariantsHold, "\(report.invariants.all) \(report.verification.findings)")
    #expect(report.isSerializable, "\(report.order.all)")
    #expect(report.history.stored.count == report.commits)
    #expect(report.metrics.transactionsCommitted == report.commits)
    #expect(report.metrics.transactionsByRuns.reduce(0, +) == report.commits)
    #expect(report.metrics.transactionRuns >= report.runsSum)
    #expect(report.latencies.count == UInt64(report.commits))
    if keys == .hot { #expect(report.history.final[0].count == report.commits) }
    // A slow machine may let leases end; then turns promise nothing.
    if mode != .optimistic, report.metrics.leasesExpired == 0 {
      #expect(report.failed == 0)
      #expect(report.runsMax <= (mode == .turns ? 1 : 2))
    }
  }

  @Test func `a real history that is spoilt is found out`() async throws {
    let report = try await StressRun(options { $0.keys = .hot }).measured()
    #expect(report.isSerializable)
    let later = report.history.operations.indices.filter {
      (report.history.operations[$0].read?.count ?? 0) > 20
    }
    for position in later.prefix(50) {
      var history = report.history
      history.operations[position].read?.count -= 1
      #expect(RatingHistoryChecker.check(history).kinds.contains(.wrongRead))
      history = report.history
      history.operations[position].invoked = UInt64.max - 2
      history.operations[position].returned = UInt64.max - 1
      // Now everything was acknowledged before it began: it would have to be the last.
      let isLast = history.operations[position].read?.count == report.commits - 1
      #expect(RatingHistoryChecker.check(history).kinds == (isLast ? [] : [.realTime]))
    }
  }

  @Test func `a dawdling block, relaxed durability and the yardstick`() async throws {
    let report = try await StressRun(
      options {
        $0.length = .ratings(60)
        $0.delayNanoseconds = 1_000_000
        $0.delayEvery = 3
        $0.durability = .relaxed
        $0.hasYardstick = true
      }
    ).measured()
    #expect(report.invariantsHold && report.isSerializable)
    let json = try object(report.json)
    #expect((json["rawLMDB"] as? [String: Any])?["ratingsPerSecond"] as? Double ?? 0 > 0)
    #expect((json["diskFlushMilliseconds"] as? [String: Any])?["p50"] as? Double ?? 0 > 0)
  }

  @Test func `the JSON has what scripts rely on`() async throws {
    let report = try await StressRun(options { $0.length = .ratings(100) }).measured()
    let json = try object(report.json)
    #expect(json["commitsPerSecond"] as? Double ?? 0 > 0)
    let runs = try #require(json["runsPerCommit"] as? [String: Any])
    #expect(runs["mean"] as? Double ?? 0 >= 1)
    #expect(runs["max"] as? Int ?? 0 >= 1)
    #expect(json["failed"] as? Int == 0)
    let latency = try #require(json["latencyMilliseconds"] as? [String: Any])
    let order = ["p50", "p99", "max"].compactMap { latency[$0] as? Double }
    #expect(order.count == 3)
    #expect(order == order.sorted())
    #expect(json["groupSizeMean"] as? Double ?? 0 >= 1)
    #expect(json["durability"] as? String == "none")
    #expect(json["invariantsHold"] as? Bool == true)
    #expect(json["serializable"] as? Bool == true)
    #expect(json["diskFlushMilliseconds"] is NSNull)
    #expect(json["findings"] as? [String] == [])
  }

  @Test func `the bars run every case and hold each bar against its number`() async throws {
    let report = try await StressBars(
      options {
        $0.length = .ratings(300)
        $0.rounds = 2
      }
    ).run()
    #expect(report.isCorrect)
    let json = try object(report.json)
    #expect((json["runs"] as? [Any])?.count == 16)
    let bars = try #require(json["bars"] as? [[String: Any]])
    #expect(bars.count == 7)
    for bar in bars {
      let value = try #require(bar["value"] as? Double)
      let isMet = try #require(bar["met"] as? Bool)
      // The text is rounded to three places.
      if let floor = bar["atLeast"] as? Double {
        #expect(isMet == (value >= floor) || (value - floor).magnitude < 0.001)
      } else {
        let ceiling = try #require(bar["atMost"] as? Double)
        #expect(isMet == (value <= ceiling) || (value - ceiling).magnitude < 0.001)
      }
    }
  }

  @Test func `a run that holds ends with 0, and nothing is left behind`() async {
    let words = [
      "stress", "ratings", "--count", "50", "--restaurants", "5", "--durability", "none",
    ]
    #expect(await HearthCommand.run(words) == 0)
    #expect(await HearthCommand.run(words + ["--json"]) == 0)
    #expect(await HearthCommand.run(words + ["--keep", "/"]) == 64)
  }

  private func object(_ json: JSONText) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(json.text.utf8))
    return try #require(value as? [String: Any])
  }
}
