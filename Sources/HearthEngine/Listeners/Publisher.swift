import HearthModel
import HearthStorage

/// The one ordered feed behind the committer: registrations, groups of commits and completions,
/// each handled before the next begins, so that listeners see versions in one order.
final class Publisher: Sendable {
  private enum Item {
    case batch(ChangeBatch, [@Sendable () -> Void])
    case attach(Listener, ShardState.ViewKey)
    case activate(ViewID, shard: Int, Result<Shard.Fetched, HearthError>)
    case detach(Listener, ShardState.ViewKey)
    case indexDropped
    case barrier(CheckedContinuation<Void, Never>)
    case stop(CheckedContinuation<Void, Never>)
  }

  private struct Box {
    var items: [Item] = []
    var waiter: CheckedContinuation<Void, Never>?
    var listenerCount = 0
    var inSync: [Int: @Sendable () -> Void] = [:]
    var nextInSync = 0
    var isStopped = false
    /// The version of the last round; readers may be ahead of it.
    var published: CommitVersion
    /// Registrations by somebody who may have seen a version whose round is still to come.
    ///
    /// A view that is alive would show them less than that.
    var early: [(seen: CommitVersion, listener: Listener, key: ShardState.ViewKey)] = []
  }

  private let box: Lock<Box>
  private let shards: [Shard]
  private let runtime: Runtime
  private let fetch: @Sendable (NormalizedQuery, Int?) throws(HearthError) -> Shard.Fetched
  private let fetchDocument: @Sendable (DocumentPath) throws(HearthError) -> Shard.Fetched
  private let beforeReading: @Sendable () async -> Void
  /// What readers see now, nil if that cannot be read.
  private let currentHead: @Sendable () -> CommitVersion?

  init(
    shards: [Shard], head: CommitVersion, runtime: Runtime,
    fetch: @escaping @Sendable (NormalizedQuery, Int?) throws(HearthError) -> Shard.Fetched,
    fetchDocument: @escaping @Sendable (DocumentPath) throws(HearthError) -> Shard.Fetched,
    beforeReading: @escaping @Sendable () async -> Void,
    currentHead: @escaping @Sendable () -> CommitVersion?
  ) {
    self.shards = shards
    box = Lock(Box(published: head))
    self.runtime = runtime
    self.fetch = fetch
    self.fetchDocument = fetchDocument
    self.beforeReading = beforeReading
    self.currentHead = currentHead
  }

  /// Whether anybody listens; if not, a commit's changes need not be collected.
  var wantsChanges: Bool { box.withLock { $0.listenerCount > 0 } }

  func publish(_ batch: ChangeBatch, _ completions: [@Sendable () -> Void]) {
    put(.batch(batch, completions))
  }

  func attach(_ listener: Listener, _ key: ShardState.ViewKey) {
    box.withLock { $0.listenerCount += 1 }
    put(.attach(listener, key))
  }

  func detach(_ listener: Listener, _ key: ShardState.ViewKey) {
    put(.detach(listener, key))
  }

  /// Listeners whose query has lost its index are to end.
  func indexDropped() { put(.indexDropped) }

  /// Suspends until everything put before was handled.
  func drain() async {
    await withCheckedContinuation { put(.barrier($0)) }
  }

  /// Handles what waits and ends.
  func stop() async {
    await withCheckedContinuation { put(.stop($0)) }
  }

  func addInSync(_ body: @escaping @Sendable () -> Void) -> Int {
    box.withLock { box in
      box.nextInSync += 1
      box.inSync[box.nextInSync] = body
      return box.nextInSync
    }
  }

  func removeInSync(_ number: Int) { box.withLock { $0.inSync[number] = nil } }

  private func put(_ item: Item) {
    let (refused, waiter) = box.withLock { box -> (Bool, CheckedContinuation<Void, Never>?) in
      if box.isStopped { return (true, nil) }
      box.items.append(item)
      return (false, take(&box.waiter))
    }
    waiter?.resume()
    guard refused else { return }
    // Closed: whoever waits for an answer still gets it.
    switch item {
    case .barrier(let continuation), .stop(let continuation): continuation.resume()
    case .batch(_, let completions): completions.forEach { $0() }
    default: break
    }
  }

