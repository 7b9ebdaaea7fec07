import Foundation
import HearthEngine
import HearthModel

/// Where a read comes from; accepted everywhere, the database is always the source.
public enum FirestoreSource: UInt, Sendable {
  /// The database.
  case `default`
  /// The database.
  case server
  /// The database.
  case cache
}

extension DocumentReference {
  /// Reads the document.
  ///
  /// A missing document is a snapshot with `exists == false`, never an error. Writes that were
  /// submitted through this database before are seen.
  ///
  /// - Throws: ``HearthError`` for a malformed path or a failing database.
  public func getDocument(source: FirestoreSource = .default) async throws -> DocumentSnapshot {
    let path = try resolved.get()
    let engine = try firestore.engine()
    await engine.waitForSubmittedWrites()
    let (document, version) = try engine.get(path)
    return DocumentSnapshot(self, document, version)
  }

  /// Reads the document and calls a closure on the main queue.
  public func getDocument(
    source: FirestoreSource = .default,
    completion: @escaping @MainActor (DocumentSnapshot?, (any Error)?) -> Void
  ) {
    firestore.inBackground(delivering: completion) { try await self.getDocument(source: source) }
  }

  /// Reads and decodes the document.
  ///
  /// - Throws: As ``getDocument(source:)``, and what decoding throws; for a missing document
  ///   `DecodingError.valueNotFound`, unless `T` is an optional.
  public func getDocument<T: Decodable>(
    as type: T.Type, with behavior: ServerTimestampBehavior = .none,
    decoder: Firestore.Decoder = .init(), source: FirestoreSource = .default
  ) async throws -> T {
    try await getDocument(source: source).data(as: type, with: behavior, decoder: decoder)
  }

  /// Reads and decodes the document and calls a closure on the main queue.
  public func getDocument<T: Decodable>(
    as type: T.Type, with behavior: ServerTimestampBehavior = .none,
    decoder: Firestore.Decoder = .init(), source: FirestoreSource = .default,
    completion: @escaping @MainActor (Result<T, any Error>) -> Void
  ) {
    let decoder = HandedOver(decoder)
    getDocument(source: source) { snapshot, error in
      guard let snapshot else {
        completion(.failure(error ?? Firestore.terminatedError))
        return
      }
      completion(Result { try snapshot.data(as: T.self, with: behavior, decoder: decoder.content) })
    }
  }
}
