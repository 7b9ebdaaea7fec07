/// The unit of writing (documents-and-queries, 4.1): everything that changes a document enters
/// the engine in this form.
package struct Write: Sendable, Equatable {
  /// What the write does.
  package enum Operation: Sendable, Equatable {
    /// Deletes the document; nothing below it changes.
    case delete
    /// Sets fields. Without a mask the document becomes exactly `fields`; with one, each mask
    /// path is set from `fields` or deleted where `fields` lacks it. Transforms follow in order.
    case update(fields: Fields, mask: [FieldPath]?, transforms: [FieldTransform])
  }

  package var document: DocumentPath
  package var operation: Operation
  package var precondition: Precondition?

  package init(
    document: DocumentPath, operation: Operation, precondition: Precondition? = nil
  ) {
    self.document = document
    self.operation = operation
    self.precondition = precondition
  }
}

/// What must hold of a document for a write to be applied (documents-and-queries, 4.5).
public enum Precondition: Sendable, Hashable {
  /// The document must exist, or must not.
  case exists(Bool)
  /// The document must have been last changed at this time, as its snapshot tells it.
  ///
  /// The time has whole microseconds, as every update time has.
  case updateTime(Timestamp)

  /// The document must have been last changed at this version.
  package static func updateVersion(_ version: CommitVersion) -> Precondition {
    .updateTime(version.time)
  }
}

/// A change of one field that is computed at commit from the value then stored.
package struct FieldTransform: Sendable, Equatable {
  /// The computation.
  package enum Kind: Sendable, Equatable {
    case serverTimestamp
    case increment(Value)
    case maximum(Value)
    case minimum(Value)
    case arrayUnion([Value])
    case arrayRemove([Value])
  }

  package var path: FieldPath
  package var kind: Kind

  package init(path: FieldPath, kind: Kind) {
    self.path = path
    self.kind = kind
  }
}

/// What a write did.
public struct WriteResult: Sendable, Equatable {
  /// When the document was last changed; nil after a delete.
  package var updateVersion: CommitVersion?
  /// The new value per transform, in the order of the fields' paths; null for array transforms.
  public var transformResults: [Value]

  /// When the document was last changed; nil after a delete.
  ///
  /// A write that changes nothing leaves the time as it was.
  public var updateTime: Timestamp? { updateVersion?.time }

  package init(updateVersion: CommitVersion?, transformResults: [Value]) {
    self.updateVersion = updateVersion
    self.transformResults = transformResults
  }
}

extension WriteResult: CustomStringConvertible {
  /// The update time in microseconds since 1970, and what the transforms made.
  public var description: String {
    let time = updateVersion.map { "updated at \($0.microseconds) µs" } ?? "deleted"
    if transformResults.isEmpty { return time }
    return "\(time), transforms: \(transformResults.map(\.text).joined(separator: ", "))"
  }
}
