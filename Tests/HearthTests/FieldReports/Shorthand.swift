import Hearth

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
