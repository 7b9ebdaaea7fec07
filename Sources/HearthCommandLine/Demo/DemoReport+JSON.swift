import Hearth
import HearthBenchmarkKit

extension DemoReport {
  /// The report for programs.
  var json: JSONText {
    .object([
      ("version", .string(HearthCommand.version)),
      ("machine", machine.json),
      ("durability", .string(durability.rawValue)),
      ("seconds", .number(seconds)),
      ("bytesOnDisk", .integer(bytesOnDisk)),
      ("import", importJSON), ("tour", tourJSON), ("missingIndex", indexJSON),
      ("ratings", stormJSON), ("check", checkJSON),
    ])
  }

  private var importJSON: JSONText {
    .object(
      imported.sets.map { set in
        (
          set.name,
          .object([("documents", .integer(set.documents)), ("seconds", .number(set.seconds))])
        )
      })
  }

  private var tourJSON: JSONText {
    .object([
      ("queries", .array(tour.stops.map { Self.json($0.title, $0.explained, $0.nanoseconds) })),
      (
        "load",
        .object([
          ("tasks", .integer(tour.load.tasks)), ("perSecond", .number(tour.load.perSecond)),
          ("latencies", Self.json(tour.load.latencies)),
        ])
      ),
    ])
  }

  private var indexJSON: JSONText {
    .object([
      ("reason", .string(index.reason)), ("definition", .string(index.definition)),
      ("documents", .integer(index.documents)), ("seconds", .number(index.seconds)),
      ("query", Self.json("after the index was built", index.explained, index.nanoseconds)),
    ])
  }

  private var stormJSON: JSONText {
    .object([
      ("tasks", .integer(storm.tasks)), ("restaurants", .integer(storm.restaurants)),
      ("seconds", .number(storm.seconds)), ("commits", .integer(storm.commits)),
      ("perSecond", .number(storm.perSecond)),
      ("latencies", Self.json(storm.latencies)),
      ("runsPerCommitMean", .number(storm.runsPerCommit)),
      ("runsPerCommitMax", .integer(storm.runsMax)), ("conflicts", .integer(storm.conflicts)),
      ("groups", .integer(storm.groups)), ("snapshots", .integer(storm.live.snapshots)),
      ("snapshotsPerSecond", .number(storm.snapshotsPerSecond)),
    ])
  }

  private var checkJSON: JSONText {
    .object([
      ("passed", .boolean(check.failures.isEmpty)),
      ("restaurants", .integer(check.restaurants)), ("ratings", .integer(check.ratings)),
      ("documents", .integer(check.documents)), ("indexEntries", .integer(check.indexEntries)),
      ("failures", .array(check.failures.map { .string($0) })),
    ])
  }

  private static func json(
    _ title: String, _ explained: ExplainedQuery, _ nanoseconds: UInt64
  ) -> JSONText {
    .object([
      ("title", .string(title)), ("plan", .array(explained.plan.map { .string($0) })),
      ("indexes", .array(explained.indexes.map { .string($0) })),
      ("entriesScanned", .integer(explained.entriesScanned)),
      ("documentsRead", .integer(explained.documentsRead)),
      ("results", .integer(explained.documents.count)),
      ("microseconds", .number(Double(nanoseconds) / 1e3)),
    ])
  }

  private static func json(_ latencies: Histogram) -> JSONText {
    .object([
      ("p50Microseconds", .number(Double(latencies.percentile(0.5)) / 1e3)),
      ("p99Microseconds", .number(Double(latencies.percentile(0.99)) / 1e3)),
      ("maxMicroseconds", .number(Double(latencies.max) / 1e3)),
    ])
  }
}
