package import HearthModel

/// What one group of commits did to one document: its net effect.
package struct ChangedDocument: Sendable {
  package var path: DocumentPath
  package var before: Document?
  package var after: Document?

  package init(path: DocumentPath, before: Document?, after: Document?) {
    self.path = path
    self.before = before
    self.after = after
  }
}

/// The net changes of one group, the element of the change feed.
package struct ChangeBatch: Sendable {
  /// The version of the group's last commit: what readers see once the group is on disk.
  package var version: CommitVersion
  package var changes: [ChangedDocument]

  package init(version: CommitVersion, changes: [ChangedDocument]) {
    self.version = version
    self.changes = changes
  }
}
