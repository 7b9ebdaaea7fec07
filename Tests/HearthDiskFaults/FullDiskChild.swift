import Foundation
import Hearth
import HearthTestSupport
import Synchronization

/// Lives on a small disk until it is full, and beyond.
///
/// Arguments: the disk, a seed, the number of cycles, and whether to plant a fault.
final class FullDiskChild: Sendable {
  private static let writers = 4

  private let disk: String
  private let cycles: Int
  private let isPlanted: Bool
  private let seed: UInt64
  private let voice = ChildVoice()
  /// What was acknowledged, by id: the length of each document's text.
  private let kept = Mutex([String: Int]())
  private let ballast: String

  init(_ arguments: [String]) {
    disk = arguments[0]
    seed = UInt64(arguments[1]) ?? 0
    cycles = Int(arguments[2]) ?? 1
    isPlanted = arguments.last == "planted"
    ballast = disk + "/ballast"
  }

  func run() async throws {
    var generator = SeededGenerator(seed: seed)
    for cycle in 0..<cycles {
      try fillBallast(megabytes: Int.random(in: 8...11, using: &generator))
      try await live(cycle, generator.next())
      voice.cycle()
    }
    voice.done()
  }

  private func live(_ cycle: Int, _ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var database = try await open()
    try await fill(database, cycle, &generator)
    try await fillRest(database, cycle)
    if isPlanted { kept.withLock { $0["planted"] = 10 } }
    try await check(database, "full")
    try await makeNoBackup(of: database)
    // A full disk is no reason not to be opened.
    try await database.terminate()
    database = try await open()
    try await check(database, "opened on a full disk")
    try await delete(database, &generator)
    try await check(database, "after deletes")
    try await refill(database, cycle)
    try await database.terminate()
    try await compact()
    database = try await open()
    try await check(database, "compacted")
    try await database.terminate()
  }

  private func open() async throws -> Firestore {
    let settings = FirestoreSettings()
    settings.mapSizeBytes = 1 << 33
    return try await Firestore.open(at: URL(filePath: disk + "/db"), settings: settings)
  }

  /// Takes so much of the disk, or as much of it as there is beside the database and its reserve.
  private func fillBallast(megabytes: Int) throws {
    for megabytes in (1...megabytes).reversed() {
      try? FileManager.default.removeItem(atPath: ballast)
      do {
        return try Data(count: megabytes << 20).write(to: URL(filePath: ballast))
      } catch {
        if megabytes == 1 { throw error }
      }
    }
  }

  // MARK: Full

