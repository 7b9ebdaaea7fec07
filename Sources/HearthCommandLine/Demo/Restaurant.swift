import Hearth
import HearthDatasets

/// A restaurant as the demo's model type.
struct Restaurant: Codable, Sendable, Equatable {
  @DocumentID var id: String?
  var name: String
  var category: String
  var city: String
  var price: Int
  var ratingCount = 0
  var ratingSum = 0
  var avgRating = 0.0

  /// Counts one more rating in.
  mutating func add(stars: Int) {
    ratingCount += 1
    ratingSum += stars
    avgRating = FriendlyEats.average(sum: ratingSum, count: ratingCount)
  }
}

/// A rating document.
struct Rating: Codable, Sendable {
  var rating: Int
  var userId: String
  var text: String
  @ServerTimestamp var date: Timestamp?
}