  private func next() async -> [Item] {
    while true {
      let items = box.withLock { box in
        defer { box.items = [] }
        return box.items
      }
      if !items.isEmpty { return items }
      await withCheckedContinuation { continuation in
        let ready = box.withLock { box -> Bool in
          if !box.items.isEmpty { return true }
          box.waiter = continuation
          return false
        }
        if ready { continuation.resume() }
      }
    }
  }

  /// Works until stopped.
  func run() async {
    while true {
      for item in await next() {
        switch item {
        case .batch(let batch, let completions): await round(batch, completions)
        case .attach(let listener, let key): await begin(listener, key)
        case .activate(let id, let shard, let result):
          let published = box.withLock { $0.published }
          if await shards[shard].activate(id, result, published) { announceInSync() }
        case .detach(let listener, let key):
          box.withLock { $0.listenerCount -= 1 }
          await shards[shard(of: key)].detach(listener, key)
        case .indexDropped:
          for shard in shards { await shard.planAgain() }
        case .barrier(let continuation): continuation.resume()
        case .stop(let continuation):
          let rest = box.withLock { box in
            box.isStopped = true
            defer { box.items = [] }
            return box.items
          }
          for case .barrier(let waiting) in rest { waiting.resume() }
          continuation.resume()
          return
        }
      }
    }
  }

  /// One round: all shards take the changes, then all offer, then the in-sync hooks, then the
  /// writers' completions.
  private func round(_ batch: ChangeBatch, _ completions: [@Sendable () -> Void]) async {
    box.withLock { $0.published = max($0.published, batch.version) }
    if wantsChanges {
      if !batch.changes.isEmpty {
        var parts: [[ChangedDocument]] = Array(repeating: [], count: shards.count)
        for change in batch.changes {
          parts[shard(of: change.path.collection.collectionID)].append(change)
        }
        for (number, part) in parts.enumerated() where !part.isEmpty {
          await shards[number].apply(ChangeBatch(version: batch.version, changes: part))
        }
      }
      var raised = false
      for shard in shards where await shard.finishRound(batch.version) { raised = true }
      if raised { announceInSync() }
    }
    completions.forEach { $0() }
    let due = box.withLock { box in
      let due = box.early.filter { $0.seen <= box.published }
      box.early.removeAll { $0.seen <= box.published }
      return due
    }
    for early in due { await begin(early.listener, early.key) }
  }

  private func begin(_ listener: Listener, _ key: ShardState.ViewKey) async {
    if listener.isEnded { return }
    let seen = currentHead()
    let isEarly = box.withLock { box -> Bool in
      guard let seen, seen > box.published else { return false }
      box.early.append((seen, listener, key))
      return true
    }
    // The committer has stored a group that is not in the feed yet, but will be.
    if isEarly { return }
    let number = shard(of: key)
    let joined = await shards[number].attach(listener, key)
    if joined.offered { announceInSync() }
    guard let id = joined.toBuild else { return }
    let fetch = fetch
    let fetchDocument = fetchDocument
    let beforeReading = beforeReading
    // The first run happens beside the feed: a large one must not hold up other listeners.
    runtime.spawn("hearth.listen") { [weak self] in
      await beforeReading()
      let result: Result<Shard.Fetched, HearthError>
      do throws(HearthError) {
        switch key {
        case .document(let path): result = .success(try fetchDocument(path))
        case .query(let query):
          result = .success(try fetch(query, QueryView.capacity(of: query)))
        }
      } catch {
        result = .failure(error)
      }
      self?.put(.activate(id, shard: number, result))
    }
  }

  private func announceInSync() {
    let hooks = box.withLock { box in box.inSync.sorted { $0.key < $1.key }.map(\.value) }
    hooks.forEach { $0() }
  }

  private func shard(of key: ShardState.ViewKey) -> Int {
    switch key {
    case .document(let path): shard(of: path.collection.collectionID)
    case .query(let query): shard(of: query.query.collectionID)
    }
  }

  /// A collection's shard: by a hash of its id that is the same in every process, so that a
  /// seeded run repeats.
  private func shard(of collectionID: String) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in collectionID.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(hash % UInt64(shards.count))
  }
}
