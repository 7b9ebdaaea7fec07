import Hearth
import HearthDatasets
import HearthTestSupport
import Testing

/// A database with the data sets, loaded once for a whole suite.
enum DatasetDatabase {
  /// The database of the running suite.
  @TaskLocal static var current: Firestore?

  /// The database of the running suite; throws where a suite lacks the trait.
  static var shared: Firestore {
    get throws {
      try #require(current)
    }
  }

  private static let documentsPerBatch = 500

  /// Loads everything, with the declared indexes in place: 50,000 documents, some ten seconds.
  static func load(into database: Firestore) async throws {
    try await database.applyIndexes(contentsOf: DatasetFiles.url("firestore.indexes.json"))
    for set in Dataset.allCases {
      var source = try set.source()
      var batch = database.batch()
      var count = 0
      while let document = try source.next() {
        batch.setData(document.data, forDocument: database.document(document.path))
        count += 1
        if count % documentsPerBatch == 0 {
          try await batch.commit()
          batch = database.batch()
        }
      }
      try await batch.commit()
    }
  }
}

/// Gives a suite the loaded database as `DatasetDatabase.shared`.
struct DatasetTrait: SuiteTrait, TestScoping {
  // The suite is the scope, not each of its tests.
  var isRecursive: Bool { false }

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withDatabase(mapSize: 1 << 30) { database in
      try await DatasetDatabase.load(into: database)
      try await DatasetDatabase.$current.withValue(database) { try await body() }
    }
  }
}

extension Trait where Self == DatasetTrait {
  /// Gives a suite a database with the data sets.
  static var datasets: DatasetTrait { DatasetTrait() }
}
