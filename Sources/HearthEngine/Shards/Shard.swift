import HearthModel
import HearthPlanner

/// The owner of what must be serial for its collections: the live views of their listeners.
///
/// A thin shell around `ShardState`; it adds reading, which the state asks for. Only the
/// publisher calls it, so its rounds never overlap.
actor Shard {
  private var state = ShardState()
  private let fetch: @Sendable (NormalizedQuery, Int?) throws(HearthError) -> Fetched
  /// Throws where no index serves a query any more.
  private let plan: @Sendable (NormalizedQuery) throws(HearthError) -> Void
  private let counters: EngineCounters

  /// A query's documents in the order of execution, and the version they were read at.
  struct Fetched: Sendable {
    var entries: [ViewEntry]
    var version: CommitVersion
    /// How a query was read.
    var explanation: Explanation?
  }

  init(
    counters: EngineCounters,
    plan: @escaping @Sendable (NormalizedQuery) throws(HearthError) -> Void = { _ in },
    fetch: @escaping @Sendable (NormalizedQuery, Int?) throws(HearthError) -> Fetched
  ) {
    self.counters = counters
    self.plan = plan
    self.fetch = fetch
  }

  /// What joining a view led to: somebody has to run its query, or something was offered.
  struct Joined: Sendable {
    var toBuild: ViewID?
    var offered = false
  }

  func attach(_ listener: Listener, _ key: ShardState.ViewKey) -> Joined {
    switch state.attach(listener, key) {
    case .live(let offer): Joined(offered: perform(offer.map { [$0] } ?? []))
    case .waiting: Joined()
    case .build(let id): Joined(toBuild: id)
    }
  }

  func detach(_ listener: Listener, _ key: ShardState.ViewKey) { state.detach(listener, key) }

  /// Takes a view's first result, or the error that ends it.
  func activate(
    _ id: ViewID, _ result: Result<Fetched, HearthError>, _ published: CommitVersion
  ) -> Bool {
    switch result {
    case .failure(let error):
      for listener in state.fail(id) { listener.fail(error) }
      return true
    case .success(let fetched):
      let activated = state.activate(
        id, fetched.entries, version: fetched.version, published: published, fetched.explanation)
      for id in activated.refills { refill(id) }
      // What was read again has its first state only now, and no other round need come.
      return perform(activated.offers + state.offers(of: activated.refills))
    }
  }

  /// After an index was dropped: ends the listeners whose query no other index serves
  /// (transactions-and-listeners, 5.6).
  func planAgain() {
    for (id, query) in state.queries {
      do throws(HearthError) {
        try plan(query)
      } catch {
        for listener in state.fail(id) { listener.fail(error) }
      }
    }
  }

  /// Takes a group's changes into the views.
  func apply(_ batch: ChangeBatch) {
    if state.isEmpty { return }
    let before = state.candidateCount
    for id in state.apply(batch) { refill(id) }
    let candidates = state.candidateCount - before
    if candidates > 0 { counters.count { $0.matchCandidates += candidates } }
  }

  /// Offers what changed.
  ///
  /// True if anything was offered.
  func finishRound(_ version: CommitVersion) -> Bool { perform(state.finishRound(version)) }

  private func refill(_ id: ViewID) {
    guard let query = state.query(of: id) else { return }
    counters.count { $0.refills += 1 }
    do throws(HearthError) {
      let fetched = try fetch(query, QueryView.capacity(of: query))
      state.refill(id, fetched.entries, version: fetched.version, fetched.explanation)
    } catch {
      for listener in state.fail(id) { listener.fail(error) }
    }
  }

  @discardableResult
  private func perform(_ offers: [ShardState.Offer]) -> Bool {
    for offer in offers {
      for listener in offer.listeners { listener.offer(offer.snapshot) }
      counters.count { $0.snapshotsRaised += offer.listeners.count }
    }
    return !offers.isEmpty
  }
}
