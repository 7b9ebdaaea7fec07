import HearthTestSupport
import Testing

/// A judge of single registers, and what it must find.
@Suite struct LinearizabilityTests {
  /// Operations that take place one after another, at moments inside of their spans.
  private struct Histories {
    var generator: SeededGenerator
    var operations: [RegisterOperation] = []
    var value: Int?

    init(seed: UInt64, length: Int) {
      generator = SeededGenerator(seed: seed)
      for number in 0..<length { step(number) }
    }

    private mutating func step(_ number: Int) {
      let moment = 10 * number
      let kind: RegisterOperation.Kind
      var isCertain = true
      let before = value
      switch Int.random(in: 0..<8, using: &generator) {
      case 0, 1:
        value = number
        kind = .write(number)
      case 2, 3:
        value = number
        kind = .change(from: before, to: number)
      case 4:
        // Never took place, and nobody knows.
        isCertain = false
        kind = generator.oneIn(2) ? .write(number) : .change(from: before, to: number)
      case 5:
        isCertain = false
        value = number
        kind = .write(number)
      default: kind = .read(value)
      }
      operations.append(
        RegisterOperation(
          "o\(number)", invoked: moment - Int.random(in: 1...60, using: &generator),
          returned: moment + Int.random(in: 1...60, using: &generator), kind,
          isCertain: isCertain))
    }

    /// Who was answered long before this moment.
    var late: Int { 10 * operations.count + 200 }
  }

  private func each(
    _ name: String, _ body: (inout Histories) -> Bool
  ) {
    var generator = SeededGenerator(seed: testSeed(name))
    for _ in 0..<300 * soakFactor {
      let seed = generator.next()
      var history = Histories(seed: seed, length: Int.random(in: 1...16, using: &generator))
      let isFound = body(&history)
      let stuck = LinearizabilityChecker.check(history.operations.shuffled(using: &generator))
      #expect((stuck != nil) == isFound, "history \(seed): \(stuck ?? "accepted")")
      if (stuck != nil) != isFound { return }
    }
  }

  @Test func `histories that took place are accepted`() {
    each("registers") { _ in false }
  }

  @Test func `a read of a value that was written over before it began is found`() {
    each("stale reads") { history in
      let late = history.late
      history.operations += [
        RegisterOperation("x", invoked: late, returned: late + 1, .write(-1)),
        RegisterOperation("y", invoked: late + 2, returned: late + 3, .write(-2)),
        RegisterOperation("stale", invoked: late + 4, returned: late + 5, .read(-1)),
      ]
      return true
    }
  }

  @Test func `a lost write is found`() {
    each("lost writes") { history in
      let late = history.late
      history.operations += [
        RegisterOperation("x", invoked: late, returned: late + 1, .write(-1)),
        RegisterOperation("lost", invoked: late + 2, returned: late + 3, .write(-2)),
        RegisterOperation("y", invoked: late + 4, returned: late + 5, .change(from: -1, to: -3)),
      ]
      return true
    }
  }

  @Test func `of two changes of the same value one is lost`() {
    each("lost changes") { history in
      let late = history.late
      history.operations += [
        RegisterOperation("x", invoked: late, returned: late + 1, .write(-1)),
        RegisterOperation("y", invoked: late + 2, returned: late + 9, .change(from: -1, to: -2)),
        RegisterOperation("z", invoked: late + 3, returned: late + 8, .change(from: -1, to: -3)),
      ]
      return true
    }
  }

  @Test func `what is at the same time may be in either order, what is not may not`() {
    func check(_ begin: Int) -> Bool {
      LinearizabilityChecker.check([
        RegisterOperation("a", invoked: 1, returned: 10, .write(1)),
        RegisterOperation("b", invoked: 2, returned: 9, .write(2)),
        RegisterOperation("c", invoked: 11, returned: 12, .read(1)),
        RegisterOperation("d", invoked: begin, returned: 30, .read(2)),
      ]) == nil
    }
    #expect(check(5))
    #expect(!check(20))
  }

  @Test func `an operation nobody was told of may have happened or not, but only once`() {
    func check(_ reads: [Int?]) -> Bool {
      var operations = [
        RegisterOperation("w", invoked: 1, returned: 2, .write(1)),
        RegisterOperation("unknown", invoked: 3, returned: 4, .write(2), isCertain: false),
      ]
      for (number, value) in reads.enumerated() {
        let moment = 10 + 2 * number
        operations.append(
          RegisterOperation("r", invoked: moment, returned: moment + 1, .read(value)))
      }
      return LinearizabilityChecker.check(operations) == nil
    }
    #expect(check([1, 1]))
    #expect(check([1, 2]))
    #expect(check([2, 2]))
    #expect(!check([2, 1]))
  }
}
