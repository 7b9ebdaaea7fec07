import HearthModel

/// What one group of commits did to one document: its net effect.
struct ChangedDocument: Sendable {
  var path: DocumentPath
  var before: Document?
  var after: Document?
}

/// The net changes of one group, the element of the change feed.
struct ChangeBatch: Sendable {
  /// The version of the group's last commit: what readers see once the group is on disk.
  var version: CommitVersion
  var changes: [ChangedDocument]
}
