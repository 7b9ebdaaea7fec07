import HearthModel

/// What a shard knows: the live views of its collections.
///
/// A struct that takes events and returns what is to be offered to whom.
struct ShardState {
  /// Which view a listener shares.
  enum ViewKey: Hashable {
    case document(DocumentPath)
    case query(NormalizedQuery)
  }

  /// A state to be offered to listeners.
  struct Offer {
    var listeners: [Listener]
    var snapshot: ViewSnapshot
  }

  private enum Content {
    /// The first run is under way; changes wait for it.
    case building([ChangeBatch])
    case query(QueryView)
    case document(path: DocumentPath, StoredDocument?, CommitVersion)
  }

  private struct View {
    var key: ViewKey
    var content: Content
    var listeners: [ObjectIdentifier: Listener] = [:]
    /// In the order of registration.
    var order: [ObjectIdentifier] = []
    var hasNews = false
    /// Read at a version whose round is still to come: offered in that round, so that listeners
    /// of one instance see versions in one order.
    var heldUntil: CommitVersion?
    /// How it was last read from the database.
    var explanation: Explanation?

    var all: [Listener] { order.compactMap { listeners[$0] } }
  }

  private var views: [ViewID: View] = [:]
  private var byKey: [ViewKey: ViewID] = [:]
  private var matcher = Matcher()
  private var nextView = 0
  private(set) var round: CommitVersion = .zero
  private(set) var candidateCount = 0

  var isEmpty: Bool { views.isEmpty }

  // MARK: Registration

  enum Attached {
    /// The view is live: offer this.
    case live(Offer?)
    /// The view is being built by somebody else.
    case waiting
    /// The caller is to run the query and call `activate`.
    case build(ViewID)
  }

  mutating func attach(_ listener: Listener, _ key: ViewKey) -> Attached {
    if let id = byKey[key], var view = views[id] {
      view.listeners[ObjectIdentifier(listener)] = listener
      view.order.append(ObjectIdentifier(listener))
      views[id] = view
      if case .building = view.content { return .waiting }
      if view.heldUntil != nil { return .waiting }
      return .live(snapshot(of: view).map { Offer(listeners: [listener], snapshot: $0) })
    }
    let id = ViewID(number: nextView)
    nextView += 1
    var view = View(key: key, content: .building([]))
    view.listeners[ObjectIdentifier(listener)] = listener
    view.order.append(ObjectIdentifier(listener))
    views[id] = view
    byKey[key] = id
    switch key {
    case .document(let path): matcher.insert(id, document: path)
    case .query(let query): matcher.insert(id, query)
    }
    return .build(id)
  }

  mutating func detach(_ listener: Listener, _ key: ViewKey) {
    guard let id = byKey[key], var view = views[id] else { return }
    view.listeners[ObjectIdentifier(listener)] = nil
    view.order.removeAll { $0 == ObjectIdentifier(listener) }
    if view.listeners.isEmpty { drop(id, key) } else { views[id] = view }
  }

  /// Takes the first result of a view, read at `version`.
  mutating func activate(
    _ id: ViewID, _ entries: [ViewEntry], version: CommitVersion, published: CommitVersion,
    _ explanation: Explanation? = nil
  ) -> Activated {
    round = max(round, published)
    guard var view = views[id], case .building(let waiting) = view.content else {
      return Activated()
    }
    switch view.key {
    case .document(let path):
      view.content = .document(path: path, entries.first?.document, version)
    case .query(let query):
      view.content = .query(QueryView(query, members: entries, version: version))
    }
    view.hasNews = true
    view.explanation = explanation
    view.heldUntil = version > round ? version : nil
    views[id] = view
    var activated = Activated()
    for batch in waiting where batch.version > version {
      if apply(batch.changes, batch.version, to: id) { activated.refills.append(id) }
    }
    if activated.refills.isEmpty { activated.offers = offers(of: [id]) }
    return activated
  }

  struct Activated {
    var offers: [Offer] = []
    var refills: [ViewID] = []
  }

  /// Ends a view with an error; gives its listeners.
  mutating func fail(_ id: ViewID) -> [Listener] {
    guard let view = views[id] else { return [] }
    drop(id, view.key)
    return view.all
  }

