public import Foundation
import HearthEngine
public import HearthModel

/// A declared composite index and its state.
public struct DatabaseIndex: Sendable, Hashable {
  /// What the index covers.
  public let definition: IndexDefinition
  /// Whether queries can use it yet.
  public let state: IndexState
}

extension Firestore {
  /// The declared composite indexes, in the order of their declaration.
  ///
  /// - Throws: ``HearthError`` if the database cannot be used.
  public var indexes: [DatabaseIndex] {
    get throws {
      try engine().indexConfiguration.composites.map {
        DatabaseIndex(definition: $0.definition, state: $0.state)
      }
    }
  }

  /// Declares a composite index and fills it from the documents that are there; returns when
  /// queries can use it.
  ///
  /// - Parameters:
  ///   - definition: The index, for instance from the details of a missing-index error.
  ///   - progress: Called on a thread of the engine's with documents done and in total.
  public func createIndex(
    _ definition: IndexDefinition,
    progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) async throws {
    try await engine().createIndex(definition, progress: progress)
  }

  /// Removes a composite index; queries stop using it at once.
  public func dropIndex(_ definition: IndexDefinition) async throws {
    try await engine().dropIndex(definition)
  }

  /// Declares what a `firestore.indexes.json` file holds, and builds what is new.
  ///
  /// - Throws: ``HearthError`` with `INVALID_ARGUMENT` for what is wrong in the file, `NOT_FOUND`
  ///   if it cannot be read.
  public func applyIndexes(
    contentsOf url: URL, progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) async throws {
    let content: Data
    do {
      content = try Data(contentsOf: url)
    } catch {
      throw HearthError(
        .notFound, "INDEX_FILE_UNREADABLE",
        "'\(url.path(percentEncoded: false))' cannot be read: \(error.localizedDescription)",
        underlying: error)
    }
    try await engine().applyIndexFile(Array(content), progress: progress)
  }

  /// Declares indexes from the JSON text of a `firestore.indexes.json`.
  public func setIndexConfiguration(_ json: String) async throws {
    try await engine().applyIndexFile(Array(json.utf8))
  }

  /// Declares indexes from JSON text; a completion closure comes on the main queue.
  public func setIndexConfiguration(
    _ json: String, completion: (@MainActor ((any Error)?) -> Void)? = nil
  ) {
    inBackground(completion) { try await self.setIndexConfiguration(json) }
  }
}
