import HearthEngine
import HearthModel
import HearthTestSupport
import Synchronization

/// Groups of documents that are written together, so that any two numbers in one are a torn read.
final class GrowthWorld: Sendable {
  /// What one reader saw last of each group: numbers only go up.
  struct Watch {
    var numbers = Array(repeating: 0, count: MapGrowthChild.groups)
  }

  private struct Counts {
    var commits = 0
    var reads = 0
    var queries = 0
    var transactions = 0
    var events = 0
    var isPlanted: Bool
  }

  private let engine: Engine
  private let voice: ChildVoice
  private let counts: Mutex<Counts>

  init(_ engine: Engine, _ voice: ChildVoice, isPlanted: Bool) {
    self.engine = engine
    self.voice = voice
    counts = Mutex(Counts(isPlanted: isPlanted))
  }

  func tellCounts() {
    let counts = counts.withLock { $0 }
    voice.count("commits", counts.commits)
    voice.count("reads", counts.reads)
    voice.count("queries", counts.queries)
    voice.count("transactions", counts.transactions)
    voice.count("events", counts.events)
  }

  // MARK: Writing

  /// Gives all documents of some groups a number, in one commit.
  func write(_ groups: Range<Int>, _ n: Int) async throws {
    let writes = try groups.flatMap { group in
      try (0..<MapGrowthChild.parts).map { part in
        try Write.set("groups/g\(group)/parts/p\(part)", fields(group, part, n))
      }
    }
    _ = try await engine.commit(writes)
    counts.withLock { $0.commits += 1 }
  }

  /// Something that takes room.
  func fill(_ n: Int, _ length: Int) async throws {
    let text = String(repeating: "fill ", count: length / 5)
    _ = try await engine.commit([try .set("filler/f\(n)", ["text": .string(text)])])
    counts.withLock { $0.commits += 1 }
  }

  private func fields(_ group: Int, _ part: Int, _ n: Int) -> Fields {
    // Of many lengths, some beyond a page.
    let text = String(repeating: "\(group).\(part).\(n) ", count: (n * 7 + part * 31) % 150)
    return ["n": .integer(Int64(n)), "part": .integer(Int64(part)), "text": .string(text)]
  }

  // MARK: Reading

  private func collection(_ group: Int) throws -> StructuredQuery {
    StructuredQuery(try CollectionPath("groups/g\(group)/parts"))
  }

  func read(
    _ reader: Int, _ watch: inout Watch, _ generator: inout SeededGenerator
  ) async throws {
    let group = Int.random(in: 0..<MapGrowthChild.groups, using: &generator)
    switch reader % 3 {
    case 0:
      let part = Int.random(in: 0..<MapGrowthChild.parts, using: &generator)
      let path = try DocumentPath("groups/g\(group)/parts/p\(part)")
      let document = try engine.get(path).document
      try judge("a read", group, [document].compactMap { $0 }, count: 1, &watch)
      counts.withLock { $0.reads += 1 }
    case 1:
      var query = try collection(group)
      query.orderBy = [OrderBy(FieldPath(["part"]), .descending)]
      let documents = try engine.run(query).documents
      try judge(
        "a query", group, documents.reversed(), count: MapGrowthChild.parts, &watch)
      counts.withLock { $0.queries += 1 }
    default:
      let paths = try (0..<MapGrowthChild.parts).map {
        try DocumentPath("groups/g\(group)/parts/p\($0)")
      }
      let documents = try await engine.runTransaction(TransactionRequest()) { context in
        try paths.compactMap { try context.get($0) }
      }
      try judge(
        "a transaction", group, documents, count: MapGrowthChild.parts, &watch)
      counts.withLock { $0.transactions += 1 }
    }
  }

  /// Every document whole, all of one number, and none older than seen before.
  private func judge(
    _ what: String, _ group: Int, _ documents: [StoredDocument], count: Int, _ watch: inout Watch
  ) throws {
    if documents.count != count {
      voice.find(.wrong, "\(what) of group \(group) shows \(documents.count) documents")
      return
    }
    var numbers: [Int] = []
    for document in documents {
      var found = try document.fields()
      let isPlanted = counts.withLock { counts in
        // Once, in the middle of it.
        defer { if counts.commits > 20 { counts.isPlanted = false } }
        return counts.isPlanted && counts.commits > 20
      }
      if isPlanted { found = ["n": .integer(1)] }
      guard case .integer(let n) = found.value(at: FieldPath(["n"])),
        case .integer(let part) = found.value(at: FieldPath(["part"])),
        found == fields(group, Int(part), Int(n)), document.path.id == "p\(part)"
      else {
        voice.find(.wrong, "\(what) of group \(group) shows another content")
        return
      }
      numbers.append(Int(n))
    }
    if Set(numbers).count != 1 { voice.find(.torn, "\(what) of group \(group): \(numbers)") }
    if let n = numbers.first {
      if n < watch.numbers[group] {
        voice.find(.wrong, "\(what) of group \(group): \(n) after \(watch.numbers[group])")
      }
      watch.numbers[group] = max(watch.numbers[group], n)
    }
  }

  // MARK: Listening

  /// One listener for each of some groups.
  func listen() throws -> [Listener] {
    try (0..<4).map { group in
      let seen = Seen()
      let listener = engine.listen(.query(try collection(group))) { [self] in
        if let listener = seen.listener.withLock({ $0 }) { take(listener, group, seen) }
      }
      seen.listener.withLock { $0 = listener }
      // What came before it was there.
      take(listener, group, seen)
      return listener
    }
  }

  private func take(_ listener: Listener, _ group: Int, _ seen: Seen) {
    // One event at a time, or an older one could be judged after a newer one.
    seen.watch.withLock { watch in
      while let event = listener.take() {
        switch event {
        case .failure(let error): voice.find(.failure, "a listener: \(error)")
        case .snapshot(let snapshot):
          counts.withLock { $0.events += 1 }
          do {
            try judge(
              "a listener", group, snapshot.documents, count: MapGrowthChild.parts, &watch)
          } catch {
            voice.find(.failure, "a listener's document: \(error)")
          }
        }
      }
    }
  }

  /// A listener that its own callback can reach, and what it has seen.
  private final class Seen: Sendable {
    let listener = Mutex<Listener?>(nil)
    let watch = Mutex(Watch())
  }
}
