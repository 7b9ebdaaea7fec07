import Hearth
import Testing

/// A database that the tests of a suite share and only read, loaded once before the first of them.
enum SharedDatabase {
  /// The database of the running suite.
  @TaskLocal static var current: Firestore?

  /// The database of the running suite; throws where the suite lacks the trait.
  static var database: Firestore {
    get throws { try #require(current) }
  }
}

/// Gives a suite a loaded database as `SharedDatabase.database`.
struct SharedDatabaseTrait: SuiteTrait, TestScoping {
  var load: @Sendable (Firestore) async throws -> Void

  // The suite is the scope, not each of its tests.
  var isRecursive: Bool { false }

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withDatabase(mapSize: 1 << 30) { database in
      try await load(database)
      try await SharedDatabase.$current.withValue(database) { try await body() }
    }
  }
}
