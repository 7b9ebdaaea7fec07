import Hearth
import HearthTestSupport

extension Query {
  /// The ids of the result, in order.
  var ids: [String] {
    get async throws { try await getDocuments().documents.map(\.documentID) }
  }

  /// Index entries that running the query reads.
  var entriesScanned: Int {
    get async throws { try await executed.debugStats.indexEntriesScanned }
  }

  /// What running the query touches.
  var executed: ExplainResult.ExecutionStats {
    get async throws {
      guard let statistics = try await explain(analyze: true).executionStats else {
        throw HearthError(.internal, "NO_STATISTICS", "An analyzed query has no statistics.")
      }
      return statistics
    }
  }

  /// The indexes that the query uses, one per scan.
  var indexesUsed: [String] {
    get async throws { try await explain().planSummary.indexes.map(\.description) }
  }
}

/// Writes documents in batches; `make` gives the data of each by its number.
func fill(
  _ collection: CollectionReference, _ numbers: Range<Int>, id: (Int) -> String = { "d\($0)" },
  _ make: (Int) -> [String: Any]
) async throws {
  var batch = collection.firestore.batch()
  for number in numbers {
    batch.setData(make(number), forDocument: collection.document(id(number)))
    if (number - numbers.lowerBound) % 500 == 499 {
      try await batch.commit()
      batch = collection.firestore.batch()
    }
  }
  try await batch.commit()
}

/// The index that a query lacks, nil if it runs.
func missingIndex(_ query: Query) async throws -> MissingIndexDetails? {
  do {
    _ = try await query.explain()
    return nil
  } catch let error as HearthError {
    guard case .missingIndex(let missing)? = error.details else { throw error }
    return missing
  }
}

/// Runs bodies one after the other, each on the database of the one before, closed and opened anew.
func withReopening(_ bodies: (Firestore) async throws -> Void...) async throws {
  try await withTemporaryDirectory { path in
    for body in bodies {
      let settings = FirestoreSettings()
      settings.durability = .none
      settings.mapSizeBytes = 256 << 20
      let database = try await Firestore.open(at: URL(filePath: path), settings: settings)
      do {
        try await body(database)
        try await database.terminate()
      } catch {
        try await database.terminate()
        throw error
      }
    }
  }
}

/// All orders in which the elements can stand.
func permutations<Element>(_ elements: [Element]) -> [[Element]] {
  if elements.isEmpty { return [[]] }
  return elements.indices.flatMap { place in
    var rest = elements
    let first = rest.remove(at: place)
    return permutations(rest).map { [first] + $0 }
  }
}
