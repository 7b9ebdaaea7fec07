import Foundation
import Hearth
import HearthTestSupport

/// A writer with registers of its own, and ratings that it shares with others.
struct Client {
  static let restaurants = 3
  static let slots = 4

  var database: Firestore
  let number: Int
  let notebook: Notebook
  let plant: Plant?
  private var written: Int

  init(
    _ database: Firestore, _ number: Int, _ notebook: Notebook, _ plant: Plant?,
    after written: Int = 0
  ) {
    self.written = written
    self.database = database
    self.number = number
    self.notebook = notebook
    self.plant = plant
  }

  /// One write of one kind or another.
  mutating func write() async throws {
    written += 1
    switch written % 4 {
    case 0: try await count()
    case 1: try await rate()
    case 2: try await writePair()
    default: try await toggle()
    }
  }

  private func commit(
    _ register: String, _ value: Int?, _ body: () async throws -> Void
  ) async throws {
    notebook.note(.submitted, register, value)
    if plant == .ackBeforeCommit { notebook.note(.acknowledged, register, value) }
    do {
      try await body()
    } catch let error as HearthError {
      // Any other reason says that nothing has happened.
      if error.reason != "COMMIT_OUTCOME_UNKNOWN" { notebook.note(.refused, register, value) }
      throw error
    }
    notebook.note(.acknowledged, register, value)
  }

  private func count() async throws {
    let n = written
    try await commit("counter/\(number)", n) {
      try await database.document("counters/\(number)").setData(["n": n])
    }
  }

  private func rate() async throws {
    let (client, n) = (number, written)
    let restaurant = database.document("restaurants/r\((client * 7 + n) % Client.restaurants)")
    let rating = restaurant.collection("ratings").document("c\(client)-\(n)")
    let stars = Client.stars(client, n)
    try await commit("rating/c\(client)-\(n)", 1) {
      try await database.runTransaction(maxAttempts: 100) { transaction in
        let old = try transaction.getDocument(restaurant)
        let count = (old["ratingCount"] as? Int ?? 0) + 1
        let sum = (old["ratingSum"] as? Int ?? 0) + stars
        transaction.setData(
          ["ratingCount": count, "ratingSum": sum, "average": Double(sum) / Double(count)],
          forDocument: restaurant)
        transaction.setData(["client": client, "n": n, "stars": stars], forDocument: rating)
      }
    }
  }

  static func stars(_ client: Int, _ number: Int) -> Int { 1 + (client + number * 3) % 5 }

  private func writePair() async throws {
    let n = written
    try await commit("pair/\(number)", n) {
      let batch = database.batch()
      // The halves differ in size, so that they lie on different pages, now and then on several.
      let text = String(repeating: "x", count: n % 12 == 2 ? 9000 : 900)
      batch.setData(["n": n], forDocument: database.document("left/\(number)"))
      batch.setData(["n": n, "text": text], forDocument: database.document("right/\(number)"))
      try await batch.commit()
    }
  }

  private func toggle() async throws {
    let n = written
    let slot = n / 4 % Client.slots
    let document = database.document("slots/\(number)-\(slot)")
    if n / 16 % 2 == 0 {
      try await commit("slot/\(number)-\(slot)", n) { try await document.setData(["n": n]) }
    } else {
      try await commit("slot/\(number)-\(slot)", nil) { try await document.delete() }
    }
  }

  /// The index that runs build.
  static let index = IndexDefinition(
    collectionID: "ratings",
    fields: [
      IndexField(FieldPath(["client"]), .ascending), IndexField(FieldPath(["n"]), .descending),
    ])
}

/// Opens a database as all runs do.
func openDatabase(_ path: String, _ durability: Durability = .durable) async throws -> Firestore {
  try await Firestore.open(at: URL(filePath: path), settings: runSettings(durability))
}

/// Settings of all runs: little address space, as there are many at a time.
func runSettings(_ durability: Durability = .durable) -> FirestoreSettings {
  let settings = FirestoreSettings()
  settings.durability = durability
  settings.mapSizeBytes = 1 << 33
  return settings
}
