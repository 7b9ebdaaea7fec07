import Hearth
import HearthDatasets
import Testing

/// Loads the data sets.
enum DatasetDatabase {
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

extension Trait where Self == SharedDatabaseTrait {
  /// Gives a suite a database with the data sets.
  static var datasets: SharedDatabaseTrait {
    SharedDatabaseTrait { try await DatasetDatabase.load(into: $0) }
  }
}
