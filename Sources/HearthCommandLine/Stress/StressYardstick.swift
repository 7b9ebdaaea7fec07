import Foundation
import Hearth
import HearthBenchmarkKit
import HearthYardstick

/// The same ratings as puts in raw LMDB, in the order in which they were submitted.
struct StressYardstick {
  struct Result: Sendable {
    var ratings: Int
    var seconds: Double
    /// Keys written or removed, for each rating.
    var putsPerRating: Double

    var perSecond: Double { seconds > 0 ? Double(ratings) / seconds : 0 }
  }

  static let groupSize = 100
  private static let ratingsMax = 200_000
  private static let secondsMax = 3.0

  let options: StressOptions

  /// Commits as many of them as fit into some seconds, in a new environment at `path`.
  func run(
    _ operations: [RatingHistory.Operation], restaurants: [String], in path: String
  ) throws -> Result {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let raw = try RawRatings(path: path, durability: options.durability)
    defer { raw.close() }
    try raw.insert(restaurants)
    let ratings = operations.filter(\.isAcknowledged).sorted { $0.invoked < $1.invoked }
      .prefix(Self.ratingsMax)
      .map {
        RawRatings.Rating(
          restaurant: restaurants[$0.restaurant], id: RatingID.text($0.rating), stars: $0.stars)
      }
    // All bytes exist before the clock starts.
    let groups = stride(from: 0, to: ratings.count, by: Self.groupSize).map {
      raw.group(Array(ratings[$0..<min($0 + Self.groupSize, ratings.count)]))
    }
    var result = Result(ratings: 0, seconds: 0, putsPerRating: 0)
    var puts = 0
    let stopwatch = Stopwatch()
    for group in groups where stopwatch.seconds < Self.secondsMax {
      try raw.commit(group)
      result.ratings += group.ratings
      puts += group.puts
    }
    result.seconds = stopwatch.seconds
    result.putsPerRating = Double(puts) / Double(max(1, result.ratings))
    return result
  }
}
