import HearthEncoding
package import HearthModel

/// A document as read: its record's bytes, decoded when asked.
package struct StoredDocument: Sendable {
  private enum Content: Sendable {
    case record(EncodedDocument)
    case fields(Fields)
  }

  package let path: DocumentPath
  package let createVersion: CommitVersion
  package let updateVersion: CommitVersion
  private let content: Content

  init(path: DocumentPath, record: EncodedDocument) {
    self.path = path
    createVersion = record.createVersion
    updateVersion = record.updateVersion
    content = .record(record)
  }

  package init(_ document: Document) {
    path = document.path
    createVersion = document.createVersion
    updateVersion = document.updateVersion
    content = .fields(document.fields)
  }

  /// All fields.
  ///
  /// Throws `DATA_LOSS` where the record's bytes make no sense.
  package func fields() throws(HearthError) -> Fields {
    switch content {
    case .record(let record): try record.fields()
    case .fields(let fields): fields
    }
  }

  /// The document with nothing but some of its fields; nil for all of them.
  package func projected(to paths: [FieldPath]?) throws(HearthError) -> StoredDocument {
    guard let paths else { return self }
    return StoredDocument(
      Document(
        path: path, createVersion: createVersion, updateVersion: updateVersion,
        fields: try fields().projected(to: paths)))
  }

  /// One field, found without decoding the rest; nil if missing.
  package func value(at path: FieldPath) throws(HearthError) -> Value? {
    switch content {
    case .record(let record): try record.value(at: path)
    case .fields(let fields): fields.value(at: path)
    }
  }

  /// The document with all its fields.
  package func document() throws(HearthError) -> Document {
    Document(
      path: path, createVersion: createVersion, updateVersion: updateVersion,
      fields: try fields())
  }

  /// The record's size in bytes, 0 where it was not read from a record.
  var byteCount: Int {
    if case .record(let record) = content { return record.byteCount }
    return 0
  }
}
