/// What a write leaves behind.
package struct AppliedWrite: Sendable, Equatable {
  /// The document afterwards, nil if there is none.
  package var document: Document?
  /// Whether the stored state changed.
  package var changed: Bool
  /// What the caller is told.
  package var result: WriteResult

  package init(document: Document?, changed: Bool, result: WriteResult) {
    self.document = document
    self.changed = changed
    self.result = result
  }
}

extension Write {
  /// Applies this write to the document's current state (documents-and-queries, 4.1).
  ///
  /// `validate` must have passed. A write that leaves the fields identical keeps the update
  /// version (4.3). `requestTime` is cut to milliseconds here (8.22).
  package func apply(
    to current: Document?, version: CommitVersion, requestTime: Timestamp
  ) throws(HearthError) -> AppliedWrite {
    try check(precondition, against: current)
    switch operation {
    case .delete:
      return AppliedWrite(
        document: nil, changed: current != nil,
        result: WriteResult(updateVersion: nil, transformResults: []))
    case .update(let fields, let mask, let transforms):
      return try update(
        current, fields: fields, mask: mask, transforms: transforms, version: version,
        requestTime: requestTime.truncatedToMilliseconds)
    }
  }

  private func update(
    _ current: Document?, fields: Fields, mask: [FieldPath]?, transforms: [FieldTransform],
    version: CommitVersion, requestTime: Timestamp
  ) throws(HearthError) -> AppliedWrite {
    let given = fields.normalizedForStorage
    var next = given
    if let mask {
      next = current?.fields ?? Fields()
      for path in mask {
        if let value = given.value(at: path) {
          next.set(value, at: path)
        } else {
          next.remove(at: path)
        }
      }
    }
    let results = transforms.map { $0.apply(to: &next, requestTime: requestTime) }
    // Masks and transforms can put a legal value too deep in a document that was legal.
    if mask != nil || !transforms.isEmpty { try next.validateForWrite() }
    let size = next.documentSize(path: document)
    if size > Fields.largestDocument {
      throw .invalid(
        "DOCUMENT_TOO_LARGE",
        "'\(document)' would have \(size) bytes; a document may have \(Fields.largestDocument).")
    }
    let changed = current.map { $0.fields != next } ?? true
    let written = Document(
      path: document, createVersion: current?.createVersion ?? version,
      updateVersion: changed ? version : current?.updateVersion ?? version, fields: next)
    return AppliedWrite(
      document: written, changed: changed,
      result: WriteResult(updateVersion: written.updateVersion, transformResults: results))
  }

  /// The table of 4.5.
  private func check(
    _ precondition: Precondition?, against current: Document?
  ) throws(HearthError) {
    switch precondition {
    case nil: break
    case .exists(true):
      if current == nil {
        throw HearthError(
          .notFound, "DOCUMENT_MISSING",
          "There is no document to \(operation == .delete ? "delete" : "update") at '\(document)'.")
      }
    case .exists(false):
      if current != nil {
        throw HearthError(
          .alreadyExists, "DOCUMENT_EXISTS", "There is a document already at '\(document)'.")
      }
    case .updateTime(let time):
      if current?.updateVersion.time != time {
        throw HearthError(
          .failedPrecondition, "VERSION_MISMATCH",
          "'\(document)' was not last changed at the time that the precondition names.")
      }
    }
  }
}
