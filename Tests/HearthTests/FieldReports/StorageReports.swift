import Foundation
import Hearth
import HearthTestSupport
import Synchronization
import Testing

/// Reports about storage: growth, space, readers, closing (section I).
@Suite struct StorageReports {
  private func settings(mapSize: Int = 64 << 20) -> FirestoreSettings {
    let settings = FirestoreSettings()
    settings.durability = .none
    settings.mapSizeBytes = mapSize
    return settings
  }

  private func fill(_ collection: CollectionReference, _ numbers: Range<Int>) async throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 400) {
      let batch = collection.firestore.batch()
      for number in start..<min(start + 400, numbers.upperBound) {
        batch.setData(
          ["n": number, "text": String(repeating: "x", count: 200)],
          forDocument: collection.document("\(number)"))
      }
      try await batch.commit()
    }
  }

  @Test func `BR-117, BR-118: the map grows beside readers, who see whole states`() async throws {
    try await withDatabase(mapSize: 1 << 20) { database in
      let collection = database.collection("c")
      let isDone = Shared(false)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            while !isDone.withLock({ $0 }) {
              let found = try await collection.count.getAggregation(source: .server).count
              #expect(found.intValue % 100 == 0)
              await Task.yield()
            }
          }
        }
        for start in stride(from: 0, to: 1000, by: 100) {
          let batch = database.batch()
          for number in start..<start + 100 {
            batch.setData(
              ["text": String(repeating: "x", count: 3000)],
              forDocument: collection.document("\(number)"))
          }
          try await batch.commit()
        }
        isDone.withLock { $0 = true }
        try await group.waitForAll()
      }
      let statistics = try database.storageStatistics()
      #expect(statistics.mapBytes > 1 << 20 && statistics.fileBytes > 1 << 20)
      let report = try await database.verify()
      #expect(report.documents == 1000 && report.findings == [])
    }
  }

  @Test func `BR-117: at its largest size the database still reads and deletes, and then writes`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let settings = settings(mapSize: 1 << 20)
      settings.maximumSizeBytes = 16 << 20
      let database = try await Firestore.open(
        at: URL(filePath: directory + "/db"), settings: settings)
      let collection = database.collection("c")
      var written = 0
      func write(_ numbers: Range<Int>) async throws {
        let batch = database.batch()
        for number in numbers {
          batch.setData(
            ["n": number, "text": String(repeating: "x", count: 3000)],
            forDocument: collection.document("\(number)"))
        }
        try await batch.commit()
        written = max(written, numbers.upperBound)
      }
      // Most of it goes in without a word, the map growing as it must.
      for start in stride(from: 0, to: 600, by: 100) { try await write(start..<start + 100) }
      var refusal: HearthError?
      while refusal == nil, written < 10_000 {
        do {
          try await write(written..<written + 100)
        } catch let error as HearthError {
          refusal = error
        }
      }
      #expect(refusal?.reason == "MAP_FULL" && refusal?.status == .resourceExhausted)
      // Nothing half-written, everything readable.
      let count = try await collection.count.getAggregation(source: .server).count
      #expect(count.intValue == written)
      #expect(try await database.verify().findings == [])
      // What is left is used up by smaller commits, but for what is kept for deletes.
      var last: HearthError?
      while last?.message.contains("only deletes") != true, written < 20_000 {
        do {
          try await write(written..<written + 1)
        } catch let error as HearthError {
          last = error
        }
      }
      #expect(last?.reason == "MAP_FULL" && database.metrics.refusedForRoom > 0)
      try await collection.document("0").delete()
      for start in stride(from: 0, to: written / 2, by: 20) {
        let batch = database.batch()
        for number in start..<start + 20 { batch.deleteDocument(collection.document("\(number)")) }
        try await batch.commit()
      }
      try await write(0..<100)
      #expect(try database.storageStatistics().fileBytes <= 16 << 20)
      // The same after reopening.
      try await database.terminate()
      let reopened = try await Firestore.open(
        at: URL(filePath: directory + "/db"), settings: settings)
      try await reopened.collection("c").document("new").setData(["n": 1])
      let report = try await reopened.verify()
      #expect(report.findings == [])
      try await reopened.terminate()
    }
  }

  @Test func `BR-120: a thousand reads and 200 listeners at once find a place`() async throws {
    try await withDatabase { database in
      try await fill(database.collection("c"), 0..<20)
      let first = Shared(0)
      let listeners = (0..<200).map { number in
        database.document("c/\(number % 20)").addSnapshotListener { snapshot, error in
          #expect(error == nil && snapshot?.exists == true)
          first.withLock { $0 += 1 }
        }
      }
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<1000 {
          group.addTask {
            number % 2 == 0
              ? try await database.collection("c").getDocuments().count
              : (try await database.document("c/\(number % 20)").getDocument().exists ? 20 : 0)
          }
        }
        for try await found in group { #expect(found == 20) }
      }
      for _ in 0..<2000 where first.withLock({ $0 }) < 200 {
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(first.withLock { $0 } >= 200)
      listeners.forEach { $0.remove() }
      let quiet = try database.storageStatistics()
      #expect(quiet.activeReaders == 0)
    }
  }

  @Test func `BR-121: reads inside callbacks and transactions are legal`() async throws {
    try await withDatabase { database in
      try await fill(database.collection("c"), 0..<5)
      let outcomes = Collected<Int>()
      let registration = database.collection("c").addSnapshotListener { _, _ in
        database.collection("c").getDocuments { inner, _ in
          inner?.documents.first?.reference.getDocument { document, _ in
            outcomes.append(document?.exists == true ? inner?.count ?? 0 : -1)
          }
        }
      }
      let seen = try await outcomes.wait(for: 1)
      registration.remove()
      #expect(seen.first == 5)
      let total = try await database.runTransaction { transaction -> Int in
        let one = try transaction.getDocument(database.document("c/1"))
        let outside = try await database.collection("c").getDocuments().count
        let other = try await database.document("c/2").getDocument()
        return outside + (one.exists ? 1 : 0) + (other.exists ? 1 : 0)
      }
      #expect(total == 7)
    }
  }

  @Test func `BR-122: what was read stays valid after the database is closed`() async throws {
    let snapshots = Shared<[QuerySnapshot]>([])
    try await withDatabase { database in
      try await fill(database.collection("c"), 0..<50)
      try await withThrowingTaskGroup(of: QuerySnapshot.self) { group in
        for _ in 0..<20 { group.addTask { try await database.collection("c").getDocuments() } }
        for try await snapshot in group { snapshots.withLock { $0.append(snapshot) } }
      }
    }
    for snapshot in snapshots.withLock({ $0 }) {
      for document in snapshot.documents {
        #expect(document["text"] as? String == String(repeating: "x", count: 200))
      }
    }
  }

  @Test func `BR-123, BR-139: one path under all its names is one database`() async throws {
    struct Old: Codable { var n: Int }
    struct Renamed: Codable { var n: Int }
    try await withTemporaryDirectory { directory in
      let path = directory + "/db"
      try FileManager.default.createSymbolicLink(
        atPath: directory + "/link", withDestinationPath: path)
      let database = try await Firestore.open(at: URL(filePath: path), settings: settings())
      for name in [path + "/", directory + "/./db", directory + "/link"] {
        let same = try await Firestore.open(at: URL(filePath: name), settings: settings())
        #expect(same === database)
      }
      let alias = try await Firestore.open(at: URL(filePath: directory + "/link"))
      try await alias.document("c/1").setData(from: Old(n: 3))
      let read = try await database.document("c/1").getDocument(as: Renamed.self)
      #expect(read.n == 3)
      try await database.close()
      let reopened = try await Firestore.open(
        at: URL(filePath: directory + "/link"), settings: settings())
      #expect(reopened !== database)
      let still = try await reopened.document("c/1").getDocument().exists
      #expect(still)
      try await reopened.close()
    }
  }

  @Test func `BR-125, BR-126: space is used again, and compaction gives it back`() async throws {
    let updates = soakFactor > 1 ? 100_000 : 2000
    try await withTemporaryDirectory { directory in
      let url = URL(filePath: directory + "/db")
      let database = try await Firestore.open(at: url, settings: settings())
      let text = String(repeating: "y", count: 500)
      var early = 0
      for number in 0..<updates {
        try await database.document("c/one").setData(["n": number, "text": text])
        if number == updates / 4 { early = try database.storageStatistics().fileBytes }
      }
      let late = try database.storageStatistics()
      #expect(late.fileBytes <= early + 64 << 10)
      #expect(late.usedBytes + late.freeBytes <= late.fileBytes)
      try await fill(database.collection("c"), 0..<3000)
      try await database.recursiveDelete(database.collection("c"))
      try await fill(database.collection("c"), 0..<300)
      let sparse = try database.storageStatistics()
      #expect(sparse.freeBytes > sparse.usedBytes)
      let file = URL(filePath: directory + "/export")
      try await database.export(to: file)
      try await database.close()

      let compacted = try await Firestore.compact(at: url, settings: settings())
      #expect(compacted.bytesAfter < compacted.bytesBefore / 2)
      let fresh = URL(filePath: directory + "/fresh")
      try await Firestore.importDatabase(at: fresh, from: file, settings: settings())
      let new = try await Firestore.open(at: fresh, settings: settings())
      let bytes = try new.storageStatistics().usedBytes
      try await new.close()
      #expect(compacted.bytesAfter <= bytes + bytes / 10 + 64 << 10)

      let again = try await Firestore.open(at: url, settings: settings())
      try await again.document("c/new").setData(["n": 1])
      let grown = try again.storageStatistics().fileBytes
      #expect(grown <= compacted.bytesAfter + 64 << 10)
      try await again.close()
    }
  }

  @Test func `BR-127: a transaction that is too large is refused whole`() async throws {
    try await withDatabase { database in
      let batch = database.batch()
      for number in 0..<12 {
        batch.setData(
          ["text": String(repeating: "z", count: 1_000_000)],
          forDocument: database.document("c/\(number)"))
      }
      let refused = await reason { try await batch.commit() }
      #expect(refused == "REQUEST_TOO_LARGE")
      let many = database.batch()
      for number in 0..<5000 {
        many.setData(["n": number], forDocument: database.document("d/\(number)"))
      }
      try await many.commit()
      let report = try await database.verify()
      #expect(report.documents == 5000 && report.findings == [])
    }
  }

  @Test func `BR-131: ids that several tasks are given are distinct`() async throws {
    let each = 150 * soakFactor
    try await withDatabase { database in
      let ids = try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<8 {
          group.addTask {
            var ids: [String] = []
            for number in 0..<each {
              ids.append(
                try await database.collection("c").addDocument(data: ["n": number]).documentID)
            }
            return ids
          }
        }
        return try await group.reduce(into: [String]()) { $0 += $1 }
      }
      #expect(Set(ids).count == 8 * each)
      let count = try await database.collection("c").count.getAggregation(source: .server).count
      #expect(count.intValue == 8 * each)
    }
  }

  @Test func `BR-132: mixed stress beside checks, backups and exports leaves no fault`()
    async throws
  {
    let seed = testSeed("mixed stress")
    try await withTemporaryDirectory { directory in
      try await withDatabase { database in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for task in 0..<4 {
            group.addTask {
              var random = RandomValues(seed: seed &+ UInt64(task))
              for number in 0..<(120 * soakFactor) {
                let document = database.document("c/\(random.integer() & 31)")
                switch number % 4 {
                case 0: try await document.delete()
                case 1: _ = try await database.collection("c").limit(to: 5).getDocuments()
                default:
                  try await document.setData(["n": number, "t": task, "s": random.string()])
                }
              }
            }
          }
          for round in 0..<3 {
            let found = try await database.verify()
            #expect(found.findings == [])
            try await database.backUp(to: URL(filePath: "\(directory)/backup\(round)"))
            try await database.export(to: URL(filePath: "\(directory)/export\(round)"))
          }
          try await group.waitForAll()
        }
        let found = try await database.verify()
        #expect(found.findings == [])
      }
    }
  }

  @Test func `BR-133: closing under load ends every call, and the file opens again`() async throws {
    try await withTemporaryDirectory { directory in
      let url = URL(filePath: directory + "/db")
      for _ in 0..<(6 * soakFactor) {
        let database = try await Firestore.open(at: url, settings: settings())
        try await fill(database.collection("c"), 0..<20)
        let listener = database.collection("c").addSnapshotListener { _, _ in }
        let reasons = await withTaskGroup(of: String?.self) { group in
          for number in 0..<100 {
            group.addTask {
              await reason {
                _ = try await database.collection("c").limit(to: number % 7 + 1)
                  .getDocuments()
              }
            }
          }
          for number in 0..<10 {
            group.addTask {
              await reason {
                try await database.runTransaction { transaction in
                  let document = database.document("c/\(number)")
                  let old = try transaction.getDocument(document)["n"] as? Int ?? 0
                  transaction.setData(["n": old + 1], forDocument: document)
                }
              }
            }
          }
          group.addTask { await reason { try await database.close() } }
          return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        for case let reason? in reasons {
          #expect(["TERMINATED", "DATABASE_CLOSED"].contains(reason))
        }
        listener.remove()
      }
      let database = try await Firestore.open(at: url, settings: settings())
      let report = try await database.verify()
      #expect(report.documents == 20 && report.findings == [])
      try await database.close()
    }
  }

  @Test func `BR-136: opening and closing changes nothing in the file`() async throws {
    try await withTemporaryDirectory { directory in
      let url = URL(filePath: directory + "/db")
      let first = try await Firestore.open(at: url, settings: settings())
      try await fill(first.collection("c"), 0..<50)
      try await first.close()
      let file = URL(filePath: directory + "/db/data.mdb")
      let before = try Data(contentsOf: file)
      for _ in 0..<20 {
        let database = try await Firestore.open(at: url, settings: settings())
        _ = try await database.collection("c").getDocuments()
        _ = try await database.verify()
        try await database.close()
      }
      let after = try Data(contentsOf: file)
      #expect(after == before)
    }
  }

  @Test func `BR-137: an import beside readers shows each commit whole`() async throws {
    try await withTemporaryDirectory { directory in
      let file = URL(filePath: directory + "/objects.ndjson")
      let lines = (0..<3000).map { "{\"id\":\"\($0)\",\"n\":\($0)}" }
      try Data(lines.joined(separator: "\n").utf8).write(to: file)
      try await withDatabase { database in
        let reported = Collected<Int>()
        let seen = Shared<Set<Int>>([])
        let isDone = Shared(false)
        async let reading: Void = {
          while !isDone.withLock({ $0 }) {
            let count = try await database.collection("c").count.getAggregation(source: .server)
              .count.intValue
            seen.withLock { _ = $0.insert(count) }
          }
        }()
        let report = try await database.import(
          from: file, format: .objects(collection: "c", id: "id")
        ) { done, _ in reported.append(done) }
        isDone.withLock { $0 = true }
        try await reading
        #expect(report.documents == 3000 && reported.all.last == 3000)
        #expect(reported.all.count >= 6)
        #expect(seen.withLock { $0.allSatisfy { $0 % 500 == 0 } })
      }
      // A file with one bad line changes nothing, however late the line stands.
      try Data((lines + ["{\"n\":1}"]).joined(separator: "\n").utf8).write(to: file)
      try await withDatabase { database in
        let refused = await reason {
          try await database.import(from: file, format: .objects(collection: "c", id: "id"))
        }
        #expect(refused == "IMPORT_LINE")
        let count = try await database.collection("c").getDocuments().count
        #expect(count == 0)
      }
    }
  }
}

/// A value that closures of several tasks change.
private final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }

  func withLock<R: Sendable>(_ body: @Sendable (inout Value) -> R) -> R {
    value.withLock { body(&$0) }
  }
}
