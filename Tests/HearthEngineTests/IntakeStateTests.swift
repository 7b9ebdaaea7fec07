import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@Suite struct IntakeStateTests {
  private func blind(_ id: String, bytes: Int = 1, passes: Bool = false) -> CommitRequest {
    CommitRequest(
      kind: .blind, writes: [Write(document: doc(id), operation: .delete)], byteCount: bytes,
      passesGate: passes, reply: { _ in })
  }

  private func transaction(_ number: UInt64) -> CommitRequest {
    CommitRequest(
      kind: .transaction(Footprint(readVersion: .zero), owner(number)),
      writes: [Write(document: doc("t\(number)"), operation: .delete)], byteCount: 1,
      reply: { _ in })
  }

  private let idle = MaintenanceRequest(body: { _, _ in }, reply: { _ in })

  /// What comes next, as ids of the documents written.
  private func next(
    _ state: inout IntakeState, limit: Int = 100, byteLimit: Int = 1000
  ) -> [String]? {
    switch state.next(limit: limit, byteLimit: byteLimit) {
    case .group(let requests): requests.flatMap { $0.writes.map(\.document.id) }
    case .maintenance: ["maintenance"]
    case .stop: ["stop"]
    case nil: nil
    }
  }

  @Test func `requests leave in the order in which they came`() {
    var state = IntakeState()
    #expect(next(&state) == nil)
    #expect(!state.hasWork)
    for id in ["c", "a", "b"] { #expect(state.add(blind(id)) == true) }
    #expect(state.hasWork)
    #expect(next(&state) == ["c", "a", "b"])
    #expect(next(&state) == nil)
    #expect(state.queuedBytes == 0)
  }

  @Test func `a group is limited by its count`() {
    var state = IntakeState()
    for id in ["a", "b", "c"] { _ = state.add(blind(id)) }
    #expect(next(&state, limit: 2) == ["a", "b"])
    #expect(next(&state, limit: 2) == ["c"])
  }

  @Test func `a group is limited by its bytes, but never empty for them`() {
    var state = IntakeState()
    for (id, bytes) in [("a", 60), ("b", 40), ("c", 1), ("d", 500)] {
      _ = state.add(blind(id, bytes: bytes))
    }
    #expect(state.queuedBytes == 601)
    #expect(next(&state, byteLimit: 100) == ["a", "b"])
    #expect(next(&state, byteLimit: 100) == ["c"])
    #expect(next(&state, byteLimit: 100) == ["d"])
  }

  @Test func `a small request does not overtake a large one that has to wait`() {
    var state = IntakeState()
    for (id, bytes) in [("a", 60), ("b", 60), ("c", 1)] { _ = state.add(blind(id, bytes: bytes)) }
    #expect(next(&state, byteLimit: 100) == ["a"])
    #expect(next(&state, byteLimit: 100) == ["b", "c"])
  }

  @Test func `while the gate is held only its holder and what it waits for pass`() {
    var state = IntakeState()
    state.requestGate(owner(1))
    #expect(state.grantGate() == owner(1))
    _ = state.add(blind("a"))
    _ = state.add(transaction(2))
    #expect(!state.hasWork)
    #expect(next(&state) == nil)
    _ = state.add(blind("b", passes: true))
    _ = state.add(transaction(1))
    #expect(state.hasWork)
    #expect(next(&state) == ["b", "t1"])
    state.releaseGate(owner(1))
    #expect(next(&state) == ["a", "t2"])
  }

  @Test func `the gate goes to one at a time, first come, first served`() {
    var state = IntakeState()
    for number in [3, 1, 2] as [UInt64] { state.requestGate(owner(number)) }
    #expect(state.grantGate() == owner(3))
    #expect(state.grantGate() == nil)
    state.releaseGate(owner(1))
    state.releaseGate(owner(3))
    #expect(state.grantGate() == owner(2))
    #expect(state.gateHolder == owner(2))
    #expect(state.gateGrants == 2)
  }

  @Test func `between two holders of the gate one ordinary group runs`() {
    var state = IntakeState()
    state.requestGate(owner(1))
    state.requestGate(owner(2))
    #expect(state.grantGate() == owner(1))
    _ = state.add(blind("a"))
    state.releaseGate(owner(1))
    #expect(state.grantGate() == nil)
    #expect(next(&state) == ["a"])
    _ = state.add(blind("b"))
    #expect(state.grantGate() == owner(2))
  }

  @Test func `the gate does not wait for an ordinary group that nobody asks for`() {
    var state = IntakeState()
    state.requestGate(owner(1))
    state.requestGate(owner(2))
    _ = state.grantGate()
    state.releaseGate(owner(1))
    #expect(state.grantGate() == owner(2))
  }

  @Test func `maintenance waits for the gate and comes before ordinary work`() {
    var state = IntakeState()
    _ = state.add(blind("a"))
    #expect(state.add(idle) == true)
    state.requestGate(owner(1))
    _ = state.grantGate()
    #expect(next(&state) == nil)
    state.releaseGate(owner(1))
    #expect(next(&state) == ["maintenance"])
    #expect(next(&state) == ["a"])
  }

  @Test func `stopping refuses what comes and does what waits first`() {
    var state = IntakeState()
    _ = state.add(blind("a"))
    _ = state.add(blind("b"))
    _ = state.add(idle)
    state.stop()
    #expect(state.add(blind("c")) == false)
    #expect(state.add(idle) == false)
    #expect(next(&state) == ["maintenance"])
    #expect(next(&state, limit: 1) == ["a"])
    #expect(next(&state) == ["b"])
    #expect(state.hasWork)
    #expect(next(&state) == ["stop"])
  }

  @Test func `own writes are visible when all before them are, in whatever order they complete`() {
    var state = IntakeState()
    #expect(state.pendingTarget == nil)
    let numbers = (0..<4).map { _ in state.beginWrite() }
    let target = state.pendingTarget
    #expect(target != nil)
    let later = state.beginWrite()
    for position in [2, 0, 3] {
      state.completeWrite(numbers[position])
      #expect(!state.hasReached(target ?? 0))
    }
    state.completeWrite(numbers[1])
    #expect(state.hasReached(target ?? .max))
    #expect(state.pendingTarget != nil)
    state.completeWrite(later)
    #expect(state.pendingTarget == nil)
  }

  @Test func `in any interleaving nothing is lost and writes of one caller keep their order`() {
    var generator = SeededGenerator(seed: testSeed("intake"))
    for _ in 0..<(200 * soakFactor) {
      var state = IntakeState()
      var sent: [String] = []
      var done: [String] = []
      for step in 0..<80 {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0, 1:
          sent.append("\(step)")
          _ = state.add(blind("\(step)", bytes: Int.random(in: 1...60, using: &generator)))
        case 2: state.requestGate(owner(UInt64(step)))
        case 3:
          _ = state.grantGate()
          if let holder = state.gateHolder, generator.oneIn(2) { state.releaseGate(holder) }
        default:
          let limit = Int.random(in: 1...4, using: &generator)
          let group = next(&state, limit: limit, byteLimit: 100) ?? []
          #expect(group.count <= limit)
          #expect(state.gateHolder == nil || group.isEmpty)
          done += group
        }
      }
      if let holder = state.gateHolder { state.releaseGate(holder) }
      while let group = next(&state) { done += group }
      #expect(done == sent)
      #expect(state.queuedBytes == 0)
    }
  }
}
