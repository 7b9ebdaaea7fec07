package import HearthEngine
package import HearthModel

/// What a client read.
package enum HistoryRead: Sendable {
  case document(DocumentPath, Document?)
  case query(StructuredQuery, [Document])
  case count(StructuredQuery, Int)
}

/// One operation of a client, as the client saw it.
package struct HistoryOperation: Sendable {
  package enum Effect: Sendable, Equatable {
    /// A commit unit with this version.
    case committed(CommitVersion)
    /// Nothing written; everything was read at this version.
    case read(CommitVersion)
    /// Failed or cancelled without effect.
    case nothing
  }

  package var name: String
  /// Positions on one counter that only grows, so that real time can be told.
  package var invoked: Int
  package var returned: Int
  package var effect: Effect
  package var reads: [HistoryRead]
  package var writes: [Write]
  /// What the engine said about each write; nil where it does not say.
  package var results: [WriteResult]?
  /// Whether its client was told what became of it; else `effect` is what was found later.
  package var isCertain = true

  package init(
    _ name: String, invoked: Int, returned: Int, effect: Effect, reads: [HistoryRead] = [],
    writes: [Write] = [], results: [WriteResult]? = nil
  ) {
    self.name = name
    self.invoked = invoked
    self.returned = returned
    self.effect = effect
    self.reads = reads
    self.writes = writes
    self.results = results
  }

  var version: CommitVersion? {
    switch effect {
    case .committed(let version), .read(let version): version
    case .nothing: nil
    }
  }

  var isCommit: Bool {
    if case .committed = effect { return true }
    return false
  }
}

/// What one listener was told.
package struct ListenerHistory: Sendable {
  package struct Change: Sendable {
    package var kind: ListenerChange.Kind
    package var document: Document
    package var oldIndex: Int?
    package var newIndex: Int?

    package init(
      _ kind: ListenerChange.Kind, _ document: Document, from oldIndex: Int?, to newIndex: Int?
    ) {
      self.kind = kind
      self.document = document
      self.oldIndex = oldIndex
      self.newIndex = newIndex
    }
  }

  package struct Snapshot: Sendable {
    package var version: CommitVersion
    package var documents: [Document]
    package var changes: [Change]

    package init(version: CommitVersion, documents: [Document], changes: [Change]) {
      self.version = version
      self.documents = documents
      self.changes = changes
    }

    package init(_ snapshot: ListenerSnapshot) throws {
      version = snapshot.version
      documents = try snapshot.documents.map { try $0.document() }
      changes = try snapshot.changes.map {
        Change($0.kind, try $0.document.document(), from: $0.oldIndex, to: $0.newIndex)
      }
    }
  }

  package var target: ListenTarget
  /// The newest version that was acknowledged before the listener was registered.
  package var registeredAt: CommitVersion
  package var snapshots: [Snapshot] = []
  /// Whether it was left to run until everything was delivered.
  package var isComplete = false

  package init(_ target: ListenTarget, registeredAt: CommitVersion) {
    self.target = target
    self.registeredAt = registeredAt
  }
}

/// A history of operations that ended, with what listeners were told and what is left.
package struct History: Sendable {
  package var operations: [HistoryOperation] = []
  package var listeners: [ListenerHistory] = []
  /// All documents at the end, nil if nobody looked.
  package var final: [Document]?

  package init() {}
}
