import Foundation
import Hearth
import HearthBenchmarkKit

/// The demo: opens a database, takes its five steps, and reports.
struct Demo: Sendable {
  let options: DemoOptions
  let place: DemoPlace
  let console: Console

  /// Runs everything; the exit code says whether all checks held.
  func run() async throws -> Int32 {
    let whole = Stopwatch()
    printHeader()
    let settings = FirestoreSettings()
    settings.durability = options.durability
    let db = try await Firestore.open(at: place.database, settings: settings)
    let report: DemoReport
    do {
      report = try await steps(db, whole)
    } catch {
      // Close before the files are removed, and let the first error be the one that is told.
      try? await db.terminate()
      throw error
    }
    try await db.terminate()
    report.print(to: console)
    if options.isJSON { Console.standardOutput.line(report.json.text) }
    if options.keep != nil {
      console.line()
      console.line("The database is kept at \(place.database.path(percentEncoded: false)).")
    }
    return report.check.failures.isEmpty ? 0 : HearthCommand.failure
  }

  private func steps(_ db: Firestore, _ whole: Stopwatch) async throws -> DemoReport {
    console.heading("1  Import")
    let imported = try await ImportStep(options: options, console: console).run(db)

    console.heading("2  A tour of queries")
    let tour = try await TourStep(console: console).run(db)

    console.heading("3  A query without its index")
    let index = try await MissingIndexStep(console: console).run(db)

    console.heading("4  Ratings, and a live query that watches")
    let storm = try await RatingStep(options: options, console: console).run(db)

    console.heading("5  Does it all add up?")
    let check = try await CheckStep(console: console).run(
      db, ratingsExpected: imported.ratings + storm.commits,
      restaurantsExpected: storm.restaurants
        + imported.restaurants, storm: storm)

    return DemoReport(
      machine: Machine.current, durability: options.durability,
      bytesOnDisk: place.bytesOnDisk, imported: imported, tour: tour, index: index, storm: storm,
      check: check, seconds: whole.seconds)
  }

  private func printHeader() {
    let style = console.style
    let path = place.database.path(percentEncoded: false)
    let stay = options.keep == nil ? "removed at the end" : "kept"
    console.line(style.bold("Hearth demo"))
    console.line()
    console.line("  database    \(path) (\(stay))")
    console.line("  durability  \(options.durability.rawValue): \(meaning)")
    let machine = Wrapping.lines(Machine.current.description, width: max(40, console.width - 14))
    console.line("  machine     " + machine.joined(separator: "\n              "))
  }

  private var meaning: String {
    switch options.durability {
    case .durable: "on disk before a commit is acknowledged"
    case .relaxed: "one flush fewer, the last moments may be lost with the power"
    case .none: "no flushes, the file may be lost with the power"
    }
  }
}
