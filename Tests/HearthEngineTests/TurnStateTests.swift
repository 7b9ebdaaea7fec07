import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@Suite struct TurnStateTests {
  private let a = doc("a")
  private let b = doc("b")
  private let c = doc("c")

  @Test func `turns on one document are granted first come, first served`() {
    var turns = TurnState(leaseNanoseconds: 100)
    #expect(turns.claim([a], for: owner(1), now: 0) == [.granted(owner(1))])
    #expect(turns.claim([a], for: owner(3), now: 0) == [])
    #expect(turns.claim([a], for: owner(2), now: 0) == [])
    #expect(turns.release(owner(1), now: 1) == [.granted(owner(3))])
    #expect(turns.release(owner(3), now: 2) == [.granted(owner(2))])
    #expect(turns.release(owner(2), now: 3) == [])
    #expect(turns.isEmpty)
  }

  @Test func `opposite orders of naming do not deadlock`() {
    var turns = TurnState(leaseNanoseconds: 100)
    #expect(turns.claim([b, a], for: owner(1), now: 0) == [.granted(owner(1))])
    #expect(turns.claim([a, b], for: owner(2), now: 0) == [])
    #expect(turns.claim([b, c], for: owner(3), now: 0) == [])
    #expect(turns.release(owner(1), now: 0) == [.granted(owner(3))])
    #expect(turns.release(owner(3), now: 0) == [.granted(owner(2))])
  }

  @Test func `a document named twice is held once`() {
    var turns = TurnState(leaseNanoseconds: 100)
    #expect(turns.claim([a, a], for: owner(1), now: 0) == [.granted(owner(1))])
    #expect(turns.claim([a], for: owner(2), now: 0) == [])
    #expect(turns.release(owner(1), now: 0) == [.granted(owner(2))])
  }

  @Test func `only others are refused, and only while the turn is held`() {
    var turns = TurnState(leaseNanoseconds: 100)
    #expect(turns.refusals(owner(2), [a]) == [])
    _ = turns.claim([a, b], for: owner(1), now: 0)
    #expect(turns.refusals(owner(1), [a, b]) == [])
    #expect(turns.refusals(owner(2), [c, b, a]) == [b, a])
    _ = turns.release(owner(1), now: 0)
    #expect(turns.refusals(owner(2), [a, b, c]) == [])
  }

  @Test func `a lease that has run out hands the turn on`() {
    var turns = TurnState(leaseNanoseconds: 100)
    _ = turns.claim([a], for: owner(1), now: 10)
    _ = turns.claim([a], for: owner(2), now: 20)
    #expect(turns.nextDeadline == 110)
    #expect(turns.expire(now: 109) == [])
    #expect(turns.expire(now: 110) == [.granted(owner(2))])
    // The lease runs from the grant, not from the claim.
    #expect(turns.nextDeadline == 210)
    #expect(turns.refusals(owner(1), [a]) == [a])
    #expect(turns.release(owner(1), now: 120) == [])
    #expect(turns.refusals(owner(1), [a]) == [a])
  }

  @Test func `who still waits for a document has no lease`() {
    var turns = TurnState(leaseNanoseconds: 100)
    _ = turns.claim([b], for: owner(1), now: 0)
    _ = turns.claim([a, b], for: owner(2), now: 0)
    #expect(turns.expire(now: 100) == [.granted(owner(2))])
    #expect(turns.nextDeadline == 200)
  }

  @Test func `releasing a waiting claim gives up its place and what it holds already`() {
    var turns = TurnState(leaseNanoseconds: 100)
    _ = turns.claim([b], for: owner(1), now: 0)
    _ = turns.claim([a, b], for: owner(2), now: 0)
    _ = turns.claim([a], for: owner(3), now: 0)
    #expect(turns.release(owner(2), now: 0) == [.granted(owner(3))])
    #expect(turns.release(owner(1), now: 0) == [])
    #expect(turns.release(owner(3), now: 0) == [])
    #expect(turns.isEmpty)
    #expect(turns.refusals(owner(9), [a, b]) == [])
  }

  @Test func `claiming again releases first and queues behind`() {
    var turns = TurnState(leaseNanoseconds: 100)
    _ = turns.claim([a], for: owner(1), now: 0)
    _ = turns.claim([a], for: owner(2), now: 0)
    #expect(turns.claim([a, b], for: owner(1), now: 0) == [.granted(owner(2))])
    #expect(turns.release(owner(2), now: 0) == [.granted(owner(1))])
  }

  @Test func `whatever happens, a document has one holder and everybody gets a turn`() {
    var generator = SeededGenerator(seed: testSeed("turns"))
    let documents = (0..<6).map { doc("d\($0)") }
    for _ in 0..<(300 * soakFactor) {
      var turns = TurnState(leaseNanoseconds: 50)
      var now: UInt64 = 0
      var deadlines: [CommitRequest.Owner: UInt64] = [:]
      // The model: who holds what, and who waits. It knows nothing of lanes.
      var held: [CommitRequest.Owner: Set<DocumentPath>] = [:]
      var waiting: [CommitRequest.Owner: Set<DocumentPath>] = [:]
      func take(_ actions: [TurnState.Action]) {
        for case .granted(let owner) in actions {
          let mine = waiting.removeValue(forKey: owner)
          #expect(mine != nil, "\(owner) was granted what it did not wait for")
          for (_, theirs) in held { #expect(theirs.isDisjoint(with: mine ?? [])) }
          held[owner] = mine
          deadlines[owner] = now + 50
        }
      }
      for _ in 0..<60 {
        now += UInt64.random(in: 0...20, using: &generator)
        let who = owner(UInt64.random(in: 0..<8, using: &generator))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0, 1:
          let count = Int.random(in: 1...3, using: &generator)
          let claimed = documents.shuffled(using: &generator).prefix(count)
          held[who] = nil
          waiting[who] = Set(claimed)
          take(turns.claim(Array(claimed), for: who, now: now))
        case 2:
          held[who] = nil
          waiting[who] = nil
          take(turns.release(who, now: now))
        default:
          for owner in held.keys where deadlines[owner] ?? 0 <= now { held[owner] = nil }
          take(turns.expire(now: now))
        }
        for (holder, mine) in held {
          #expect(turns.refusals(holder, Array(mine)).isEmpty)
          #expect(turns.refusals(owner(99), Array(mine)).count == mine.count)
        }
      }
      // No deadlock: releasing holders one after another serves everybody.
      while let next = held.keys.min(by: { $0.number < $1.number }) {
        held[next] = nil
        take(turns.release(next, now: now))
      }
      #expect(waiting.isEmpty, "\(waiting) wait for nobody")
      #expect(turns.isEmpty)
    }
  }
}
