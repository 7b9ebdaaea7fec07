package import HearthModel

/// What a commit unit did.
package struct CommitResult: Sendable, Equatable {
  /// The commit's version, which is its commit time.
  package var version: CommitVersion
  /// One result per write, in order.
  package var results: [WriteResult]

  package init(version: CommitVersion, results: [WriteResult]) {
    self.version = version
    self.results = results
  }
}
