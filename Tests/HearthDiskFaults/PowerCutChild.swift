import Foundation
import Hearth

/// Writes from several clients at once until the process is killed, and tells on standard output
/// what was acknowledged.
///
/// Arguments: the database, its durability, where the sequences stand, and whether to plant the
/// fault of telling before the commit.
func writeUntilKilled(_ arguments: [String]) async throws {
  guard arguments.count == 4 else { return }
  let database = try await open(arguments[0], Durability(rawValue: arguments[1]) ?? .durable)
  let numbers = Acknowledged(arguments[2])
  let isPlanted = arguments[3] == "planted"
  tell("open")
  // The power goes under it: what fails then is no finding; what was told before counts.
  try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 0..<WriteSequence.clients {
      group.addTask {
        var client = Client(
          database: database, number: number, numbers: numbers, isPlanted: isPlanted)
        try await client.run()
      }
    }
    group.addTask { try await changeIndexes(database) }
    try await group.waitForAll()
  }
}

/// Writes a little, compacts, and so on.
func compactUntilKilled(_ arguments: [String]) async throws {
  guard arguments.count == 4 else { return }
  var client = Client(
    database: try await open(arguments[0], Durability(rawValue: arguments[1]) ?? .durable),
    number: 0, numbers: Acknowledged(arguments[2]), isPlanted: arguments[3] == "planted")
  tell("open")
  while true {
    for _ in 0..<3 { try await client.round() }
    try await client.database.terminate()
    let settings = settings(Durability(rawValue: arguments[1]) ?? .durable)
    try await Firestore.compact(at: URL(filePath: arguments[0]), settings: settings)
    client.database = try await open(arguments[0], settings.durability)
  }
}

private func settings(_ durability: Durability) -> FirestoreSettings {
  let settings = FirestoreSettings()
  settings.durability = durability
  settings.mapSizeBytes = 1 << 33
  return settings
}

/// Opens or makes a database.
func open(_ path: String, _ durability: Durability) async throws -> Firestore {
  try await Firestore.open(at: URL(filePath: path), settings: settings(durability))
}

/// A line to the parent, whole also beside those of other threads, and with the parent once
/// written whatever becomes of this process.
private func tell(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  guard write(1, bytes, bytes.count) == bytes.count else { exit(9) }
}

/// One of the clients that write at the same time.
private struct Client {
  var database: Firestore
  let number: Int
  var numbers: Acknowledged
  let isPlanted: Bool

  mutating func run() async throws {
    while true { try await round() }
  }

  mutating func round() async throws {
    try await next(.counter, count)
    try await next(.rating, rate)
    try await next(.pair, writePair)
    try await next(.toggle, toggle)
    try await next(.text, writeText)
  }

  private mutating func next(
    _ kind: WriteSequence.Kind, _ write: (Int) async throws -> Void
  ) async throws {
    let sequence = WriteSequence(kind, number)
    let n = numbers[sequence] + 1
    if isPlanted { tell("\(sequence.name) \(n)") }
    try await write(n)
    numbers[sequence] = n
    if !isPlanted { tell("\(sequence.name) \(n)") }
  }

  private func count(_ n: Int) async throws {
    try await database.document("clients/\(number)").setData(["n": n])
  }

  private func rate(_ n: Int) async throws {
    let (client, stars) = (number, Contents.stars(number, n))
    let restaurant = database.document("restaurants/r\(Contents.restaurant(client, n))")
    let rating = restaurant.collection("ratings").document("c\(client)-\(n)")
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

  private func writePair(_ n: Int) async throws {
    let batch = database.batch()
    // The halves differ in size, so that they land on different pages.
    batch.setData(["n": n], forDocument: database.document("left/\(number)"))
    batch.setData(
      ["n": n, "text": String(repeating: "x", count: 900)],
      forDocument: database.document("right/\(number)"))
    try await batch.commit()
  }

  private func toggle(_ n: Int) async throws {
    let document = database.document("toggles/\(number)")
    if n % 2 == 1 {
      try await document.setData(["n": n])
    } else {
      try await document.delete()
    }
  }

  private func writeText(_ n: Int) async throws {
    try await database.document("texts/\(number)").setData(
      ["n": n, "text": Contents.text(number, n)])
  }
}

/// Declares a composite index and drops it, over and over.
private func changeIndexes(_ database: Firestore) async throws {
  let index = IndexDefinition(
    collectionID: "ratings",
    fields: [
      IndexField(FieldPath(["client"]), .ascending), IndexField(FieldPath(["n"]), .descending),
    ])
  while true {
    if try database.indexes.contains(where: { $0.definition == index }) {
      try await database.dropIndex(index)
    }
    try await database.createIndex(index)
    try await Task.sleep(for: .milliseconds(5))
  }
}
