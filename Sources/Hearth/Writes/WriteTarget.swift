import Foundation
import HearthModel

/// Where the mutators of batches and transactions put their writes.
///
/// Both offer the same calls; what they share is how a call becomes a write, and that the first
/// misuse is remembered for the commit.
protocol WriteTarget: AnyObject {
  var database: Firestore { get }
  /// Takes a write, or what is wrong with it.
  func take(_ write: Result<Write, HearthError>)
}

extension WriteTarget {
  func put(
    _ document: DocumentReference,
    _ make: (DocumentPath) throws(HearthError) -> Write
  ) {
    do throws(HearthError) {
      take(.success(try make(try document.checked(for: database))))
    } catch {
      take(.failure(Hearth.misused(error)))
    }
  }

  func putSet(_ data: [String: Any], _ document: DocumentReference, _ mode: SetMode) {
    put(document) { (path) throws(HearthError) in
      try Lowering.set(path, try ValueReader.document(data, in: database), mode)
    }
  }

  func putSet<T: Encodable>(
    from value: T, _ document: DocumentReference, _ mode: SetMode, _ encoder: Firestore.Encoder
  ) throws {
    let data = try encoder.writeData(value, in: database)
    put(document) { (path) throws(HearthError) in try Lowering.set(path, data, mode) }
  }

  func putUpdate(
    _ fields: [AnyHashable: Any], _ document: DocumentReference,
    _ precondition: Precondition? = nil
  ) {
    put(document) { (path) throws(HearthError) in
      try Lowering.update(path, try Lowering.entries(fields, in: database), precondition)
    }
  }

  func putCreate(_ data: [String: Any], _ document: DocumentReference) {
    put(document) { (path) throws(HearthError) in
      try Lowering.create(path, try ValueReader.document(data, in: database))
    }
  }

  func putDelete(_ document: DocumentReference, _ precondition: Precondition? = nil) {
    put(document) { (path) throws(HearthError) in
      Write(document: path, operation: .delete, precondition: precondition)
    }
  }
}