  private mutating func drop(_ id: ViewID, _ key: ViewKey) {
    views[id] = nil
    byKey[key] = nil
    switch key {
    case .document(let path): matcher.remove(document: path)
    case .query(let query): matcher.remove(id, query)
    }
  }

  // MARK: Rounds

  /// Applies a group's changes; gives the views that have to read again.
  ///
  /// Call `finishRound` when those have been refilled.
  mutating func apply(_ batch: ChangeBatch) -> [ViewID] {
    var byView: [ViewID: [ChangedDocument]] = [:]
    for change in batch.changes {
      for id in matcher.candidates(change) { byView[id, default: []].append(change) }
    }
    candidateCount += byView.count
    return byView.keys.sorted { $0.number < $1.number }.filter { id in
      apply(byView[id] ?? [], batch.version, to: id)
    }
  }

  /// True if the view has to read again.
  private mutating func apply(
    _ changes: [ChangedDocument], _ version: CommitVersion, to id: ViewID
  ) -> Bool {
    guard var view = views[id] else { return false }
    defer { views[id] = view }
    switch view.content {
    case .building(let waiting):
      view.content = .building(waiting + [ChangeBatch(version: version, changes: changes)])
    case .document(let path, _, let read):
      guard version > read, let change = changes.last else { return false }
      view.content = .document(path: path, change.after.map(StoredDocument.init), version)
      view.hasNews = true
    case .query(var query):
      guard version > query.version else { return false }
      // The stored view must not share its members with the copy while they change.
      view.content = .building([])
      if query.apply(changes, version: version) { view.hasNews = true }
      let needsRefill = query.needsRefill
      view.content = .query(query)
      return needsRefill
    }
    return false
  }

  /// The queries of all views, in the order of their registration.
  var queries: [(id: ViewID, query: NormalizedQuery)] {
    views.keys.sorted { $0.number < $1.number }.compactMap { id in
      query(of: id).map { (id, $0) }
    }
  }

  /// What a view that has to read again asks for.
  func query(of id: ViewID) -> NormalizedQuery? {
    if case .query(let query)? = views[id]?.key { return query }
    return nil
  }

  /// Takes what a view read again.
  mutating func refill(
    _ id: ViewID, _ entries: [ViewEntry], version: CommitVersion,
    _ explanation: Explanation? = nil
  ) {
    guard var view = views[id], case .query(var query) = view.content else { return }
    query.load(entries, version: version)
    view.content = .query(query)
    view.hasNews = true
    view.explanation = explanation
    view.heldUntil = version
    views[id] = view
  }

  /// Ends a round: everything up to its version was applied.
  ///
  /// Gives what changed.
  mutating func finishRound(_ version: CommitVersion) -> [Offer] {
    round = max(round, version)
    let ready = views.filter { $0.value.hasNews }.keys.sorted { $0.number < $1.number }
    return offers(of: ready)
  }

  /// What is new in some views and may be shown in the current round.
  mutating func offers(of ids: [ViewID]) -> [Offer] {
    var offers: [Offer] = []
    for id in ids {
      guard var view = views[id], view.hasNews else { continue }
      if let held = view.heldUntil {
        if held > round { continue }
        view.heldUntil = nil
      }
      view.hasNews = false
      views[id] = view
      if let snapshot = snapshot(of: view) {
        offers.append(Offer(listeners: view.all, snapshot: snapshot))
      }
    }
    return offers
  }

  private func snapshot(of view: View) -> ViewSnapshot? {
    switch view.content {
    case .building: return nil
    case .query(let query):
      // Unchanged since its own version, it is the result of the round as well; the newer name
      // keeps versions in one order for all listeners.
      var snapshot = query.snapshot
      snapshot.version = max(snapshot.version, round)
      snapshot.explanation = view.explanation
      return snapshot
    case .document(let path, let document, let version):
      let entries = document.map {
        [ViewEntry(key: SortKey(values: [], path: path), document: $0)]
      }
      return ViewSnapshot(version: max(version, round), entries: entries ?? [])
    }
  }
}
