import Foundation
import Hearth
import HearthBenchmarkKit
import HearthDatasets
import HearthYardstick

/// A Hearth database and a raw LMDB file with the same restaurants, for scenarios to work on.
final class Bench: Sendable {
  let options: BenchOptions
  let db: Firestore
  let raw: RawRestaurants
  /// All restaurants, in the order of their making, without ratings.
  let restaurants: [DatasetDocument]
  private let directory: String

  /// The index that the composite scenario needs, in Hearth and in raw LMDB.
  private static let indexFile = """
    { "indexes": [ { "collectionGroup": "restaurants", "queryScope": "COLLECTION", "fields": [
      { "fieldPath": "category", "order": "ASCENDING" },
      { "fieldPath": "avgRating", "order": "DESCENDING" } ] } ], "fieldOverrides": [] }
    """

  private init(
    options: BenchOptions, db: Firestore, raw: RawRestaurants, restaurants: [DatasetDocument],
    directory: String
  ) {
    self.options = options
    self.db = db
    self.raw = raw
    self.restaurants = restaurants
    self.directory = directory
  }

  static func open(_ options: BenchOptions) async throws -> Bench {
    var template = Array(
      FileManager.default.temporaryDirectory.appending(path: "hearth-bench-XXXXXX")
        .path(percentEncoded: false).utf8CString)
    guard mkdtemp(&template) != nil else {
      throw BenchError(text: "cannot make a temporary directory; set TMPDIR")
    }
    let directory = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    do {
      let settings = FirestoreSettings()
      settings.durability = options.durability
      let db = try await Firestore.open(
        at: URL(filePath: directory).appending(path: "bench.hearth"), settings: settings)
      try await db.setIndexConfiguration(indexFile)
      let raw = try RawRestaurants(
        RawLMDB(path: directory + "/raw", durability: options.durability))
      var source = try Dataset.friendlyEats(restaurants: options.restaurants, seed: options.seed)
      var restaurants: [DatasetDocument] = []
      while let document = source.next() {
        if document.collection == "restaurants" { restaurants.append(document) }
      }
      let bench = Bench(
        options: options, db: db, raw: raw, restaurants: restaurants, directory: directory)
      for batch in bench.batches(of: restaurants, size: 500) { try await bench.insert(batch) }
      for batch in bench.batches(of: restaurants, size: 500) { try raw.insert(batch) }
      return bench
    } catch {
      try? FileManager.default.removeItem(atPath: directory)
      throw error
    }
  }

  /// Closes and removes everything.
  func close() async {
    try? await db.terminate()
    raw.close()
    try? FileManager.default.removeItem(atPath: directory)
  }

  func batches(of documents: [DatasetDocument], size: Int) -> [[DatasetDocument]] {
    stride(from: 0, to: documents.count, by: size).map {
      Array(documents[$0..<min($0 + size, documents.count)])
    }
  }

  /// Writes documents to Hearth in one batch.
  func insert(_ documents: [DatasetDocument]) async throws {
    let batch = db.batch()
    for document in documents {
      batch.setData(document.data, forDocument: db.document(document.path))
    }
    try await batch.commit()
  }
}
