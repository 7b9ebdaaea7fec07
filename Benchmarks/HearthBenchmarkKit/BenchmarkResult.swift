/// What one scenario did and how long it took.
package struct BenchmarkResult: Sendable {
  /// How many operations were done, in the scenario's own unit.
  package var operations: Int
  /// Wall time of all of them.
  package var nanoseconds: UInt64
  /// Latencies of single operations; empty where only the whole was timed.
  package var latencies: Histogram
  /// Exact counts, such as index entries scanned or runs per commit.
  package var counters: [(name: String, value: Double)]
  /// Something computed from the results, so that two variants can be seen to do the same work
  /// and the optimizer cannot drop it.
  package var checksum: UInt64

  package init(
    operations: Int, nanoseconds: UInt64, latencies: Histogram = Histogram(),
    counters: [(name: String, value: Double)] = [], checksum: UInt64
  ) {
    self.operations = operations
    self.nanoseconds = nanoseconds
    self.latencies = latencies
    self.counters = counters
    self.checksum = checksum
  }

  /// Operations per second.
  package var rate: Double {
    nanoseconds == 0 ? 0 : Double(operations) / (Double(nanoseconds) / 1e9)
  }

  /// Runs `body` once for each operation and times each; `body` gives a part of the checksum.
  ///
  /// Begins no operation after `secondsMax`, so that a slow disk makes a run coarse, not endless.
  package static func each(
    _ operations: Int, secondsMax: Double = 10,
    _ body: (Int) async throws -> UInt64
  ) async rethrows -> BenchmarkResult {
    var latencies = Histogram()
    var checksum: UInt64 = 0
    let whole = Stopwatch()
    for operation in 0..<operations {
      if whole.seconds > secondsMax { break }
      let one = Stopwatch()
      checksum &+= try await body(operation)
      latencies.record(one.nanoseconds)
    }
    return BenchmarkResult(
      operations: Int(latencies.count), nanoseconds: whole.nanoseconds, latencies: latencies,
      checksum: checksum)
  }

  package var json: JSONText {
    .object([
      ("operations", .integer(operations)),
      ("seconds", .number(Double(nanoseconds) / 1e9)),
      ("perSecond", .number(rate)),
      ("p50Microseconds", .number(Double(latencies.percentile(0.5)) / 1e3)),
      ("p90Microseconds", .number(Double(latencies.percentile(0.9)) / 1e3)),
      ("p99Microseconds", .number(Double(latencies.percentile(0.99)) / 1e3)),
      ("p999Microseconds", .number(Double(latencies.percentile(0.999)) / 1e3)),
      ("maxMicroseconds", .number(Double(latencies.max) / 1e3)),
      ("counters", .object(counters.map { ($0.name, .number($0.value)) })),
      ("checksum", .string(String(checksum, radix: 16))),
    ])
  }
}
