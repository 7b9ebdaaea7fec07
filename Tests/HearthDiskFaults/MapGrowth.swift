import HearthTestSupport

/// Grows maps from next to nothing under readers, queries and listeners (testing.md, R8).
struct MapGrowth {
  private let options: Options
  private var report: Report

  private static let columns = [
    "databases", "commits", "reads", "queries", "transactions", "events",
  ]

  private init(_ options: Options) {
    self.options = options
    report = Report("map-growth", options, noun: "growths", kinds: [.wrong, .torn])
    report.header = ["map", "growths"] + MapGrowth.columns
  }

  /// Runs it.
  static func report(_ options: Options) async throws -> Report {
    var check = MapGrowth(options)
    return try await check.run()
  }

  private mutating func run() async throws -> Report {
    let directory = try Workplace.directory(bytes: 200 << 20)
    let cycles = options.plant ? 7 : options.cycles ?? 40
    let result = try await Supervision.run(
      [
        "map-growth", directory, "\(options.seed)", "\(cycles)", options.plant ? "planted" : "",
      ]
    ) { result in
      Progress.show("map-growth: \(result.cycles) of \(cycles)")
    }
    report.cycles = result.cycles
    report.rows.append(
      ["256 KiB to 32 MiB", "\(result.cycles)"]
        + MapGrowth.columns.map { "\(result.counts[$0, default: 0])" })
    for finding in result.findings { report.find(finding.kind, finding.text) }
    return report
  }
}
