public import Foundation
import HearthEngine
import HearthModel

extension DocumentReference {
  private var target: Result<ListenTarget, HearthError> { resolved.map { .document($0) } }

  /// Calls a closure on the main queue with the document now, and after every change.
  ///
  /// An error comes once and ends the listener. While the closure is busy, further commits come
  /// together as one snapshot.
  @discardableResult
  public func addSnapshotListener(
    _ listener: @escaping @MainActor (DocumentSnapshot?, (any Error)?) -> Void
  ) -> any ListenerRegistration {
    listen(on: .main) { result in
      MainActor.assumeIsolated {
        switch result {
        case .success(let snapshot): listener(snapshot, nil)
        case .failure(let error): listener(nil, error)
        }
      }
    }
  }

  /// Calls a closure on the main queue; metadata never changes.
  @discardableResult
  public func addSnapshotListener(
    includeMetadataChanges: Bool,
    listener: @escaping @MainActor (DocumentSnapshot?, (any Error)?) -> Void
  ) -> any ListenerRegistration {
    addSnapshotListener(listener)
  }

  /// Calls a closure on the main queue; the options change nothing.
  @discardableResult
  public func addSnapshotListener(
    options: SnapshotListenOptions,
    listener: @escaping @MainActor (DocumentSnapshot?, (any Error)?) -> Void
  ) -> any ListenerRegistration {
    addSnapshotListener(listener)
  }

  /// Calls a closure on a queue, by default the one of the settings; the queue must be serial for
  /// calls to come one at a time.
  @discardableResult
  public func addSnapshotListener(
    on queue: DispatchQueue?,
    _ listener: @escaping @Sendable (Result<DocumentSnapshot, any Error>) -> Void
  ) -> any ListenerRegistration {
    listen(on: queue ?? firestore.state.with { $0.settings.dispatchQueue }, listener)
  }

  private func listen(
    on queue: DispatchQueue,
    _ listener: @escaping @Sendable (Result<DocumentSnapshot, any Error>) -> Void
  ) -> any ListenerRegistration {
    let registration = ClosureListener(on: queue) { event in
      switch event {
      case .snapshot(let snapshot):
        listener(.success(DocumentSnapshot(self, snapshot.documents.first, snapshot.version)))
      case .failure(let error): listener(.failure(error))
      }
    }
    registration.start(firestore, target)
    return registration
  }

  /// The document now, and after every commit that changes it.
  public var snapshots: DocumentSnapshotsSequence { DocumentSnapshotsSequence(reference: self) }

  /// The document live; metadata never changes.
  public func snapshots(includeMetadataChanges: Bool) -> DocumentSnapshotsSequence { snapshots }

  /// The snapshots of a document.
  ///
  /// Every loop over it is a listener of its own, registered when the loop begins. If commits come
  /// while the consumer is busy, the next element is the newest snapshot, and its changes are
  /// those from the element before. Cancelling the task ends the loop without an error, as
  /// terminating the database does; leaving the loop removes the listener.
  public struct DocumentSnapshotsSequence: AsyncSequence, Sendable {
    /// The document, which may be missing.
    public typealias Element = DocumentSnapshot
    /// An error ends the sequence.
    public typealias Failure = any Error

    let reference: DocumentReference

    /// Registers a listener.
    public func makeAsyncIterator() -> Iterator {
      Iterator(
        reference: reference, source: SnapshotSource(reference.firestore, reference.target))
    }

    /// The listener of one loop.
    public struct Iterator: AsyncIteratorProtocol {
      let reference: DocumentReference
      let source: SnapshotSource

      /// The next snapshot; nil once cancelled or terminated.
      public func next() async throws -> DocumentSnapshot? {
        try await source.next().map { DocumentSnapshot(reference, $0.documents.first, $0.version) }
      }
    }
  }
}

@available(*, unavailable)
extension DocumentReference.DocumentSnapshotsSequence.Iterator: Sendable {}
