import Hearth
import HearthBenchmarkKit

/// Step 2: queries of every kind, each with its plan and what it touched; then all of them again
/// from several tasks, for their rate.
struct TourStep {
  /// How one query was served.
  struct Stop: Sendable {
    var title: String
    var code: String
    var explained: ExplainedQuery
    /// The median of some runs through `getDocuments`.
    var nanoseconds: UInt64
  }

  struct Result: Sendable {
    var stops: [Stop]
    /// The second round: every query in turn, from several tasks at once.
    var load: Load
  }

  /// Operations and their latencies over a time.
  struct Load: Sendable {
    var latencies: Histogram
    var seconds: Double
    var tasks: Int

    var perSecond: Double { seconds > 0 ? Double(latencies.count) / seconds : 0 }
  }

  private static let timedRuns = 9
  private static let loadTasks = 4
  private static let loadSeconds = 2.0

  let console: Console

  func run(_ db: Firestore) async throws -> Result {
    var stops: [Stop] = []
    var queries: [Query] = []
    for (number, tour) in TourQuery.all.enumerated() {
      let query = try await tour.make(db)
      queries.append(query)
      let explained = try await query.explained()
      let stop = Stop(
        title: tour.title, code: tour.code.joined(separator: "\n"), explained: explained,
        nanoseconds: try await medianTime(of: query))
      stops.append(stop)
      print(stop, number: number + 1, results: explained.documents.map(tour.describe))
    }
    let load = try await measureLoad(queries)
    console.line(
      "  All \(queries.count) in turn from \(load.tasks) tasks: "
        + console.style.bold("\(NumberText.rounded(load.perSecond)) queries/s"))
    return Result(stops: stops, load: load)
  }

  private func medianTime(of query: Query) async throws -> UInt64 {
    var times: [UInt64] = []
    for _ in 0..<Self.timedRuns {
      let stopwatch = Stopwatch()
      _ = try await query.getDocuments()
      times.append(stopwatch.nanoseconds)
    }
    return times.sorted()[Self.timedRuns / 2]
  }

  private func measureLoad(_ queries: [Query]) async throws -> Load {
    let stopwatch = Stopwatch()
    let latencies = try await withThrowingTaskGroup(of: Histogram.self) { group in
      for task in 0..<Self.loadTasks {
        group.addTask {
          var latencies = Histogram()
          var turn = task
          while stopwatch.seconds < Self.loadSeconds {
            let one = Stopwatch()
            _ = try await queries[turn % queries.count].getDocuments()
            latencies.record(one.nanoseconds)
            turn += 1
          }
          return latencies
        }
      }
      return try await group.reduce(into: Histogram()) { $0.merge($1) }
    }
    return Load(latencies: latencies, seconds: stopwatch.seconds, tasks: Self.loadTasks)
  }

  private func print(_ stop: Stop, number: Int, results: [String]) {
    QueryPrinter(console: console).print(
      title: "\(number)  \(stop.title)", code: stop.code, explained: stop.explained,
      nanoseconds: stop.nanoseconds, results: results)
    console.line()
  }
}
