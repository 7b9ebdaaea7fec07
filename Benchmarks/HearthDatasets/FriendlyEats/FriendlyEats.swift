import Hearth

/// Restaurants and their ratings, the same for the same seed.
///
/// Each restaurant is followed by its rating documents, and its `ratingCount`, `ratingSum` and
/// `avgRating` agree with them.
package struct FriendlyEats: DocumentSource {
  /// How many ratings a restaurant has at most.
  package static let ratingsMax = 5
  /// The moment that ratings are dated back from: 2026-01-01T00:00:00Z.
  private static let newestSeconds: Int64 = 1_767_225_600

  private let vocabulary: Vocabulary
  private var generator: SplitMix64
  private var restaurantsLeft: Int
  /// The ratings of the restaurant given last, in reverse.
  private var ratings: [DatasetDocument] = []

  init(restaurants: Int, seed: UInt64) throws {
    vocabulary = try Vocabulary()
    generator = SplitMix64(seed: seed)
    restaurantsLeft = restaurants
  }

  /// The average that a restaurant shows: the mean of its ratings as a `Float`, 0 without any.
  ///
  /// The app that this data comes from stores `Float`s and reads them with `as? Float`, which
  /// fails for a double between two of them.
  package static func average(sum: Int, count: Int) -> Double {
    count == 0 ? 0 : Double(Float(Double(sum) / Double(count)))
  }

  package mutating func next() -> DatasetDocument? {
    if let rating = ratings.popLast() { return rating }
    guard restaurantsLeft > 0 else { return nil }
    restaurantsLeft -= 1
    let id = generator.documentID()
    let stars = (0..<generator.below(Self.ratingsMax + 1)).map { _ in
      // The better of two draws: most reviewers are pleased.
      max(generator.pick(vocabulary.stars), generator.pick(vocabulary.stars))
    }
    ratings = stars.map { rating(of: id, stars: $0) }
    let sum = Int(stars.reduce(0, +))
    var fields = Fields()
    fields["avgRating"] = .double(Self.average(sum: sum, count: stars.count))
    fields["category"] = .string(generator.pick(vocabulary.categories))
    fields["city"] = .string(generator.pick(vocabulary.cities))
    fields["features"] = .map([
      "delivery": .boolean(generator.below(3) > 0), "seats": .integer(seats()),
    ])
    let adjective = generator.pick(vocabulary.adjectives)
    fields["name"] = .string("\(adjective) \(generator.pick(vocabulary.nouns))")
    fields["price"] = .integer(generator.pick(vocabulary.prices))
    fields["ratingCount"] = .integer(Int64(stars.count))
    fields["ratingSum"] = .integer(Int64(sum))
    return DatasetDocument(collection: "restaurants", id: id, fields: fields)
  }

  /// From a counter to a hall, small ones more often.
  private mutating func seats() -> Int64 {
    Int64(8 + min(generator.below(200), generator.below(200)))
  }

  private mutating func rating(of restaurant: String, stars: Int64) -> DatasetDocument {
    let age = Int64(generator.below(365 * 86_400))
    var fields = Fields()
    fields["date"] = .timestamp(Timestamp(seconds: Self.newestSeconds - age, nanoseconds: 0))
    fields["rating"] = .integer(stars)
    fields["text"] = .string(generator.pick(vocabulary.remarks[Int(stars) - 1]))
    fields["userId"] = .string("user-\(generator.below(10_000))")
    return DatasetDocument(
      collection: "restaurants/\(restaurant)/ratings", id: generator.documentID(),
      fields: fields)
  }
}