  /// Several clients write until each was refused several times in a row, while others read.
  private func fill(
    _ database: Firestore, _ cycle: Int, _ generator: inout SeededGenerator
  ) async throws {
    let filling = Activity()
    let seeds = (0..<FullDiskChild.writers).map { _ in generator.next() }
    let listener = listen(database)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var reads = 0
        while filling.goesOn {
          try await self.readOne(database)
          reads += 1
          await Task.yield()
        }
        self.voice.count("reads", reads)
      }
      group.addTask {
        defer { filling.end() }
        try await withThrowingTaskGroup(of: Void.self) { writers in
          for (writer, seed) in seeds.enumerated() {
            writers.addTask {
              try await self.write(database, "c\(cycle)-w\(writer)", seed)
            }
          }
          try await writers.waitForAll()
        }
      }
      try await group.waitForAll()
    }
    try await database.waitForListeners()
    listener.remove()
  }

  private func write(_ database: Firestore, _ prefix: String, _ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var refusals = 0
    var (filled, refused) = (0, 0)
    for number in 0... {
      if refusals == 8 { break }
      let id = "\(prefix)-\(number)"
      let longest = [100, 3000, 30_000, 200_000][Int.random(in: 0..<4, using: &generator)]
      let length = Int.random(in: 0...longest, using: &generator)
      do {
        try await set(database, id, length)
        kept.withLock { $0[id] = length }
        filled += 1
        refusals = 0
      } catch {
        expectFull(error, "a write")
        refused += 1
        refusals += 1
      }
    }
    voice.count("filled", filled)
    voice.count("refused", refused)
  }

  /// Takes the last room with the smallest of writes, so that deletes find as little as can be.
  private func fillRest(_ database: Firestore, _ cycle: Int) async throws {
    var (number, refusals) = (0, 0)
    while refusals < 20 {
      let id = "c\(cycle)-rest-\(number)"
      do {
        try await set(database, id, 1)
        kept.withLock { $0[id] = 1 }
        refusals = 0
      } catch {
        expectFull(error, "a small write")
        refusals += 1
      }
      number += 1
    }
  }

  private func set(_ database: Firestore, _ id: String, _ length: Int) async throws {
    // Both in one commit or none: what is torn shows.
    let batch = database.batch()
    batch.setData(
      ["length": length, "text": text(id, length)], forDocument: database.document("blobs/\(id)"))
    batch.setData(["length": length], forDocument: database.document("twins/\(id)"))
    try await batch.commit()
  }

  /// About as long as that.
  private func text(_ id: String, _ length: Int) -> String {
    String(repeating: "\(id) ", count: length / 16 + 1)
  }

  private func expectFull(_ error: any Error, _ what: String) {
    let error = error as? HearthError
    if error?.status != .resourceExhausted || error?.reason != "DISK_FULL" {
      voice.find(.failure, "\(what) on a full disk: \(error.map { "\($0)" } ?? "untyped")")
    }
  }

  /// Sees every state whole.
  private func listen(_ database: Firestore) -> any ListenerRegistration {
    let voice = voice
    return database.collection("twins").order(by: "length")
      .addSnapshotListener { (snapshot: QuerySnapshot?, error: (any Error)?) in
        if let error { voice.find(.failure, "a listener: \(error)") }
        let lengths = snapshot?.documents.map { $0["length"] as? Int ?? -1 } ?? []
        if lengths != lengths.sorted() || lengths.contains(-1) {
          voice.find(.wrong, "a listener's snapshot is out of order")
        }
      }
  }

  // MARK: Reading

  private func readOne(_ database: Firestore) async throws {
    guard let (id, length) = kept.withLock({ $0.randomElement() }) else { return }
    let document = try await database.document("blobs/\(id)").getDocument()
    if !document.exists {
      voice.find(.lost, "\(id) while the disk fills up")
    } else if document["text"] as? String != text(id, length) {
      voice.find(.wrong, "\(id) while the disk fills up")
    }
  }

  /// Everything acknowledged is there, nothing else is, and all agrees.
  private func check(_ database: Firestore, _ when: String) async throws {
    let kept = kept.withLock { $0 }
    let blobs = try await database.collection("blobs").getDocuments().documents
    let twins = try await database.collection("twins").order(by: "length").getDocuments().documents
    var found: Set<String> = []
    for document in blobs {
      found.insert(document.documentID)
      guard let length = kept[document.documentID] else {
        voice.find(.wrong, "\(when): \(document.documentID) was refused or deleted, and is there")
        continue
      }
      if document["text"] as? String != text(document.documentID, length) {
        voice.find(.wrong, "\(when): \(document.documentID)")
      }
    }
    for id in kept.keys where !found.contains(id) { voice.find(.lost, "\(when): \(id)") }
    if Set(twins.map(\.documentID)) != found || twins.count != blobs.count {
      voice.find(.torn, "\(when): \(blobs.count) documents and \(twins.count) twins")
    }
    for finding in try await database.verify().findings {
      voice.find(.torn, "\(when): verify: \(finding)")
    }
  }

  /// A copy that does not fit leaves nothing; where the database has given up its reserve, there may
  /// be room for one.
  private func makeNoBackup(of database: Firestore) async throws {
    do {
      try await database.backUp(to: URL(filePath: disk + "/copy"))
      try FileManager.default.removeItem(atPath: disk + "/copy")
    } catch {
      expectFull(error, "a backup")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: disk).filter {
      $0 != "lost+found"
    }
    if Set(names) != ["db", "ballast"] { voice.find(.failure, "a backup left \(names)") }
  }

  // MARK: Room again

  /// Deletes three quarters, one by one.
  ///
  /// Where all are refused, a little of the disk is freed, as its owner would have to.
  private func delete(_ database: Firestore, _ generator: inout SeededGenerator) async throws {
    let ids = kept.withLock { $0.keys.sorted() }.shuffled(using: &generator)
    var (deleted, refused, stuck, refusals) = (0, 0, 0, 0)
    for id in ids.prefix(ids.count * 3 / 4) {
      do {
        let batch = database.batch()
        batch.deleteDocument(database.document("blobs/\(id)"))
        batch.deleteDocument(database.document("twins/\(id)"))
        try await batch.commit()
        kept.withLock { $0[id] = nil }
        deleted += 1
        refusals = 0
      } catch {
        expectFull(error, "a delete")
        refused += 1
        refusals += 1
      }
      if refusals == 20 {
        try shrinkBallast()
        stuck += 1
        refusals = 0
      }
    }
    voice.count("deleted", deleted)
    voice.count("refused-deletes", refused)
    voice.count("stuck", stuck)
    if stuck > 2 {
      voice.find(.failure, "deletes are refused again after \(stuck - 1) MB were freed")
    }
  }

  private func shrinkBallast() throws {
    let file = try FileHandle(forWritingTo: URL(filePath: ballast))
    let size = try file.seekToEnd()
    try file.truncate(atOffset: size - 1 << 20)
    try file.close()
  }

  /// What the deletes freed takes new documents.
  private func refill(_ database: Firestore, _ cycle: Int) async throws {
    for number in 0..<20 {
      let id = "c\(cycle)-again-\(number)"
      do {
        try await set(database, id, 10_000)
        kept.withLock { $0[id] = 10_000 }
      } catch {
        voice.find(.failure, "a write after the deletes: \(error)")
      }
    }
  }

  /// Needs room for the copy: a clean refusal without, and afterwards a smaller file.
  private func compact() async throws {
    let url = URL(filePath: disk + "/db")
    do {
      _ = try await Firestore.compact(at: url)
      voice.count("compactions", 1)
    } catch {
      expectFull(error, "a compaction")
    }
    try FileManager.default.removeItem(atPath: ballast)
    let report = try await Firestore.compact(at: url)
    voice.count("compactions", 1)
    if report.bytesAfter > report.bytesBefore {
      voice.find(.failure, "compaction from \(report.bytesBefore) to \(report.bytesAfter) bytes")
    }
    let names = Set(try FileManager.default.contentsOfDirectory(atPath: url.path))
    if !names.isSubset(of: ["data.mdb", "lock.mdb", "hearth.lock", "reserve"]) {
      voice.find(.failure, "compaction left \(names)")
    }
  }
}
