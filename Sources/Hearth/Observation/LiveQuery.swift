public import Observation

/// The decoded result of a query, kept up to date for user interfaces.
///
/// Properties change on the main actor, once per delivered snapshot, and are observed with
/// `Observation` on every platform. Only documents that changed are decoded again.
@MainActor @Observable
public final class LiveQuery<Element: Decodable & Sendable> {
  /// The query.
  public let query: Query
  /// The documents that could be decoded, in the query's order.
  public private(set) var documents: [Element] = []
  /// The newest snapshot; nil before the first.
  public private(set) var snapshot: QuerySnapshot?
  /// What ended the live query; nil as long as it runs.
  public private(set) var error: (any Error)?
  /// Whether the first snapshot is still to come.
  public private(set) var isLoading = true
  /// Documents that could not be decoded, which leaves the others as they are.
  public private(set) var failures: [(DocumentReference, any Error)] = []

  @ObservationIgnored private let decoder: Firestore.Decoder
  @ObservationIgnored private var registration: (any ListenerRegistration)?
  @ObservationIgnored private var decoded: [DocumentReference: Result<Element, any Error>] = [:]

  /// Makes a live query; it begins with ``start()``.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - type: What documents are decoded to.
  ///   - decoder: How they are decoded.
  public init(_ query: Query, as type: Element.Type, decoder: Firestore.Decoder = .init()) {
    self.query = query
    self.decoder = decoder
  }

  /// Begins to listen; does nothing while listening.
  public func start() {
    guard registration == nil else { return }
    decoded = [:]
    error = nil
    // Weak: the listener must not keep an object alive that nobody shows any more.
    registration = query.addSnapshotListener { [weak self] snapshot, error in
      self?.receive(snapshot, error)
    }
  }

  /// Ends listening; what was delivered stays.
  public func stop() {
    registration?.remove()
    registration = nil
  }

  private func receive(_ snapshot: QuerySnapshot?, _ error: (any Error)?) {
    isLoading = false
    guard let snapshot else {
      self.error = error
      stop()
      return
    }
    for change in snapshot.documentChanges {
      let document = change.document
      decoded[document.reference] =
        change.type == .removed
        ? nil : Result { try document.data(as: Element.self, decoder: decoder) }
    }
    var documents: [Element] = []
    var failures: [(DocumentReference, any Error)] = []
    for document in snapshot.documents {
      switch decoded[document.reference] {
      case .success(let element)?: documents.append(element)
      case .failure(let error)?: failures.append((document.reference, error))
      case nil: break
      }
    }
    self.documents = documents
    self.failures = failures
    self.snapshot = snapshot
  }

  isolated deinit { registration?.remove() }
}
