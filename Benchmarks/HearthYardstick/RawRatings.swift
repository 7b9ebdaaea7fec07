import Foundation
package import Hearth

/// Ratings in raw LMDB: the puts that Hearth makes for them, and nothing else.
///
/// One thread, a group per commit. What a group leaves is worked out before the clock starts, keys
/// are put in order, records are opaque bytes of about Hearth's size: what the store alone can do.
package final class RawRatings {
  /// A rating to be stored.
  package struct Rating: Sendable {
    package var restaurant: String
    package var id: String
    package var stars: Int

    package init(restaurant: String, id: String, stars: Int) {
      self.restaurant = restaurant
      self.id = id
      self.stars = stars
    }
  }

  /// The net changes of some ratings.
  package struct Group: Sendable {
    package fileprivate(set) var ratings = 0
    fileprivate var documents: [(key: [UInt8], record: [UInt8])] = []
    fileprivate var removed: [[UInt8]] = []
    fileprivate var added: [[UInt8]] = []

    /// Keys written or removed.
    package var puts: Int { documents.count + removed.count + added.count }
  }

  private struct State {
    var count = 0
    var sum = 0
  }

  private let store: RawLMDB
  private var states: [String: State] = [:]

  package init(path: String, durability: Durability) throws {
    store = try RawLMDB(path: path, durability: durability)
  }

  package func close() { store.close() }

  /// Stores restaurants without ratings, in one commit.
  package func insert(_ restaurants: [String]) throws {
    var group = Group()
    for id in restaurants {
      states[id] = State()
      group.documents.append((Array(id.utf8), Self.restaurantRecord(State())))
      group.added += Self.entries(id, State())
      // The fields that no rating changes: name, category, city.
      group.added += ["na", "ca", "ci"].map { Self.entry($0, id, "") }
    }
    try commit(Self.sorted(group))
  }

  /// Works out what ratings leave when they are committed together.
  package func group(_ ratings: [Rating]) -> Group {
    var group = Group()
    var touched: [String: State] = [:]
    for rating in ratings {
      touched[rating.restaurant] = touched[rating.restaurant] ?? states[rating.restaurant]
      states[rating.restaurant, default: State()].count += 1
      states[rating.restaurant, default: State()].sum += rating.stars
      group.documents.append(
        (Array((rating.restaurant + rating.id).utf8), Array(repeating: 7, count: 110)))
      group.added += ["ra", "us", "te"].map { Self.entry($0, rating.restaurant, rating.id) }
    }
    for (id, before) in touched {
      let after = states[id] ?? before
      group.documents.append((Array(id.utf8), Self.restaurantRecord(after)))
      group.removed += Self.entries(id, before)
      group.added += Self.entries(id, after)
    }
    group.ratings = ratings.count
    return Self.sorted(group)
  }

  /// Writes a group in one commit.
  package func commit(_ group: Group) throws {
    try store.write { transaction in
      for (key, record) in group.documents {
        try store.put(transaction, store.documents, key, record)
      }
      for key in group.removed { try store.delete(transaction, store.entries, key) }
      for key in group.added { try store.put(transaction, store.entries, key, []) }
    }
  }

  private static func sorted(_ group: Group) -> Group {
    var group = group
    group.documents.sort { $0.key.lexicographicallyPrecedes($1.key) }
    group.removed.sort { $0.lexicographicallyPrecedes($1) }
    group.added.sort { $0.lexicographicallyPrecedes($1) }
    return group
  }

  private static func restaurantRecord(_ state: State) -> [UInt8] {
    bytes(UInt64(state.count)) + bytes(UInt64(state.sum)) + Array(repeating: 3, count: 170)
  }

  /// The entries of count and average.
  private static func entries(_ id: String, _ state: State) -> [[UInt8]] {
    let average = state.count == 0 ? 0 : Double(state.sum) / Double(state.count)
    return [
      Array("rc".utf8) + bytes(UInt64(state.count)) + Array(id.utf8),
      Array("av".utf8) + bytes(average.bitPattern) + Array(id.utf8),
    ]
  }

  private static func entry(_ field: String, _ restaurant: String, _ id: String) -> [UInt8] {
    Array((field + restaurant + "some value or another" + id).utf8)
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
