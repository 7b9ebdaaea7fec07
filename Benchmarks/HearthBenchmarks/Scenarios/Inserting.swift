import HearthBenchmarkKit
import HearthDatasets

extension Scenario {
  static let insertBatches = Scenario(
    name: "write/insert-batches-of-500", unit: "document",
    hearth: { bench in
      let batches = newRestaurants(bench, seed: 1001)
      var result = try await BenchmarkResult.each(batches.count) { turn in
        try await bench.insert(batches[turn])
        return UInt64(batches[turn].count)
      }
      // Latencies are those of batches; the rate is that of documents.
      result.operations = Int(result.checksum)
      return result
    },
    yardstick: { bench in
      let batches = newRestaurants(bench, seed: 1001).map { $0.map(RawDocument.init) }
      var result = try await BenchmarkResult.each(batches.count) { turn in
        try bench.raw.insert(batches[turn])
        return UInt64(batches[turn].count)
      }
      result.operations = Int(result.checksum)
      return result
    })

  /// Restaurants that are not in the database yet.
  private static func newRestaurants(_ bench: Bench, seed: UInt64) -> [[DatasetDocument]] {
    let count = bench.options.isSmoke ? 1_000 : 20_000
    var generator = SplitMix64(seed: bench.options.seed &+ seed)
    let documents = (0..<count).map { turn in
      var document = bench.restaurants[turn % bench.restaurants.count]
      document.id = generator.documentID()
      return document
    }
    return bench.batches(of: documents, size: 500)
  }
}
