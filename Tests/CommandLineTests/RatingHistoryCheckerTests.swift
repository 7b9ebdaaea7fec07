import HearthCommandLine
import Testing

/// Histories written by hand, sound and spoilt: what the checker must say of each.
@Suite struct RatingHistoryCheckerTests {
  private typealias State = RatingHistory.State

  /// Ratings of two restaurants, one after the other, as a single client would make them.
  ///
  /// Rating n has version 1000 + n, is submitted at 10 n and acknowledged at 10 n + 5.
  private func soundHistory(_ count: Int = 12, restaurants: Int = 2) -> RatingHistory {
    let initial = (0..<restaurants).map { State(count: 0, average: 0, version: Int64($0)) }
    var states = initial
    var history = RatingHistory(operations: [], initial: initial)
    for number in 1...count {
      let restaurant = number % restaurants
      let stars = 1 + number % 5
      let version = Int64(1_000 + number)
      history.operations.append(
        RatingHistory.Operation(
          rating: UInt64(number), restaurant: restaurant, stars: stars,
          invoked: UInt64(number * 10), returned: UInt64(number * 10 + 5),
          read: states[restaurant], runs: 1))
      history.stored.append(
        RatingHistory.Stored(
          rating: UInt64(number), restaurant: restaurant, stars: stars, version: version))
      states[restaurant] = states[restaurant].adding(stars: stars, version: version)
    }
    history.final = states
    return history
  }

  private func kinds(_ history: RatingHistory) -> Set<RatingFinding.Kind> {
    RatingHistoryChecker.check(history).kinds
  }

  @Test func `a sound history has no findings`() {
    #expect(kinds(soundHistory()).isEmpty)
    #expect(RatingInvariants.check(soundHistory()).kinds.isEmpty)
  }

  @Test func `overlapping operations may stand in any order`() {
    var history = soundHistory()
    for position in history.operations.indices {
      history.operations[position].invoked = 0
      history.operations[position].returned = 1_000
    }
    #expect(kinds(history).isEmpty)
  }

  @Test func `a lost update is found: two transactions read the same state`() {
    var history = soundHistory(4, restaurants: 1)
    // The fourth read what the third had read; both were acknowledged, one update is gone.
    history.operations[3].read = history.operations[2].read
    history.final[0] =
      history.operations[2].read.map {
        $0.adding(stars: history.operations[3].stars, version: 1_004)
      } ?? history.final[0]
    #expect(kinds(history) == [.wrongRead])
    #expect(RatingInvariants.check(history).kinds == [.wrongCount, .wrongAverage])
  }

  @Test func `a stale read is found even if the end is as it should be`() {
    var history = soundHistory()
    history.operations[9].read = history.operations[5].read
    #expect(kinds(history).contains(.wrongRead))
  }

  @Test func `a read of the right values under an old version is found`() {
    var history = soundHistory()
    history.operations[9].read?.version -= 1
    #expect(kinds(history) == [.wrongRead])
  }

  @Test func `reordering against real time is found where every read is right`() {
    // Ratings of two restaurants explain each other in any order; only the clock tells.
    var history = soundHistory(2)
    #expect(history.operations[0].restaurant != history.operations[1].restaurant)
    let (first, second) = (history.stored[0].version, history.stored[1].version)
    (history.stored[0].version, history.stored[1].version) = (second, first)
    (history.final[1].version, history.final[0].version) = (second, first)
    #expect(kinds(history) == [.realTime])
  }

  @Test func `reordering is found across many operations in between`() {
    var history = soundHistory(40)
    // The last rating of a restaurant claims to have been the first commit of all.
    history.operations[39].read = history.initial[history.operations[39].restaurant]
    history.stored[39].version = 1
    #expect(kinds(history).contains(.realTime))
  }

  @Test func `an acknowledged rating that is not stored is found`() {
    var history = soundHistory()
    history.stored.removeLast()
    #expect(kinds(history).contains(.lost))
    #expect(RatingInvariants.check(history).kinds.contains(.wrongCount))
  }

  @Test func `a failed transaction that left its rating is found`() {
    var history = soundHistory()
    history.operations[11].read = nil
    #expect(kinds(history).contains(.ghost))
  }

  @Test func `a rating that nobody made is found`() {
    var history = soundHistory()
    history.stored.append(.init(rating: nil, restaurant: 0, stars: 3, version: 5_000))
    #expect(kinds(history) == [.ghost])
    history = soundHistory()
    history.stored.append(.init(rating: 77, restaurant: 0, stars: 3, version: 5_000))
    #expect(kinds(history) == [.ghost])
  }

  @Test func `two commits of one version are found`() {
    var history = soundHistory()
    history.stored[3].version = history.stored[2].version
    #expect(kinds(history).contains(.sameVersion))
  }

  @Test func `an end that the order does not lead to is found`() {
    var history = soundHistory()
    history.final[1].average += 0.25
    #expect(kinds(history) == [.wrongEnd])
    #expect(RatingInvariants.check(history).kinds == [.wrongAverage])
  }

  @Test func `a failed transaction without effect is no finding`() {
    var history = soundHistory()
    history.operations.append(
      .init(rating: 99, restaurant: 0, stars: 5, invoked: 3, returned: 900, read: nil, runs: 0))
    #expect(kinds(history).isEmpty)
    #expect(RatingInvariants.check(history).kinds.isEmpty)
  }

  @Test func `many findings of a kind are counted, and the first are told`() {
    var history = soundHistory(60, restaurants: 1)
    for position in 1..<60 { history.operations[position].read?.average += 1 }
    let findings = RatingHistoryChecker.check(history)
    #expect(findings.count >= 59)
    #expect(findings.all.count < 20)
  }

  @Test func `ids of ratings give their number back`() {
    for number: UInt64 in [0, 1, 61, 62, 1 << 40, .max - 1, .max] {
      let text = RatingID.text(number)
      #expect(text.utf8.count == 11)
      #expect(RatingID.number(text) == number)
    }
    #expect(RatingID.number("too short") == nil)
    #expect(RatingID.number("not-an-id-!") == nil)
    #expect(RatingID.number("zzzzzzzzzzz") == nil)
  }
}
