/// What a run of ratings saw and left.
///
/// Nothing in it comes from the engine's word alone: reads and times are the clients' own, versions
/// are the update times of the stored documents.
package struct RatingHistory: Sendable {
  /// A restaurant's rated part.
  package struct State: Sendable, Equatable {
    package var count: Int
    package var average: Double
    /// The update time in microseconds.
    package var version: Int64

    package init(count: Int, average: Double, version: Int64) {
      self.count = count
      self.average = average
      self.version = version
    }

    /// The state with one more rating, as every transaction works it out.
    package func adding(stars: Int, version: Int64) -> State {
      State(
        count: count + 1,
        average: (average * Double(count) + Double(stars)) / Double(count + 1),
        version: version)
    }
  }

  /// One transaction, as its client saw it.
  package struct Operation: Sendable {
    /// Tells ratings apart; the rating document's id is made of it.
    package var rating: UInt64
    /// The restaurant's position.
    package var restaurant: Int
    package var stars: Int
    /// Before the call and after its return, on one clock that never jumps.
    package var invoked: UInt64
    package var returned: UInt64
    /// What the committed run read; nil if the transaction failed.
    package var read: State?
    /// How often the block ran; 0 if the transaction failed.
    package var runs: Int

    package init(
      rating: UInt64, restaurant: Int, stars: Int, invoked: UInt64, returned: UInt64,
      read: State?, runs: Int
    ) {
      self.rating = rating
      self.restaurant = restaurant
      self.stars = stars
      self.invoked = invoked
      self.returned = returned
      self.read = read
      self.runs = runs
    }

    package var isAcknowledged: Bool { read != nil }
  }

  /// A rating document that was found afterwards.
  package struct Stored: Sendable {
    /// Nil for an id that no client made.
    package var rating: UInt64?
    package var restaurant: Int
    package var stars: Int
    package var version: Int64

    package init(rating: UInt64?, restaurant: Int, stars: Int, version: Int64) {
      self.rating = rating
      self.restaurant = restaurant
      self.stars = stars
      self.version = version
    }
  }

  package var operations: [Operation]
  package var stored: [Stored]
  /// All restaurants before the run, and after it.
  package var initial: [State]
  package var final: [State]

  package init(
    operations: [Operation], stored: [Stored] = [], initial: [State], final: [State] = []
  ) {
    self.operations = operations
    self.stored = stored
    self.initial = initial
    self.final = final
  }
}

/// Something that may not be.
package struct RatingFinding: Sendable, Equatable {
  package enum Kind: String, Sendable, Equatable {
    /// An acknowledged rating that is not stored.
    case lost
    /// A stored rating that nobody, or a failed transaction, made.
    case ghost
    /// Two commits of one version.
    case sameVersion
    /// A read that no order by versions explains: a lost update, a stale or a torn read.
    case wrongRead
    /// Acknowledged before another was submitted, yet later in the order.
    case realTime
    /// The end is not what the order leads to.
    case wrongEnd
    /// A count is not the number of rating documents.
    case wrongCount
    /// An average is not that of the stored ratings.
    case wrongAverage
  }

  package var kind: Kind
  package var text: String
}

/// Collects findings; beyond a few of a kind only their number.
package struct RatingFindings: Sendable {
  private static let shownOfEach = 5

  package private(set) var all: [RatingFinding] = []
  package private(set) var count = 0
  private var counts: [RatingFinding.Kind: Int] = [:]

  mutating func add(_ kind: RatingFinding.Kind, _ text: @autoclosure () -> String) {
    count += 1
    counts[kind, default: 0] += 1
    if counts[kind, default: 0] <= Self.shownOfEach {
      all.append(RatingFinding(kind: kind, text: text()))
    }
  }

  package var kinds: Set<RatingFinding.Kind> { Set(counts.keys) }
}
