import Hearth

/// Reads back what a storm left.
struct StressInspection: Sendable {
  private static let pageSize = 5_000
  private static let restaurantsPerTask = 64
  private static let tasksInFlight = 4

  let db: Firestore
  let restaurants: [DocumentReference]

  /// Every restaurant's rated part, by position.
  func states() async throws -> [RatingHistory.State] {
    var states: [RatingHistory.State] = []
    states.reserveCapacity(restaurants.count)
    for restaurant in restaurants {
      states.append(try RatingStorm.state(of: try await restaurant.getDocument()))
    }
    return states
  }

  /// Adds to a history what is stored now.
  func complete(_ history: inout RatingHistory) async throws {
    history.final = try await states()
    let all = Array(restaurants.enumerated())
    var slices = stride(from: 0, to: all.count, by: Self.restaurantsPerTask).map {
      all[$0..<min($0 + Self.restaurantsPerTask, all.count)]
    }[...]
    history.stored = try await withThrowingTaskGroup(of: [RatingHistory.Stored].self) { group in
      var stored: [RatingHistory.Stored] = []
      var inFlight = 0
      while let slice = slices.popFirst() {
        if inFlight == Self.tasksInFlight, let some = try await group.next() {
          stored += some
          inFlight -= 1
        }
        group.addTask {
          var some: [RatingHistory.Stored] = []
          for (position, restaurant) in slice {
            some += try await Self.ratings(of: restaurant, at: position)
          }
          return some
        }
        inFlight += 1
      }
      for try await some in group { stored += some }
      return stored
    }
  }

  private static func ratings(
    of restaurant: DocumentReference, at position: Int
  ) async throws -> [RatingHistory.Stored] {
    let rating = FieldPath(["rating"])
    var stored: [RatingHistory.Stored] = []
    var query = restaurant.collection("ratings").order(by: FieldPath.documentID())
      .limit(to: pageSize)
    while true {
      let documents = try await query.getDocuments().documents
      for document in documents {
        guard case .integer(let stars)? = document.value(rating),
          let version = document.updateTime
        else { throw StressError(text: "'\(document.reference.path)' is not a rating") }
        stored.append(
          RatingHistory.Stored(
            rating: RatingID.number(document.documentID), restaurant: position,
            stars: Int(stars), version: version.stamp))
      }
      guard documents.count == pageSize, let last = documents.last else { return stored }
      query = query.start(afterDocument: last)
    }
  }
}
