import HearthModel

/// What is asked of both databases.
///
/// An update time in a precondition is the number of the commit that it means: the times
/// themselves differ.
enum Request: Sendable {
  case commit([Write])
  case read([DocumentPath])
  case query(StructuredQuery)
  case aggregate(StructuredQuery, [Aggregation])

  enum Kind: String, CaseIterable {
    case commit, read, query, aggregate
  }

  var kind: Kind {
    switch self {
    case .commit: .commit
    case .read: .read
    case .query: .query
    case .aggregate: .aggregate
    }
  }

  var query: StructuredQuery? {
    switch self {
    case .query(let query), .aggregate(let query, _): query
    default: nil
    }
  }
}

/// What a database says; times are numbers of commits.
enum Answer: Equatable {
  /// The name of the status.
  case failure(String)
  case commit([WriteAnswer])
  /// The documents of a query, or per document of a read what is there.
  case documents([DocumentAnswer?])
  case aggregates([AggregateAnswer])

  var isFailure: Bool {
    if case .failure = self { return true }
    return false
  }
}

struct WriteAnswer: Equatable {
  /// The commit that last changed the document; nil after a delete.
  var updated: Int?
  var transformResults: [Value]
}

struct DocumentAnswer: Equatable {
  var path: DocumentPath
  var created: Int
  var updated: Int
  var fields: Fields
}

struct AggregateAnswer: Equatable {
  var alias: UTF8String
  var value: Value

  /// Sums of doubles depend on the order of adding; everything else is exact.
  static func == (a: AggregateAnswer, b: AggregateAnswer) -> Bool {
    guard a.alias == b.alias else { return false }
    if a.value == b.value { return true }
    guard case .double(let x) = a.value, case .double(let y) = b.value else { return false }
    return x == y || abs(x - y) <= 1e-9 * max(abs(x), abs(y))
  }
}

/// One of the two databases under comparison.
protocol Side {
  /// Makes it empty.
  mutating func reset() async throws
  mutating func ask(_ request: Request) async throws -> Answer
}

/// The commits so far and the times by which one database calls them.
struct Commits<Time: Hashable & Sendable> {
  private var times: [Time] = []
  private var numbers: [Time: Int] = [:]

  mutating func add(_ time: Time) {
    // A commit that changed nothing may have the time of the one before.
    if numbers[time] == nil { numbers[time] = times.count }
    times.append(time)
  }

  /// The number of the commit with this time, -1 if there was none.
  func number(_ time: Time) -> Int { numbers[time] ?? -1 }

  /// The time of a commit, nil if there was none with this number.
  func time(_ number: Int) -> Time? { times.indices.contains(number) ? times[number] : nil }
}

extension Value {
  /// Stands for every time that a server gave: those differ, of course.
  static let serverTime = Value.timestamp(Timestamp(seconds: 0x7ead_beef_0000, nanoseconds: 0))

  /// The value with times that were taken during the run replaced.
  func withoutServerTimes(_ run: ClosedRange<Int64>) -> Value {
    switch self {
    case .timestamp(let time): run.contains(time.seconds) ? .serverTime : self
    case .array(let elements): .array(elements.map { $0.withoutServerTimes(run) })
    case .map(let fields): .map(fields.withoutServerTimes(run))
    default: self
    }
  }
}

extension Value {
  /// Whether a time that was replaced is in it.
  var holdsServerTime: Bool {
    switch self {
    case .array(let elements): elements.contains(where: \.holdsServerTime)
    case .map(let fields): fields.contains { $0.value.holdsServerTime }
    default: self == .serverTime
    }
  }
}

extension Fields {
  func withoutServerTimes(_ run: ClosedRange<Int64>) -> Fields {
    Fields(map { ($0.name, $0.value.withoutServerTimes(run)) })
  }
}
