import Hearth
import HearthBenchmarkKit
import HearthDatasets

/// Step 1: the data sets go in, in batches, a few at a time.
struct ImportStep {
  /// What came in.
  struct Result: Sendable {
    /// Documents and seconds of each set.
    var sets: [(name: String, documents: Int, seconds: Double)] = []
    var restaurants = 0
    var ratings = 0

    var documents: Int { sets.reduce(0) { $0 + $1.documents } }
    var seconds: Double { sets.reduce(0) { $0 + $1.seconds } }
  }

  /// Enough to make one flush serve many documents, few enough to keep the writer's turns short.
  private static let documentsPerBatch = 500
  /// While one batch is on its way to disk, the next ones are encoded.
  private static let batchesInFlight = 4

  let options: DemoOptions
  let console: Console

  func run(_ db: Firestore) async throws -> Result {
    try await declareIndexes(db)
    var result = Result()
    for set in Dataset.allCases {
      let source = try set.source()
      result.sets.append(try await load(source, named: set.rawValue, count: set.count, into: db))
    }
    let eats = try Dataset.friendlyEats(restaurants: options.restaurants, seed: options.seed)
    // Counting what a generator will give is quick, and makes the bar honest.
    var count = 0
    var counting = eats
    while counting.next() != nil { count += 1 }
    result.sets.append(try await load(eats, named: "restaurants", count: count, into: db))
    result.restaurants = options.restaurants
    result.ratings = count - options.restaurants
    console.line()
    for set in Dataset.allCases { console.line(console.style.dim("  \(set.attribution)")) }
    console.line(console.style.dim("  Restaurants and ratings are made up, from a seed."))
    return result
  }

  /// Two composite indexes are known beforehand; they are kept up while documents come in.
  private func declareIndexes(_ db: Firestore) async throws {
    try await db.setIndexConfiguration(
      """
      {
        "indexes": [
          {
            "collectionGroup": "cities",
            "queryScope": "COLLECTION",
            "fields": [
              { "fieldPath": "country", "order": "ASCENDING" },
              { "fieldPath": "population", "order": "DESCENDING" }
            ]
          },
          {
            "collectionGroup": "zipcodes",
            "queryScope": "COLLECTION",
            "fields": [
              { "fieldPath": "state", "order": "ASCENDING" },
              { "fieldPath": "city", "order": "ASCENDING" }
            ]
          }
        ],
        "fieldOverrides": []
      }
      """)
  }

  private func load(
    _ source: some DocumentSource, named name: String, count: Int, into db: Firestore
  ) async throws -> (name: String, documents: Int, seconds: Double) {
    let stopwatch = Stopwatch()
    let bar = ProgressBar(console, label: name, total: count, unit: "documents")
    var source = source
    var documents = 0
    try await withThrowingTaskGroup(of: Int.self) { group in
      var inFlight = 0
      while let batch = try nextBatch(of: &source) {
        documents += batch.count
        if inFlight == Self.batchesInFlight, let done = try await group.next() {
          bar.advance(by: done)
          inFlight -= 1
        }
        group.addTask { try await Self.commit(batch, to: db) }
        inFlight += 1
      }
      for try await done in group { bar.advance(by: done) }
    }
    bar.finish()
    return (name, documents, stopwatch.seconds)
  }

  private func nextBatch(of source: inout some DocumentSource) throws -> [DatasetDocument]? {
    var batch: [DatasetDocument] = []
    batch.reserveCapacity(Self.documentsPerBatch)
    while batch.count < Self.documentsPerBatch, let document = try source.next() {
      batch.append(document)
    }
    return batch.isEmpty ? nil : batch
  }

  private static func commit(_ documents: [DatasetDocument], to db: Firestore) async throws -> Int {
    let batch = db.batch()
    for document in documents {
      batch.setData(document.data, forDocument: db.document(document.path))
    }
    try await batch.commit()
    return documents.count
  }
}
