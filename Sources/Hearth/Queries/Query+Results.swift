import Foundation
import HearthEngine
import HearthModel

extension Query {
  /// Runs the query.
  ///
  /// Writes that were submitted through this database before are seen.
  ///
  /// - Throws: ``HearthError``: `INVALID_ARGUMENT` for what is wrong with the query,
  ///   `FAILED_PRECONDITION` with the needed definition for a missing index.
  public func getDocuments(source: FirestoreSource = .default) async throws -> QuerySnapshot {
    let query = try structured.get()
    let engine = try firestore.engine()
    await engine.waitForSubmittedWrites()
    return QuerySnapshot(self, try engine.run(query))
  }

  /// Runs the query and calls a closure on the main queue.
  public func getDocuments(
    source: FirestoreSource = .default,
    completion: @escaping @MainActor (QuerySnapshot?, (any Error)?) -> Void
  ) {
    firestore.inBackground(delivering: completion) { try await self.getDocuments(source: source) }
  }

  /// Tells how the query is served, and with `analyze` runs it and tells what it touched.
  ///
  /// - Throws: The same errors as ``getDocuments(source:)``.
  public func explain(analyze: Bool = false) async throws -> ExplainResult {
    let query = try structured.get()
    let engine = try firestore.engine()
    if !analyze { return ExplainResult(try engine.explain(query)) }
    await engine.waitForSubmittedWrites()
    let result = try engine.run(query)
    var explained = ExplainResult(result.explanation)
    explained.snapshot = QuerySnapshot(self, result)
    explained.hints = try engine.hints(about: query)
    return explained
  }
}
