import HearthEngine
import HearthModel
import HearthStorage
import HearthTestSupport

/// What may happen in a simulated world, and therefore what must not.
enum Weather: CaseIterable {
  /// Transactions only, each on a fixed set of documents: at most two runs.
  case fair
  /// Everything that is shorter than the leases: at most three runs.
  case busy
  /// Slow blocks, cancelled tasks, errors, a wall clock that jumps: no anomaly all the same.
  case storm
}

/// A small database on few hot documents, and clients that work on it at once.
final class World: Sendable {
  let recorder: Recorder
  let runtime: Runtime
  let weather: Weather
  private let unique = Lock(0)

  init(_ engine: Engine, _ weather: Weather) {
    recorder = Recorder(engine)
    runtime = engine.options.runtime
    self.weather = weather
  }

  static let restaurants = CollectionPath(unchecked: ["restaurants"])
  static let ratings = CollectionPath(unchecked: ["restaurants", "r0", "ratings"])
  static let accounts = CollectionPath(unchecked: ["accounts"])
  static let members = CollectionPath(unchecked: ["members"])
  static let collections = [restaurants, ratings, accounts, members]
  static let membersBound = 6

  static func path(_ collection: CollectionPath, _ kind: String, _ number: Int) -> DocumentPath {
    collection.document("\(kind)\(number)")
  }

  static func set(_ path: DocumentPath, _ fields: Fields) -> Write {
    Write(document: path, operation: .update(fields: fields, mask: nil, transforms: []))
  }

  func uniqueID(_ kind: String) -> String {
    let number = unique.withLock { number in
      number += 1
      return number
    }
    return "\(kind)\(number)"
  }

  /// What is there before the clients come.
  func populate() async throws {
    var writes = (0..<2).map {
      World.set(
        World.path(World.restaurants, "r", $0),
        ["n": .integer(0), "sum": .integer(0), "likes": .integer(0)])
    }
    writes += (0..<4).map {
      World.set(World.path(World.accounts, "a", $0), ["balance": .integer(100)])
    }
    try await recorder.commit("populate", writes)
  }

  // MARK: Transactions

  /// The rating: read the restaurant, add the rating, write count and sum.
  func rate(_ generator: inout SeededGenerator) async throws {
    let restaurant = World.path(
      World.restaurants, "r", Int.random(in: 0..<2, using: &generator))
    let rating = World.ratings.document(uniqueID("rating"))
    let stars = Int64.random(in: 1...5, using: &generator)
    let pause = pause(&generator)
    try await recorder.transaction("rate") { run in
      let before = try run.get(restaurant)?.fields
      try await pause()
      guard case .integer(let n)? = before?["n"], case .integer(let sum)? = before?["sum"] else {
        return
      }
      try run.write(World.set(rating, ["stars": .integer(stars)]))
      try run.write(
        Write(
          document: restaurant,
          operation: .update(
            fields: ["n": .integer(n + 1), "sum": .integer(sum + stars)],
            mask: [FieldPath(["n"]), FieldPath(["sum"])], transforms: []),
          precondition: .exists(true)))
    }
  }

  /// Moves an amount between two of three accounts that it looks at.
  func transfer(_ generator: inout SeededGenerator) async throws {
    let paths = (0..<4).shuffled(using: &generator).prefix(3).map {
      World.path(World.accounts, "a", $0)
    }
    let amount = Int64.random(in: 1...50, using: &generator)
    // A run that loses between two reads does not know all of its documents yet, so that the
    // next one may lose on those it never reached.
    let pausesBetweenReads = weather != .fair
    let pause = pause(&generator)
    try await recorder.transaction("transfer") { run in
      var balances: [Int64] = []
      for path in paths {
        if case .integer(let balance)? = try run.get(path)?.fields["balance"] {
          balances.append(balance)
        }
        if pausesBetweenReads { try await pause() }
      }
      try await pause()
      guard balances.count == 3, balances[0] >= amount, balances[2] >= 0 else { return }
      try run.write(World.set(paths[0], ["balance": .integer(balances[0] - amount)]))
      try run.write(World.set(paths[1], ["balance": .integer(balances[1] + amount)]))
    }
  }

  /// Counts the members of a group and adds one while there are less than the bound: right only
  /// if phantoms are seen.
  func join(_ generator: inout SeededGenerator) async throws {
    let group = Int64.random(in: 0..<2, using: &generator)
    let member = World.members.document(uniqueID("m"))
    var query = World.members(of: group, isActive: generator.oneIn(2) ? true : nil)
    if generator.oneIn(3) {
      // Only a declared index serves this, and it comes and goes.
      query = World.members(of: group, isActive: nil)
      query.orderBy = [OrderBy(FieldPath(["rank"]), .ascending)]
    }
    let asked = query
    let pause = pause(&generator)
    try await recorder.transaction("join") { run in
      let count: Int
      do {
        count = try run.run(asked).count
      } catch let error as HearthError where error.reason.hasPrefix("INDEX_") {
        return
      }
      try await pause()
      guard count < World.membersBound else { return }
      try run.write(
        World.set(
          member,
          ["group": .integer(group), "active": .boolean(true), "rank": .integer(Int64(count))]))
    }
  }

  /// Removes the first members of a group, as its order says.
  func leave(_ generator: inout SeededGenerator) async throws {
    let group = Int64.random(in: 0..<2, using: &generator)
    let pause = pause(&generator)
    try await recorder.transaction("leave") { run in
      var query = World.members(of: group, isActive: nil)
      query.limit = 2
      let members = try run.run(query)
      try await pause()
      for member in members { try run.write(Write(document: member.path, operation: .delete)) }
    }
  }

  /// Reads of several kinds that must all be of one moment.
  func audit(_ generator: inout SeededGenerator) async throws {
    var request = TransactionRequest()
    request.readOnly = generator.oneIn(2)
    let pause = pause(&generator)
    try await recorder.transaction("audit", request) { run in
      var total: Int64 = 0
      for number in 0..<4 {
        let account = try run.get(World.path(World.accounts, "a", number))
        if case .integer(let balance)? = account?.fields["balance"] { total += balance }
        if number == 1 { try await pause() }
      }
      _ = try run.run(World.members(of: 0, isActive: nil))
      if total != 400 { throw Torn(total: total) }
    }
  }

  struct Torn: Error { var total: Int64 }

  static func members(of group: Int64, isActive: Bool?) -> StructuredQuery {
    var query = StructuredQuery(members)
    var filters = [QueryFilter.field(FieldFilter(FieldPath(["group"]), .equal, .integer(group)))]
    if let isActive {
      filters.append(.field(FieldFilter(FieldPath(["active"]), .equal, .boolean(isActive))))
    }
    query.filter = .and(filters)
    return query
  }

  /// What a block does between its calls: nothing, let others run, or take time.
  ///
  /// The waits of a storm are longer than the leases.
  private func pause(_ generator: inout SeededGenerator) -> @Sendable () async throws -> Void {
    let yields = Int.random(in: 0...3, using: &generator)
    var milliseconds: UInt64 = 0
    switch weather {
    case .fair, .busy:
      if generator.oneIn(8) { milliseconds = UInt64.random(in: 1...20, using: &generator) }
    case .storm:
      if generator.oneIn(4) { milliseconds = UInt64.random(in: 1...400, using: &generator) }
    }
    let wait = milliseconds
    let runtime = runtime
    return {
      for _ in 0..<yields { await Task.yield() }
      if wait > 0 { try await runtime.sleep(wait * 1_000_000) }
    }
  }
}
