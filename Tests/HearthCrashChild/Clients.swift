import Foundation
import Hearth

/// How far a client's five sequences of writes had come when the child started.
struct Numbers {
  var counter = 0
  var rating = 0
  var pair = 0
  var toggle = 0
  var loose = 0

  /// From `counter:rating:pair:toggle:loose`.
  init?(_ text: Substring) {
    let parts = text.split(separator: ":").compactMap { Int($0) }
    guard parts.count == 5 else { return nil }
    (counter, rating, pair, toggle, loose) = (parts[0], parts[1], parts[2], parts[3], parts[4])
  }
}

/// One of the clients that write at the same time.
///
/// Each of its sequences has one write under way
/// at a time, so after a kill the database holds what was acknowledged or one write more.
struct Client {
  static let restaurants = 3
  static let slots = 4

  let database: Firestore
  let number: Int
  var numbers: Numbers

  mutating func run() async throws {
    while true {
      submitLoose()
      try await count()
      try await rate()
      try await writePair()
      try await toggle()
    }
  }

  private mutating func count() async throws {
    numbers.counter += 1
    try await database.document("clients/\(number)").setData(["n": numbers.counter])
    report(.counter, client: number, number: numbers.counter)
  }

  private mutating func rate() async throws {
    numbers.rating += 1
    let (client, n) = (number, numbers.rating)
    let restaurant = database.document("restaurants/r\((client * 7 + n) % Client.restaurants)")
    let rating = restaurant.collection("ratings").document("c\(client)-\(n)")
    let stars = 1 + (client + n * 3) % 5
    try await database.runTransaction(maxAttempts: 100) { transaction in
      let old = try transaction.getDocument(restaurant)
      let count = (old["ratingCount"] as? Int ?? 0) + 1
      let sum = (old["ratingSum"] as? Int ?? 0) + stars
      let average = Double(sum) / Double(count)
      transaction.setData(
        ["ratingCount": count, "ratingSum": sum, "average": average], forDocument: restaurant)
      transaction.setData(["client": client, "n": n, "stars": stars], forDocument: rating)
    }
    report(.rating, client: client, number: n)
  }

  private mutating func writePair() async throws {
    numbers.pair += 1
    let batch = database.batch()
    // The halves differ in size, so that they land on different pages.
    batch.setData(["n": numbers.pair], forDocument: database.document("left/\(number)"))
    batch.setData(
      ["n": numbers.pair, "text": String(repeating: "x", count: 900)],
      forDocument: database.document("right/\(number)"))
    try await batch.commit()
    report(.pair, client: number, number: numbers.pair)
  }

  /// Creates four documents, deletes them, and so on.
  private mutating func toggle() async throws {
    numbers.toggle += 1
    let n = numbers.toggle
    let document = database.document("toggles/\(number)-\(n % Client.slots)")
    if n / Client.slots % 2 == 0 {
      try await document.setData(["n": n])
    } else {
      try await document.delete()
    }
    report(.toggle, client: number, number: n)
  }

  /// Two writes that nobody awaits; the second must never be there without the first.
  private mutating func submitLoose() {
    numbers.loose += 1
    let (client, n) = (number, numbers.loose)
    report(.submitted, client: client, number: n)
    database.document("loose/\(client)").setData(["n": n]) { error in
      if error == nil { report(.loose, client: client, number: n) }
    }
    database.document("followers/\(client)").setData(["n": n]) { _ in }
  }
}

/// Declares a composite index and drops it, and changes the overrides of a field, over and over.
func changeIndexes(_ database: Firestore) async throws {
  let index = IndexDefinition(
    collectionID: "ratings",
    fields: [
      IndexField(FieldPath(["client"]), .ascending), IndexField(FieldPath(["n"]), .descending),
    ])
  for round in 0... {
    report(.buildingIndex)
    try await database.createIndex(index)
    report(.indexReady)
    try await Task.sleep(for: .milliseconds(5))
    try await database.dropIndex(index)
    try await changeOverrides(database, round)
  }
}

/// Gives a field other indexes in each round: none, those of the group, the usual ones.
private func changeOverrides(_ database: Firestore, _ round: Int) async throws {
  let everywhere = SingleFieldIndex(mode: .ascending, scope: .collectionGroup)
  let choices: [[SingleFieldIndex]?] = [[], [everywhere], nil]
  do {
    try await database.setFieldOverride(
      collectionID: "ratings", field: round % 2 == 0 ? FieldPath(["n"]) : nil,
      indexes: choices[round % 3])
  } catch let error as HearthError where error.reason == "OVERRIDES_CHANGING" {
    // What an earlier run left unfinished is being finished.
  }
}

/// Watches restaurants: what a listener is shown must agree with itself at every moment.
func watch(_ database: Firestore) async throws {
  struct Torn: Error {}
  for try await snapshot in database.collection("restaurants").snapshots {
    for document in snapshot.documents {
      guard let count = document["ratingCount"] as? Int, let sum = document["ratingSum"] as? Int,
        let average = document["average"] as? Double, average == Double(sum) / Double(count)
      else { throw Torn() }
    }
  }
}
