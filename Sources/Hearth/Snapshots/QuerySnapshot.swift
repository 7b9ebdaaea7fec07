import Foundation
import HearthEngine
public import HearthModel

/// The whole result of a query at one moment.
public final class QuerySnapshot: Sendable {
  /// The query.
  public let query: Query
  private let stored: [StoredDocument]
  private let version: CommitVersion
  private let changes: Changes
  private let cache = Locked(Cache())
  private let explained: Explanation?

  private enum Changes: Sendable {
    /// Every document is new.
    case everything
    case list([ListenerChange])
  }

  private struct Cache {
    var documents: [QueryDocumentSnapshot]?
    var changes: [DocumentChange]?
  }

  init(_ query: Query, _ result: QueryResult) {
    self.query = query
    stored = result.documents
    version = result.version
    changes = .everything
    explained = result.explanation
  }

  init(_ query: Query, _ snapshot: ListenerSnapshot) {
    self.query = query
    stored = snapshot.documents
    version = snapshot.version
    changes = .list(snapshot.changes)
    explained = snapshot.explanation
  }

  /// Always committed data from the database.
  public var metadata: SnapshotMetadata { .committed }

  /// Whether no document matched.
  public var isEmpty: Bool { stored.isEmpty }

  /// The number of documents.
  public var count: Int { stored.count }

  /// How the query was served and what it touched.
  ///
  /// For a listener: the last time that its result had to be read from the database, when it was
  /// registered or when a limit's spare documents ran out; what commits change is not read again.
  public var explanation: ExplainResult? { explained.map { ExplainResult($0) } }

  /// The commit time of the version that was read.
  public var readTime: Timestamp { version.time }

  /// The documents in the query's order; made when first asked for.
  public var documents: [QueryDocumentSnapshot] {
    cache.with { cache in
      if let documents = cache.documents { return documents }
      let made = stored.map { QueryDocumentSnapshot(query.firestore, $0, version) }
      cache.documents = made
      return made
    }
  }

  /// How the documents differ from the snapshot delivered before; applied one after another to
  /// that one's documents, the changes give this one's.
  public var documentChanges: [DocumentChange] {
    cache.with { cache in
      if let changes = cache.changes { return changes }
      let made = makeChanges()
      cache.changes = made
      return made
    }
  }

  private func makeChanges() -> [DocumentChange] {
    switch changes {
    case .everything:
      stored.enumerated().map { index, document in
        DocumentChange(
          .added, QueryDocumentSnapshot(query.firestore, document, version), nil, index)
      }
    case .list(let list):
      list.map { change in
        let type: DocumentChangeType =
          switch change.kind {
          case .added: .added
          case .modified: .modified
          case .removed: .removed
          }
        return DocumentChange(
          type, QueryDocumentSnapshot(query.firestore, change.document, version),
          change.oldIndex, change.newIndex)
      }
    }
  }

  /// The same changes: metadata never varies, so there are none of metadata alone.
  public func documentChanges(includeMetadataChanges: Bool) -> [DocumentChange] { documentChanges }

  /// All documents decoded.
  ///
  /// - Throws: What decoding the first undecodable document throws.
  public func decoded<T: Decodable>(
    as type: T.Type, decoder: Firestore.Decoder = .init()
  ) throws -> [T] {
    try stored.map { document in
      try decoder.decode(
        type, value: .map(try document.fields()),
        of: DocumentReference(query.firestore, document.path))
    }
  }

  /// The documents that can be decoded, and what went wrong with the others.
  public func decodedLossy<T: Decodable>(
    as type: T.Type, decoder: Firestore.Decoder = .init()
  ) -> (values: [T], failures: [(DocumentReference, any Error)]) {
    var values: [T] = []
    var failures: [(DocumentReference, any Error)] = []
    for document in stored {
      let reference = DocumentReference(query.firestore, document.path)
      do {
        values.append(
          try decoder.decode(type, value: .map(try document.fields()), of: reference))
      } catch {
        failures.append((reference, error))
      }
    }
    return (values, failures)
  }
}

extension QuerySnapshot: Hashable {
  /// Same query and same documents.
  public static func == (a: QuerySnapshot, b: QuerySnapshot) -> Bool {
    a === b || (a.query == b.query && a.count == b.count && a.documents == b.documents)
  }

  /// Hashes query and count.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(query)
    hasher.combine(count)
  }
}
