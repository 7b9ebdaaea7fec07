import Foundation

/// What happened to a document of a query's result.
public enum DocumentChangeType: Int, Sendable {
  /// It came into the result.
  case added
  /// It was in the result and changed.
  case modified
  /// It left the result.
  case removed
}

/// One step from one snapshot of a query to the next.
public final class DocumentChange: Sendable {
  /// What happened.
  public let type: DocumentChangeType
  /// The document; for a removal as it was delivered last.
  public let document: QueryDocumentSnapshot
  /// The position before this step in the list that the steps transform; nil for an addition.
  public let oldPosition: Int?
  /// The position after this step in the list that the steps transform; nil for a removal.
  public let newPosition: Int?

  init(
    _ type: DocumentChangeType, _ document: QueryDocumentSnapshot,
    _ oldPosition: Int?, _ newPosition: Int?
  ) {
    self.type = type
    self.document = document
    self.oldPosition = oldPosition
    self.newPosition = newPosition
  }

  /// The old position; `UInt(NSNotFound)` for an addition.
  public var oldIndex: UInt { UInt(oldPosition ?? NSNotFound) }

  /// The new position; `UInt(NSNotFound)` for a removal.
  public var newIndex: UInt { UInt(newPosition ?? NSNotFound) }
}

extension DocumentChange: Hashable {
  /// Same step with the same document.
  public static func == (a: DocumentChange, b: DocumentChange) -> Bool {
    a.type == b.type && a.document == b.document && a.oldPosition == b.oldPosition
      && a.newPosition == b.newPosition
  }

  /// Hashes kind and document.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(document)
  }
}
