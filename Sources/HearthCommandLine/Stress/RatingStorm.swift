import Hearth
import HearthBenchmarkKit
import HearthDatasets
import Synchronization

/// The load: tasks that rate restaurants, each in a transaction, and write down what they saw.
struct RatingStorm: Sendable {
  struct Result: Sendable {
    var operations: [RatingHistory.Operation] = []
    var seconds = 0.0
    /// Errors other than contention; each ended its task.
    var errors: [String] = []
  }

  /// One task's part.
  private struct Part: Sendable {
    var operations: [RatingHistory.Operation] = []
    var error: String?
  }

  /// What tells the tasks when to end, and the progress how far they are.
  final class Clock: Sendable {
    private let stopwatch = Stopwatch()
    private let length: StressOptions.Length
    private let begun = Atomic<Int>(0)
    private let ended = Atomic<Int>(0)

    init(_ length: StressOptions.Length) { self.length = length }

    var nanoseconds: UInt64 { stopwatch.nanoseconds }
    var done: Int { ended.load(ordering: .relaxed) }

    /// Whether one more rating is wanted.
    func begin() -> Bool {
      switch length {
      case .seconds(let limit): stopwatch.seconds < Double(limit)
      case .ratings(let limit): begun.add(1, ordering: .relaxed).newValue <= limit
      }
    }

    func end() { ended.add(1, ordering: .relaxed) }

    /// How much of the work is done, 0 to 1.
    var fraction: Double {
      switch length {
      case .seconds(let limit): min(1, stopwatch.seconds / Double(limit))
      case .ratings(let limit): min(1, Double(done) / Double(limit))
      }
    }
  }

  let options: StressOptions
  let db: Firestore
  let restaurants: [DocumentReference]

  private static let countField = FieldPath(["ratingCount"])
  private static let averageField = FieldPath(["avgRating"])

  func run(_ clock: Clock) async -> Result {
    let popularity = options.keys == .zipf ? Zipf(count: restaurants.count) : nil
    let start = clock.nanoseconds
    return await withTaskGroup(of: Part.self) { group in
      for task in 0..<options.tasks {
        group.addTask { await rate(task, popularity, clock) }
      }
      var result = Result()
      for await part in group {
        result.operations += part.operations
        if let error = part.error, result.errors.count < 10 { result.errors.append(error) }
      }
      result.seconds = Double(clock.nanoseconds - start) / 1e9
      return result
    }
  }

  private func rate(_ task: Int, _ popularity: Zipf?, _ clock: Clock) async -> Part {
    var generator = SplitMix64(seed: options.seed &+ UInt64(task) &* 7919)
    var part = Part()
    var number = 0
    while clock.begin() {
      number += 1
      let restaurant =
        switch options.keys {
        case .uniform: generator.below(restaurants.count)
        case .zipf: popularity?.next(using: &generator) ?? 0
        case .hot: 0
        }
      // A bijection of task and number: no two ratings are alike, and ids look random.
      var mixer = SplitMix64(seed: UInt64(task) << 40 | UInt64(number))
      var operation = RatingHistory.Operation(
        rating: mixer.next(), restaurant: restaurant, stars: 1 + generator.below(5),
        invoked: clock.nanoseconds, returned: 0, read: nil, runs: 0)
      let delay = number % options.delayEvery == 0 ? options.delayNanoseconds : 0
      do {
        let (read, runs) = try await submit(operation, task, delay)
        operation.read = read
        operation.runs = runs
      } catch let error as HearthError where error.reason == "CONTENTION" {
        // Recorded as an operation without a read.
      } catch {
        part.error = (error as? HearthError)?.description ?? "\(error)"
      }
      operation.returned = clock.nanoseconds
      part.operations.append(operation)
      clock.end()
      if part.error != nil { break }
    }
    return part
  }

  /// One rating; gives what the committed run read, and its number.
  private func submit(
    _ operation: RatingHistory.Operation, _ task: Int, _ delay: UInt64
  ) async throws -> (RatingHistory.State, Int) {
    let restaurant = restaurants[operation.restaurant]
    let rating = restaurant.collection("ratings").document(RatingID.text(operation.rating))
    let mode: TransactionMode =
      switch options.mode {
      case .automatic: .automatic
      case .turns: .turns(for: [restaurant])
      case .optimistic: .optimistic
      }
    return try await db.runTransaction(
      maxAttempts: options.maxAttempts, concurrency: mode
    ) { transaction in
      let state = try Self.state(of: try transaction.getDocument(restaurant))
      if delay > 0 { try await Task.sleep(nanoseconds: delay) }
      let next = state.adding(stars: operation.stars, version: 0)
      transaction.updateData(
        ["ratingCount": next.count, "avgRating": next.average], forDocument: restaurant)
      transaction.setData(
        ["rating": operation.stars, "userId": "task-\(task)", "text": "Fine, if you must."],
        forDocument: rating)
      return (state, transaction.attempt)
    }
  }

  /// The rated part of a restaurant.
  static func state(of document: DocumentSnapshot) throws -> RatingHistory.State {
    guard case .integer(let count)? = document.value(countField),
      case .double(let average)? = document.value(averageField),
      let version = document.updateTime
    else { throw StressError(text: "'\(document.reference.path)' is not a restaurant") }
    return RatingHistory.State(count: Int(count), average: average, version: version.stamp)
  }
}

/// A run that cannot go on.
struct StressError: Error, CustomStringConvertible {
  var text: String
  var description: String { text }
}

extension Timestamp {
  /// A commit's version: microseconds since 1970.
  var stamp: Int64 { seconds * 1_000_000 + Int64(nanoseconds) / 1_000 }
}
