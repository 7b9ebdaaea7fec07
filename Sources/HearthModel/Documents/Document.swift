/// A version of the database: one strictly increasing number per commit unit.
///
/// The number is also the commit time in microseconds since 1970. Zero stands for "before any
/// commit".
package struct CommitVersion: Hashable, Comparable, Sendable {
  package var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  package static let zero = CommitVersion(microseconds: 0)

  /// The commit time.
  package var time: Timestamp { Timestamp(microseconds: microseconds) }

  package static func < (a: CommitVersion, b: CommitVersion) -> Bool {
    a.microseconds < b.microseconds
  }
}

/// A document as stored: where it lives, when it came and last changed, and its fields.
package struct Document: Sendable, Equatable {
  package var path: DocumentPath
  package var createVersion: CommitVersion
  package var updateVersion: CommitVersion
  package var fields: Fields

  package init(
    path: DocumentPath, createVersion: CommitVersion, updateVersion: CommitVersion, fields: Fields
  ) {
    self.path = path
    self.createVersion = createVersion
    self.updateVersion = updateVersion
    self.fields = fields
  }
}
