import Hearth
import HearthBenchmarkKit
import HearthDatasets

extension Scenario {
  /// Rating transactions: read the restaurant, add a rating document, update count and average.
  ///
  /// Spread, each rating takes a restaurant at random; hot, all take the same one. The yardstick
  /// is one thread that commits as many ratings at once as there are tasks: what group commit
  /// could reach if transactions cost nothing.
  static func ratings(tasks: Int, isHot: Bool) -> Scenario {
    Scenario(
      name: "rating/\(isHot ? "hot" : "spread")-\(tasks)", unit: "transaction",
      hearth: { bench in
        let before = bench.db.metrics
        var result = try await rateAll(bench, tasks: tasks, isHot: isHot)
        let after = bench.db.metrics
        result.counters += [
          ("conflicts", Double(after.conflicts - before.conflicts)),
          (
            "commits per flush",
            Double(after.commits - before.commits)
              / Double(max(1, after.groups - before.groups))
          ),
        ]
        return result
      },
      yardstick: { bench in
        var generator = SplitMix64(seed: bench.options.seed)
        let groups = perTask(bench)
        let target = bench.restaurants.count
        var result = try await BenchmarkResult.each(groups, secondsMax: secondsMax) { _ in
          let group = (0..<tasks).map { _ in isHot ? 0 : generator.below(target) }
          let ids = (0..<tasks).map { _ in generator.documentID() }
          return try bench.raw.rate(
            zip(group, ids).map { (bench.restaurants[$0].id, $1) }, stars: 4)
        }
        result.operations *= tasks
        return result
      })
  }

  /// No transaction is begun later than this.
  private static let secondsMax = 5.0

  private static func perTask(_ bench: Bench) -> Int { bench.options.isSmoke ? 8 : 160 }

  private struct TaskResult: Sendable {
    var latencies = Histogram()
    var runs = 0
    var runsMax = 0
  }

  private static func rateAll(
    _ bench: Bench, tasks: Int, isHot: Bool
  ) async throws -> BenchmarkResult {
    let perTask = perTask(bench) * (tasks == 1 ? 8 : 1)
    let stopwatch = Stopwatch()
    let sum = try await withThrowingTaskGroup(of: TaskResult.self) { group in
      for task in 0..<tasks {
        group.addTask {
          try await rate(bench, count: perTask, task: task, isHot: isHot, since: stopwatch)
        }
      }
      var sum = TaskResult()
      for try await result in group {
        sum.latencies.merge(result.latencies)
        sum.runs += result.runs
        sum.runsMax = max(sum.runsMax, result.runsMax)
      }
      return sum
    }
    let count = Int(sum.latencies.count)
    return BenchmarkResult(
      operations: count, nanoseconds: stopwatch.nanoseconds, latencies: sum.latencies,
      counters: [
        ("runs per commit", Double(sum.runs) / Double(max(1, count))),
        ("runs at most", Double(sum.runsMax)),
      ],
      checksum: UInt64(count))
  }

  private static func rate(
    _ bench: Bench, count: Int, task: Int, isHot: Bool, since start: Stopwatch
  ) async throws -> TaskResult {
    var generator = SplitMix64(seed: bench.options.seed &+ UInt64(task) &* 7919)
    var result = TaskResult()
    for _ in 0..<count {
      if start.seconds > secondsMax { break }
      let turn = isHot ? 0 : generator.below(bench.restaurants.count)
      let reference = bench.db.document(bench.restaurants[turn].path)
      let stars = 1 + generator.below(5)
      let latency = Stopwatch()
      let runs = try await bench.db.runTransaction { transaction in
        var restaurant = try transaction.getDocument(reference, as: BenchRestaurant.self)
        restaurant.ratingCount += 1
        restaurant.ratingSum += stars
        restaurant.avgRating = FriendlyEats.average(
          sum: restaurant.ratingSum, count: restaurant.ratingCount)
        transaction.updateData(
          [
            "ratingCount": restaurant.ratingCount, "ratingSum": restaurant.ratingSum,
            "avgRating": restaurant.avgRating,
          ], forDocument: reference)
        transaction.setData(
          ["rating": stars, "userId": "task-\(task)", "text": "Fine, if you must."],
          forDocument: reference.collection("ratings").document())
        return transaction.attempt
      }
      result.latencies.record(latency.nanoseconds)
      result.runs += runs
      result.runsMax = max(result.runsMax, runs)
    }
    return result
  }
}
