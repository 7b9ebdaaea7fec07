import Hearth
import HearthBenchmarkKit
import HearthDatasets

/// A restaurant as the decoding scenarios read it.
struct BenchRestaurant: Codable, Sendable {
  var name: String
  var category: String
  var city: String
  var price: Int
  var ratingCount: Int
  var ratingSum: Int
  var avgRating: Double
}

extension Scenario {
  /// How many documents the composite query gives.
  private static let queryLimit = 50

  static let pointRead = Scenario(
    name: "read/point", unit: "document",
    hearth: { bench in
      let references = sample(bench)
      return try await BenchmarkResult.each(references.count) { turn in
        try await references[turn].getDocument().exists ? 1 : 0
      }
    },
    yardstick: readRaw)

  static let pointReadDecoded = Scenario(
    name: "read/point-struct", unit: "document",
    hearth: { bench in
      let references = sample(bench)
      return try await BenchmarkResult.each(references.count) { turn in
        UInt64(try await references[turn].getDocument(as: BenchRestaurant.self).price)
      }
    },
    yardstick: readRaw)

  static let compositeQuery = Scenario(
    name: "query/composite-50", unit: "query",
    hearth: { bench in
      let queries = topQueries(bench)
      var result = try await BenchmarkResult.each(queryCount(bench)) { turn in
        UInt64(try await queries[turn % queries.count].getDocuments().count)
      }
      try await addCounters(of: queries[0], to: &result)
      return result
    },
    yardstick: queryRaw)

  static let compositeQueryDecoded = Scenario(
    name: "query/composite-50-structs", unit: "query",
    hearth: { bench in
      let queries = topQueries(bench)
      return try await BenchmarkResult.each(queryCount(bench)) { turn in
        let snapshot = try await queries[turn % queries.count].getDocuments()
        return UInt64(try snapshot.decoded(as: BenchRestaurant.self).count)
      }
    },
    yardstick: queryRaw)

  // MARK: The same in raw LMDB

  private static let readRaw: @Sendable (Bench) async throws -> BenchmarkResult = { bench in
    let keys = sampleIndexes(bench).map { Array(bench.restaurants[$0].id.utf8) }
    return try await BenchmarkResult.each(keys.count) { turn in
      try bench.raw.byteCount(ofDocument: keys[turn]) > 0 ? 1 : 0
    }
  }

  private static let queryRaw: @Sendable (Bench) async throws -> BenchmarkResult = { bench in
    let categories = categories(bench)
    return try await BenchmarkResult.each(queryCount(bench)) { turn in
      UInt64(
        try bench.raw.top(queryLimit, ofCategory: categories[turn % categories.count]))
    }
  }

  // MARK: What to read

  private static func sampleIndexes(_ bench: Bench) -> [Int] {
    var generator = SplitMix64(seed: bench.options.seed &+ 1)
    return (0..<(bench.options.isSmoke ? 200 : 50_000)).map { _ in
      generator.below(bench.restaurants.count)
    }
  }

  private static func sample(_ bench: Bench) -> [DocumentReference] {
    sampleIndexes(bench).map { bench.db.document(bench.restaurants[$0].path) }
  }

  private static func queryCount(_ bench: Bench) -> Int { bench.options.isSmoke ? 20 : 5_000 }

  private static func categories(_ bench: Bench) -> [String] {
    let all = bench.restaurants.compactMap { restaurant -> String? in
      if case .string(let category)? = restaurant.fields["category"] { return category }
      return nil
    }
    return Set(all).sorted()
  }

  private static func topQueries(_ bench: Bench) -> [Query] {
    categories(bench).map { category in
      bench.db.collection("restaurants").whereField("category", isEqualTo: category)
        .order(by: "avgRating", descending: true).limit(to: queryLimit)
    }
  }

  private static func addCounters(
    of query: Query, to result: inout BenchmarkResult
  ) async throws {
    guard let stats = try await query.explain(analyze: true).executionStats else { return }
    result.counters = [
      ("entries scanned", Double(stats.debugStats.indexEntriesScanned)),
      ("documents read", Double(stats.debugStats.documentsScanned)),
      ("results", Double(stats.resultsReturned)),
    ]
  }
}
