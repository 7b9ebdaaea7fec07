public import Foundation
import HearthEngine
public import HearthModel

/// An index that queries would have wanted, and how many of them.
public struct AdvisedIndex: Sendable, Hashable {
  /// The index, ready for ``Firestore/createIndex(_:progress:)``.
  public let definition: IndexDefinition
  /// How many queries ran without it.
  public let queries: Int
}

extension AdvisedIndex: CustomStringConvertible {
  /// The index, the collections it is on, and the count.
  public var description: String { "\(definition.placed): \(queries)" }
}

/// A declared composite index and its state.
public struct DatabaseIndex: Sendable, Hashable {
  /// What the index covers.
  public let definition: IndexDefinition
  /// Whether queries can use it yet.
  public let state: IndexState
}

extension DatabaseIndex: CustomStringConvertible {
  /// The index, the collections it is on, and its state.
  public var description: String { "\(definition.placed): \(state.rawValue)" }
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

  /// Declares an index and fills it from the documents that are there; returns when queries can use
  /// it.
  ///
  /// A single-field index, as the details of an error may name it, is added to those of its field
  /// by an override.
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

  /// Removes an index; queries stop using it at once, and its entries are deleted behind.
  ///
  /// A single-field index is taken away from its field by an override.
  ///
  /// - Throws: ``HearthError`` with `NOT_FOUND / INDEX_NOT_FOUND` if there is no such index.
  public func dropIndex(_ definition: IndexDefinition) async throws {
    try await engine().dropIndex(definition)
  }

  /// The overrides of single-field indexes, in the order in which they were made.
  ///
  /// - Throws: ``HearthError`` if the database cannot be used.
  public var fieldOverrides: [FieldOverride] {
    get throws { try engine().indexConfiguration.overrides }
  }

  /// Replaces the single-field indexes of a field and of the fields below it; returns when all
  /// documents follow.
  ///
  /// Commits go on meanwhile. Queries stop using an index that is taken away at once, and use a new
  /// one when it is complete. Where a document would get more index entries than it may have, the
  /// change is taken back and its error thrown.
  ///
  /// - Parameters:
  ///   - collectionID: The id of the collections concerned.
  ///   - field: The field; nil for every field of these collections that has no override.
  ///   - indexes: What the field has from now on, none to exempt it; nil goes back to what it has
  ///     without an override.
  ///   - progress: Called on a thread of the engine's with documents done and in total.
  public func setFieldOverride(
    collectionID: String, field: FieldPath?, indexes: [SingleFieldIndex]?,
    progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
  ) async throws {
    try await engine().setOverride(
      collectionID: collectionID, path: field, indexes: indexes, progress: progress)
  }

  /// Every declared index and override as the JSON text of a `firestore.indexes.json`.
  public var indexConfigurationJSON: String {
    get throws {
      let configuration = try engine().indexConfiguration
      return IndexDefinitionFile(
        composites: configuration.composites.map(\.definition),
        overrides: configuration.overrides
      ).json()
    }
  }

  /// The indexes that queries would have wanted since the database was opened, most wanted first;
  /// kept under the policy `advise`.
  public var advisedIndexes: [AdvisedIndex] {
    get throws {
      try engine().advisedIndexes.map {
        AdvisedIndex(definition: $0.definition, queries: $0.queries)
      }
    }
  }

  /// Declares what a `firestore.indexes.json` file holds, and builds what is new; indexes that it
  /// does not name stay.
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

  /// Declares indexes from the JSON text of a `firestore.indexes.json`; those that it does not name
  /// stay.
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
