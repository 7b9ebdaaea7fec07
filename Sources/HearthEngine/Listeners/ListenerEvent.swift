package import HearthModel

/// What a listener listens to.
package enum ListenTarget: Sendable {
  case document(DocumentPath)
  case query(StructuredQuery)

  /// The fields that are shown of documents; nil for all.
  var projection: [FieldPath]? {
    if case .query(let query) = self { return query.projection }
    return nil
  }
}

/// One element of a change list (transactions-and-listeners, 5.3).
package struct ListenerChange: Sendable {
  package enum Kind: Sendable { case added, modified, removed }

  package var kind: Kind
  package var document: StoredDocument
  /// Position in the working list before the change; nil for added.
  package var oldIndex: Int?
  /// Position in the working list after the change; nil for removed.
  package var newIndex: Int?

  package init(kind: Kind, document: StoredDocument, oldIndex: Int?, newIndex: Int?) {
    self.kind = kind
    self.document = document
    self.oldIndex = oldIndex
    self.newIndex = newIndex
  }

  /// The change with nothing but some fields of its document; nil for all of them.
  func projected(to paths: [FieldPath]?) throws(HearthError) -> ListenerChange {
    var change = self
    change.document = try document.projected(to: paths)
    return change
  }
}

/// A whole result at one version, and how it differs from the one delivered before.
package struct ListenerSnapshot: Sendable {
  package var version: CommitVersion
  /// In query order; for a document listener one document or none.
  package var documents: [StoredDocument]
  package var changes: [ListenerChange]
  /// How the result was read, when it last was read from the database; nil for a document.
  package var explanation: Explanation?

  package init(
    version: CommitVersion, documents: [StoredDocument], changes: [ListenerChange],
    explanation: Explanation? = nil
  ) {
    self.version = version
    self.documents = documents
    self.changes = changes
    self.explanation = explanation
  }
}

/// What a listener is told.
///
/// A failure is the last event.
package enum ListenerEvent: Sendable {
  case snapshot(ListenerSnapshot)
  case failure(HearthError)
}
