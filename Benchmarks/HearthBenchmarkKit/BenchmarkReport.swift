/// The results of a run: one line for each scenario, beside its yardstick.
package struct BenchmarkReport: Sendable {
  /// One scenario's result.
  package struct Entry: Sendable {
    package var name: String
    package var unit: String
    package var hearth: BenchmarkResult
    /// The same work done by raw LMDB in the same process, moments before.
    package var yardstick: BenchmarkResult?

    package init(name: String, unit: String, hearth: BenchmarkResult, yardstick: BenchmarkResult?) {
      self.name = name
      self.unit = unit
      self.hearth = hearth
      self.yardstick = yardstick
    }

    /// How many times as long as the yardstick an operation took; the one number that may be
    /// compared between machines.
    package var ratio: Double? {
      guard let yardstick, hearth.rate > 0 else { return nil }
      return yardstick.rate / hearth.rate
    }
  }

  package var machine = Machine.current
  package var settings: [(name: String, value: String)]
  package private(set) var entries: [Entry] = []

  package init(settings: [(name: String, value: String)]) { self.settings = settings }

  package mutating func add(_ entry: Entry) { entries.append(entry) }

  /// The whole as a table in columns.
  package var table: TextTable {
    var table = TextTable([
      ("scenario", .left), ("per second", .right), ("p50", .right), ("p99", .right),
      ("worst", .right), ("raw LMDB", .right), ("ratio", .right),
    ])
    for entry in entries {
      let latencies = entry.hearth.latencies
      table.add([
        entry.name, NumberText.rounded(entry.hearth.rate),
        NumberText.duration(latencies.percentile(0.5)),
        NumberText.duration(latencies.percentile(0.99)), NumberText.duration(latencies.max),
        entry.yardstick.map { NumberText.rounded($0.rate) } ?? "",
        entry.ratio.map { NumberText.fixed($0, places: 1) + "x" } ?? "",
      ])
    }
    return table
  }

  /// The counters of all scenarios, a line each; empty if there are none.
  package var counterLines: [String] {
    entries.compactMap { entry in
      guard !entry.hearth.counters.isEmpty else { return nil }
      let texts = entry.hearth.counters.map { "\($0.name) \(NumberText.rounded($0.value))" }
      return "\(entry.name): \(texts.joined(separator: ", "))"
    }
  }

  package var json: JSONText {
    .object([
      ("machine", machine.json),
      ("settings", .object(settings.map { ($0.name, .string($0.value)) })),
      (
        "scenarios",
        .array(
          entries.map { entry in
            .object([
              ("name", .string(entry.name)), ("unit", .string(entry.unit)),
              ("hearth", entry.hearth.json), ("rawLMDB", entry.yardstick?.json ?? .null),
              ("ratio", entry.ratio.map { .number($0) } ?? .null),
            ])
          })
      ),
    ])
  }
}
