package import HearthModel

/// A document as read: its record's bytes, decoded when asked.
package struct StoredDocument: Sendable {
  package let path: DocumentPath
  package let createVersion: CommitVersion
  package let updateVersion: CommitVersion
  private let decoded: Fields

  package init(_ document: Document) {
    path = document.path
    createVersion = document.createVersion
    updateVersion = document.updateVersion
    decoded = document.fields
  }

  /// All fields.
  package func fields() throws(HearthError) -> Fields { decoded }

  /// One field, found without decoding the rest; nil if missing.
  package func value(at path: FieldPath) throws(HearthError) -> Value? { decoded.value(at: path) }
}
