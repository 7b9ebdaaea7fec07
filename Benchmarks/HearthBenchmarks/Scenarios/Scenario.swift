import HearthBenchmarkKit

/// Something to measure, in Hearth and, where there is a fair equivalent, in raw LMDB.
struct Scenario: Sendable {
  var name: String
  /// What one operation is.
  var unit: String
  var hearth: @Sendable (Bench) async throws -> BenchmarkResult
  /// Runs right after, in the same process, so that both see the same machine.
  var yardstick: (@Sendable (Bench) async throws -> BenchmarkResult)?

  static let all: [Scenario] = [
    pointRead, pointReadDecoded, compositeQuery, compositeQueryDecoded, insertBatches,
    ratings(tasks: 1, isHot: false), ratings(tasks: 8, isHot: false),
    ratings(tasks: 64, isHot: false), ratings(tasks: 8, isHot: true),
    ratings(tasks: 64, isHot: true),
  ]

  func run(on bench: Bench) async throws -> BenchmarkReport.Entry {
    BenchmarkReport.Entry(
      name: name, unit: unit, hearth: try await hearth(bench),
      yardstick: try await yardstick?(bench))
  }
}
