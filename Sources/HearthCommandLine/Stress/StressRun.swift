import Foundation
import Hearth
import HearthBenchmarkKit
import HearthDatasets

/// One stress run: restaurants, the storm, the judgement.
package struct StressRun: Sendable {
  private static let batchSize = 500

  let options: StressOptions
  let console: Console

  package init(_ options: StressOptions) {
    self.options = options
    console = .standardError
  }

  init(options: StressOptions, console: Console) {
    self.options = options
    self.console = console
  }

  /// Runs in a database of its own, which is removed afterwards unless it is to be kept.
  package func measured() async throws -> StressReport {
    let place = try DemoPlace(keeping: options.keep, named: "stress")
    Interruption.setTemporaryDirectory(place.temporaryDirectory)
    defer { place.removeIfTemporary() }
    let ids = restaurantIDs
    try await open(place) { db in try await insert(ids, into: db) }
    let probe =
      options.durability == .none
      ? nil : DiskProbe.run(in: place.database.deletingLastPathComponent())
    // Opened anew, so that the counters are those of the storm alone.
    var report = try await open(place) { db in try await storm(db, ids) }
    report.probe = probe
    if options.hasYardstick {
      report.yardstick = try StressYardstick(options: options).run(
        report.history.operations, restaurants: ids,
        in: place.database.deletingLastPathComponent()
          .appending(path: "hearth-raw-\(UUID().uuidString)").path(percentEncoded: false))
    }
    return report
  }

  private func open<R: Sendable>(
    _ place: DemoPlace, _ body: (Firestore) async throws -> R
  ) async throws -> R {
    let settings = FirestoreSettings()
    settings.durability = options.durability
    let db = try await Firestore.open(at: place.database, settings: settings)
    do {
      let result = try await body(db)
      try await db.terminate()
      return result
    } catch {
      // Close before the files are removed, and let the first error be the one that is told.
      try? await db.terminate()
      throw error
    }
  }

  private func storm(_ db: Firestore, _ ids: [String]) async throws -> StressReport {
    let references = ids.map { db.collection("restaurants").document($0) }
    let inspection = StressInspection(db: db, restaurants: references)
    let initial = try await inspection.states()
    let clock = RatingStorm.Clock(options.length)
    let storm = RatingStorm(options: options, db: db, restaurants: references)
    let result = await StressProgress(console: console, db: db, clock: clock)
      .show("rating") { await storm.run(clock) }
    let metrics = db.metrics
    var history = RatingHistory(operations: result.operations, initial: initial)
    try await inspection.complete(&history)
    console.line(
      "  checked  \(NumberText.grouped(history.stored.count)) rating documents; now every index "
        + "entry")
    let verification = try await db.verify()
    return StressReport(
      options: options, seconds: result.seconds, errors: result.errors, metrics: metrics,
      history: history, verification: verification)
  }

  // MARK: Restaurants

  private var restaurantIDs: [String] {
    var generator = SplitMix64(seed: options.seed)
    return (0..<options.restaurants).map { _ in generator.documentID() }
  }

  /// Restaurants without ratings.
  private func insert(_ ids: [String], into db: Firestore) async throws {
    let restaurants = db.collection("restaurants")
    var rest = ids.enumerated().map { $0 }[...]
    while !rest.isEmpty {
      let batch = db.batch()
      for (position, id) in rest.prefix(Self.batchSize) {
        batch.setData(
          [
            "name": "Restaurant \(position)", "category": "Ramen", "city": "Oslo",
            "ratingCount": 0, "avgRating": 0.0,
          ], forDocument: restaurants.document(id))
      }
      try await batch.commit()
      rest = rest.dropFirst(Self.batchSize)
    }
  }
}
