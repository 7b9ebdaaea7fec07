/// An ordered list of writes that is applied as a whole or not at all.
package enum CommitUnit {
  /// What became of one document.
  package struct Change: Sendable, Equatable {
    package var path: DocumentPath
    /// The document before the unit, nil if there was none.
    package var before: Document?
    /// The document after the unit, nil if there is none.
    package var after: Document?

    package init(path: DocumentPath, before: Document?, after: Document?) {
      self.path = path
      self.before = before
      self.after = after
    }

    /// Whether stored state changed at all.
    ///
    /// A document that was deleted and made again has changed even with equal fields: its create
    /// version is new.
    package var isChange: Bool { before != after }
  }

  /// The largest unit, measured as the sizes of what it writes (documents-and-queries, 4.6).
  package static let largestRequest = 10 * 1024 * 1024

  /// Checks everything about a unit that does not depend on stored state.
  package static func validate(_ writes: [Write]) throws(HearthError) {
    var size = 0
    for write in writes {
      try write.validate()
      size += write.requestSize
    }
    if size > largestRequest {
      throw .invalid(
        "REQUEST_TOO_LARGE",
        "The commit has \(size) bytes; \(largestRequest) are the most. Split it.")
    }
  }

  /// Applies writes in order, each against the state left by those before it.
  ///
  /// - Parameters:
  ///   - writes: Writes that passed `validate`.
  ///   - version: The version that changed documents get.
  ///   - requestTime: What `serverTimestamp` means in the whole unit.
  ///   - read: The stored state of a document, asked once per document.
  /// - Returns: One change per document in the order of first writes, unchanged documents
  ///   included, and one result per write.
  package static func apply(
    _ writes: [Write], version: CommitVersion, requestTime: Timestamp,
    read: (DocumentPath) throws(HearthError) -> Document?
  ) throws(HearthError) -> (changes: [Change], results: [WriteResult]) {
    var changes: [Change] = []
    var states: [DocumentPath: State] = [:]
    var results: [WriteResult] = []
    results.reserveCapacity(writes.count)
    for write in writes {
      var state: State
      if let known = states[write.document] {
        state = known
      } else {
        let stored = try read(write.document)
        state = State(position: changes.count)
        changes.append(Change(path: write.document, before: stored, after: stored))
      }
      if state.wasDeleted, write.isUpdateOfExisting {
        throw .invalid(
          "UPDATE_AFTER_DELETE",
          "'\(write.document)' is updated after it was deleted in the same commit; set it instead.")
      }
      state.transforms += write.transformCount
      try Write.checkTransformCount(state.transforms, of: write.document)
      let applied = try write.apply(
        to: changes[state.position].after, version: version, requestTime: requestTime)
      changes[state.position].after = applied.document
      state.wasDeleted = applied.document == nil
      states[write.document] = state
      results.append(applied.result)
    }
    return (changes, results)
  }

  /// What is remembered of a document between the writes of a unit.
  private struct State {
    var position: Int
    var transforms = 0
    /// Whether the latest write deleted the document, or found it missing and left it so.
    var wasDeleted = false
  }
}

extension Write {
  /// Whether this demands a document to update, as `updateData` does.
  fileprivate var isUpdateOfExisting: Bool {
    guard case .update = operation else { return false }
    switch precondition {
    case .exists(true)?, .updateTime?: return true
    case .exists(false)?, nil: return false
    }
  }

  fileprivate var transformCount: Int {
    guard case .update(_, _, let transforms) = operation else { return 0 }
    return transforms.count
  }
}
