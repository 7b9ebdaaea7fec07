import HearthTestSupport
import Testing

/// The black-box checker is only worth something if it names what is wrong, and nothing else.
@Suite struct ListCheckerTests {
  private static let histories = 100

  @Test func `serial histories pass in silence`() {
    var generator = SeededGenerator(seed: testSeed("serial lists"))
    for _ in 0..<5 * Self.histories * soakFactor {
      let seed = generator.next()
      let found = ListHistoryChecker.check(SerialLists(seed: seed).transactions)
      #expect(found.isEmpty, "history \(seed): \(found)")
      if !found.isEmpty { return }
    }
  }

  @Test(arguments: SerialLists.Anomaly.allCases)
  func `an anomaly put into a serial history is found and named`(
    _ anomaly: SerialLists.Anomaly
  ) {
    var generator = SeededGenerator(seed: testSeed("\(anomaly)"))
    for _ in 0..<Self.histories * soakFactor {
      let seed = generator.next()
      let history = SerialLists(seed: seed, anomaly: anomaly)
      let found = ListHistoryChecker.check(history.transactions)
      let kinds = Set(found.map(\.kind))
      #expect(kinds == [anomaly.kind], "history \(seed): \(found)")
      if kinds != [anomaly.kind] { return }
    }
  }

  @Test func `a cycle is told with its transactions and lists`() {
    let found = ListHistoryChecker.check([
      ListTransaction(
        "a", invoked: 1, returned: 9, reads: [.list(1, []), .list(2, [])],
        appends: [ListTransaction.Append(1, 10)]),
      ListTransaction(
        "b", invoked: 2, returned: 8, reads: [.list(1, []), .list(2, [])],
        appends: [ListTransaction.Append(2, 20)]),
      ListTransaction("c", invoked: 10, returned: 11, reads: [.list(1, [10]), .list(2, [20])]),
    ])
    #expect(
      found.map(\.description) == ["G2: a -rw list 2-> b -rw list 1-> a"]
        || found.map(\.description) == ["G2: b -rw list 1-> a -rw list 2-> b"])
  }

  @Test func `an unknown outcome that was seen in part is read skew`() {
    func check(_ second: [Int]) -> [ListAnomaly.Kind] {
      ListHistoryChecker.check([
        ListTransaction(
          "unknown", invoked: 1, returned: 2, outcome: .unknown,
          appends: [ListTransaction.Append(1, 10), ListTransaction.Append(2, 20)]),
        ListTransaction(
          "reader", invoked: 3, returned: 4, reads: [.list(1, [10]), .list(2, second)]),
      ]).map(\.kind)
    }
    #expect(check([20]) == [])
    #expect(check([]) == [.gSingle])
  }

  @Test func `an unknown outcome may come about long after its client gave up`() {
    let append = [ListTransaction.Append(1, 10)]
    func check(_ outcome: ListTransaction.Outcome) -> [ListAnomaly.Kind] {
      ListHistoryChecker.check([
        ListTransaction("writer", invoked: 1, returned: 2, outcome: outcome, appends: append),
        ListTransaction("early", invoked: 3, returned: 4, reads: [.list(1, [])]),
        ListTransaction("late", invoked: 5, returned: 6, reads: [.list(1, [10])]),
      ]).map(\.kind)
    }
    #expect(check(.unknown) == [])
    #expect(check(.committed) == [.realTime])
    #expect(check(.aborted) == [.g1a])
  }

  @Test func `a hundred thousand transactions are no burden`() {
    var lists: [[Int]] = Array(repeating: [], count: 64)
    var history: [ListTransaction] = []
    for number in 0..<5000 * soakFactor {
      let list = number % 64
      // Lists that grow for ever would measure the copying of lists.
      if lists[list].count > 20 { lists[list] = lists[list] }
      history.append(
        ListTransaction(
          "t\(number)", invoked: 2 * number, returned: 2 * number + 1,
          reads: [.length(list, lists[list].count)],
          appends: [ListTransaction.Append(list, number)]))
      lists[list].append(number)
    }
    history.append(
      ListTransaction(
        "last", invoked: .max - 2, returned: .max - 1,
        reads: lists.indices.map { .list($0, lists[$0]) }))
    #expect(ListHistoryChecker.check(history).isEmpty)
  }
}
