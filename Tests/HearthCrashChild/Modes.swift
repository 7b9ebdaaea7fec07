import Foundation
import Hearth

/// Opens the database, which the parent may end at any moment.
func openReported(_ path: String, durability: Durability = .durable) async throws -> Firestore {
  let settings = FirestoreSettings()
  settings.durability = durability
  report(.opening)
  let database = try await Firestore.open(at: URL(filePath: path), settings: settings)
  report(.open)
  return database
}

/// All kinds of writes at once, until killed, or closed after `milliseconds` if that is not 0.
func load(_ path: String, _ numbers: [Numbers], closeAfter milliseconds: Int) async throws {
  let database = try await openReported(path)
  try await withThrowingTaskGroup(of: Void.self) { group in
    for (number, numbers) in numbers.enumerated() {
      group.addTask {
        var client = Client(database: database, number: number, numbers: numbers)
        try await untilClosed("client") { try await client.run() }
      }
    }
    group.addTask { try await untilClosed("indexes") { try await changeIndexes(database) } }
    group.addTask { try await untilClosed("listener") { try await watch(database) } }
    if milliseconds > 0 {
      group.addTask {
        try await Task.sleep(for: .milliseconds(milliseconds))
        report(.closing)
        try await database.terminate()
        report(.closed)
      }
    }
    try await group.waitForAll()
  }
}

/// Runs `body`, for which only the end of the database is a good reason to fail.
private func untilClosed(_ name: String, _ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let error as HearthError
    where ["TERMINATED", "DATABASE_CLOSED"].contains(error.reason)
  {
  } catch {
    reportFailure(name, error)
  }
}

/// Makes one database after another, so that a kill falls into a creation nearly always.
func create(_ directory: String) async throws {
  for number in 1... {
    let database = try await openReported("\(directory)/\(number)")
    try await database.document("made/one").setData(["n": number])
    report(.phase, number: Int(Phase.created.rawValue), value: UInt64(number))
    try await database.terminate()
  }
}

/// Builds and drops an index over many documents that change meanwhile.
func buildIndexes(_ path: String, from start: Int) async throws {
  let database = try await openReported(path)
  let index = IndexDefinition(
    collectionID: "filler",
    fields: [
      IndexField(FieldPath(["kind"]), .ascending), IndexField(FieldPath(["value"]), .ascending),
    ])
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      while true {
        // An earlier run may have left it, ready or half built: both can be dropped.
        if try database.indexes.contains(where: { $0.definition == index }) {
          try await database.dropIndex(index)
        }
        try await database.createIndex(index) { done, _ in
          report(.buildingIndex, value: UInt64(done))
        }
        report(.indexReady)
      }
    }
    group.addTask {
      for n in (start + 1)... {
        try await database.document("filler/f\(n * 37 % 1200)").setData(
          ["kind": n % 7, "value": n])
        try await database.document("clients/0").setData(["n": n])
        report(.counter, number: n)
      }
    }
    try await group.waitForAll()
  }
}

/// Holds the database until standard input ends.
func hold(_ path: String) async throws {
  let database = try await openReported(path)
  _ = FileHandle.standardInput.readDataToEndOfFile()
  try await database.terminate()
}

/// Submits writes that nobody awaits, and ends as a program does that has nothing more to do.
func leave(_ path: String) async throws {
  let database = try await Firestore.open(at: URL(filePath: path))
  for number in 0..<200 {
    database.document("left/\(number)").setData(["n": number], completion: nil)
  }
}

/// Makes a database of an export, and says after every batch how far it is.
func importNew(_ path: String, from file: String) async throws {
  report(.opening)
  _ = try await Firestore.importDatabase(at: URL(filePath: path), from: URL(filePath: file)) {
    done, _ in report(.counter, number: done)
  }
  report(.closed)
}

/// Makes a database of plain objects, and tells the memory of its own that it takes, in KiB.
///
/// Pages of the database's file in memory are the system's to keep or drop, so they do not count.
func importMeasured(_ path: String, from file: String) async throws {
  _ = try await Firestore.importDatabase(
    at: URL(filePath: path), from: URL(filePath: file),
    format: .objects(collection: "c", id: "id")
  ) { _, _ in
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
      let size = line.split(whereSeparator: \.isWhitespace).dropFirst().first
    else { return }
    report(.counter, value: UInt64(size) ?? 0)
  }
}

/// Takes an export into a database that is there.
func importMerging(_ path: String, from file: String) async throws {
  let database = try await openReported(path)
  try await database.import(from: URL(filePath: file), merge: true) { done, _ in
    report(.counter, number: done)
  }
  try await database.terminate()
  report(.closed)
}

/// Compacts a database again and again.
func compact(_ path: String) async throws {
  while true {
    report(.opening)
    try await Firestore.compact(at: URL(filePath: path)) { _, _ in report(.counter) }
    report(.closed)
  }
}
