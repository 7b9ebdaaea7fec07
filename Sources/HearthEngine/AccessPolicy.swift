package import HearthModel

/// The question that access control is asked: security rules enter the engine here.
package enum AccessRequest: Sendable {
  /// A document is read.
  case get(DocumentPath)
  /// A query runs.
  case list(StructuredQuery)
  /// A commit changes documents; one entry per document, with its net effect.
  case write([AccessChange])
}

/// The net effect of a commit on one document.
package struct AccessChange: Sendable {
  package var path: DocumentPath
  package var before: Document?
  package var after: Document?

  package init(path: DocumentPath, before: Document?, after: Document?) {
    self.path = path
    self.before = before
    self.after = after
  }
}

/// Decides what may be done; a closure given at opening, so that the engine knows no rules.
package struct AccessPolicy: Sendable {
  /// Throws `PERMISSION_DENIED` to refuse.
  ///
  /// `read` gives documents at the same point in time; what it reads joins the footprint of the
  /// request.
  package typealias Decide =
    @Sendable (
      _ request: AccessRequest, _ read: (DocumentPath) throws -> Document?
    ) throws -> Void

  /// Nil allows everything without being asked.
  package var decide: Decide?

  package init(decide: Decide?) { self.decide = decide }

  /// Everything is allowed.
  package static let open = AccessPolicy(decide: nil)
}
