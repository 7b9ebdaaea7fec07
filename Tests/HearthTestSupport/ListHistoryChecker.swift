/// Checks a list-append history without believing anything that the engine says about its order
/// (testing, 5.5; transactions-and-listeners, 8.2, black box).
///
/// The longest reading of a list is its order of versions. From it follows who wrote before whom,
/// who read whose writing, and who read before whom; with real time they make a graph, and a
/// cycle in it is an anomaly that its edges name. Linear in what was done and read.
package struct ListHistoryChecker {
  private struct Writer {
    var transaction: Int
    var list: Int
    /// Whether it is the last one that its transaction appended to this list.
    var isLast: Bool
  }

  private let transactions: [ListTransaction]
  private let name: (Int) -> String
  private var writers: [Int: Writer] = [:]
  /// Committed, or unknown and seen by somebody.
  private var counts: [Bool]
  private var orders: [Int: [Int]] = [:]
  /// Appended by those who committed, and in nobody's reading.
  private var unseen: [Int: [Int]] = [:]
  /// Readings that are wrong by themselves, which prove nothing else.
  private var rejected: Set<Place> = []
  private var anomalies: [ListAnomaly] = []

  private struct Place: Hashable {
    var transaction: Int
    var read: Int
  }

  /// What is wrong; empty if the history is strictly serializable as far as it shows.
  package static func check(
    _ transactions: [ListTransaction], name: (Int) -> String = { "list \($0)" }
  ) -> [ListAnomaly] {
    withoutActuallyEscaping(name) { name in
      var checker = ListHistoryChecker(transactions, name)
      checker.findWriters()
      checker.resolveUnknown()
      checker.checkReadings()
      checker.findUnseen()
      checker.checkLengths()
      checker.findCycles()
      return checker.anomalies
    }
  }

  private init(_ transactions: [ListTransaction], _ name: @escaping (Int) -> String) {
    self.transactions = transactions
    self.name = name
    counts = transactions.map { $0.outcome == .committed }
  }

  private mutating func find(_ kind: ListAnomaly.Kind, _ text: String) {
    if anomalies.count < 20 { anomalies.append(ListAnomaly(kind: kind, text: text)) }
  }

  // MARK: What was written

  private mutating func findWriters() {
    for (number, transaction) in transactions.enumerated() {
      var last: [Int: Int] = [:]
      for append in transaction.appends {
        if let earlier = last[append.list] { writers[earlier]?.isLast = false }
        last[append.list] = append.number
        let writer = Writer(transaction: number, list: append.list, isLast: true)
        if writers.updateValue(writer, forKey: append.number) != nil {
          find(.duplicate, "\(transaction.name) appended \(append.number), as another one had")
        }
      }
    }
  }

  /// Who was seen has committed, and then what it read counts as well.
  private mutating func resolveUnknown() {
    var ready = transactions.indices.filter { counts[$0] }
    // What stands before a number that was looked at was looked at too, or is another reading's.
    var known: [Int: [Int]] = [:]
    while let number = ready.popLast() {
      for case .list(let list, let numbers) in transactions[number].reads {
        if let before = known[list], before.starts(with: numbers) { continue }
        known[list] = numbers
        for element in numbers {
          guard let writer = writers[element], !counts[writer.transaction],
            transactions[writer.transaction].outcome == .unknown
          else { continue }
          counts[writer.transaction] = true
          ready.append(writer.transaction)
        }
      }
    }
  }

  // MARK: What was read

  private mutating func checkReadings() {
    for (number, transaction) in transactions.enumerated() where counts[number] {
      for (read, reading) in transaction.reads.enumerated() {
        guard case .list(let list, let numbers) = reading else { continue }
        if let (kind, text) = fault(list, numbers) {
          find(kind, "\(transaction.name) read \(name(list)) as \(numbers): \(text)")
          rejected.insert(Place(transaction: number, read: read))
        } else if numbers.count > orders[list]?.count ?? 0 {
          orders[list] = numbers
        }
      }
    }
    for (number, transaction) in transactions.enumerated() where counts[number] {
      for (read, reading) in transaction.reads.enumerated() {
        let place = Place(transaction: number, read: read)
        guard case .list(let list, let numbers) = reading, !rejected.contains(place) else {
          continue
        }
        let order = orders[list] ?? []
        if !order.starts(with: numbers) {
          find(
            .incompatible,
            "\(transaction.name) read \(name(list)) as \(numbers), another one as \(order)")
          rejected.insert(place)
        }
      }
    }
  }

  /// What is wrong with one reading by itself.
  private func fault(_ list: Int, _ numbers: [Int]) -> (ListAnomaly.Kind, String)? {
    if !(orders[list] ?? []).starts(with: numbers) {
      var seen: Set<Int> = []
      for number in numbers {
        if !seen.insert(number).inserted { return (.duplicate, "\(number) is there twice") }
        guard let writer = writers[number], writer.list == list else {
          return (.garbage, "nobody appended \(number)")
        }
        let author = transactions[writer.transaction]
        if author.outcome == .aborted {
          return (.g1a, "\(number) is of \(author.name), which was aborted")
        }
      }
    }
    if let last = numbers.last, let writer = writers[last], !writer.isLast {
      let author = transactions[writer.transaction].name
      return (.g1b, "\(author) went on to append after \(last)")
    }
    return nil
  }

  private mutating func findUnseen() {
    var seen: Set<Int> = []
    for order in orders.values { seen.formUnion(order) }
    for (number, transaction) in transactions.enumerated() where counts[number] {
      for append in transaction.appends where !seen.contains(append.number) {
        if unseen[append.list]?.last != number { unseen[append.list, default: []].append(number) }
      }
    }
  }

  private mutating func checkLengths() {
    for (number, transaction) in transactions.enumerated() where counts[number] {
      for (read, reading) in transaction.reads.enumerated() {
        guard case .length(let list, let length) = reading else { continue }
        let order = orders[list] ?? []
        let most = order.count + (unseen[list]?.count ?? 0)
        if length > most {
          find(.garbage, "\(transaction.name) counted \(length) in \(name(list)) of \(most)")
        } else if length > 0, length <= order.count, let writer = writers[order[length - 1]],
          !writer.isLast
        {
          let author = transactions[writer.transaction].name
          find(.g1b, "\(transaction.name) counted \(length) in \(name(list)), midst in \(author)")
        } else {
          continue
        }
        rejected.insert(Place(transaction: number, read: read))
      }
    }
  }

  // MARK: The graph

  private mutating func findCycles() {
    var graph = DependencyGraph(transactionCount: transactions.count)
    addWrites(&graph)
    addReads(&graph)
    addRealTime(&graph)
    graph.seal()
    for finding in CycleSearch(graph, transactions.map(\.name), name).anomalies {
      find(finding.kind, finding.text)
    }
  }

  /// Helping nodes for what nobody saw, by list: it comes after all that was seen.
  private var helpers: [Int: Int] = [:]

  private mutating func addWrites(_ graph: inout DependencyGraph) {
    for (list, order) in orders {
      for (earlier, later) in zip(order, order.dropFirst()) {
        guard let first = writers[earlier], let second = writers[later] else { continue }
        graph.add(first.transaction, second.transaction, .ww, list: list)
      }
    }
    for (list, authors) in unseen {
      let helper = graph.addHelper()
      helpers[list] = helper
      for author in authors { graph.add(helper, author, .through, list: list) }
      if let last = orders[list]?.last, let writer = writers[last],
        authors != [writer.transaction]
      {
        graph.add(writer.transaction, helper, .ww, list: list)
      }
    }
  }

  private func addReads(_ graph: inout DependencyGraph) {
    for (number, transaction) in transactions.enumerated() where counts[number] {
      for (read, reading) in transaction.reads.enumerated()
      where !rejected.contains(Place(transaction: number, read: read)) {
        let (list, length) =
          switch reading {
          case .list(let list, let numbers): (list, numbers.count)
          case .length(let list, let length): (list, length)
          }
        let order = orders[list] ?? []
        if length > order.count { continue }
        if length > 0, let writer = writers[order[length - 1]] {
          graph.add(writer.transaction, number, .wr, list: list)
        }
        if length < order.count {
          if let writer = writers[order[length]] {
            graph.add(number, writer.transaction, .rw, list: list)
          }
        } else if let authors = unseen[list], let helper = helpers[list] {
          if authors.contains(number) {
            // Not by the helping node, which would lead back to itself.
            for author in authors.prefix(8) { graph.add(number, author, .rw, list: list) }
          } else {
            graph.add(number, helper, .rw, list: list)
          }
        }
      }
    }
  }

  /// Who returned before who began: by a chain of moments, not by pairs.
  private func addRealTime(_ graph: inout DependencyGraph) {
    var moments: [(time: Int, isReturn: Bool, transaction: Int)] = []
    for (number, transaction) in transactions.enumerated() where counts[number] {
      moments.append((transaction.invoked, false, number))
      if transaction.outcome == .committed {
        moments.append((transaction.returned, true, number))
      }
    }
    // What is at the same time is not before one another.
    moments.sort { $0.time != $1.time ? $0.time < $1.time : !$0.isReturn && $1.isReturn }
    var moment: Int?
    var isUsed = true
    for (_, isReturn, transaction) in moments {
      if !isReturn {
        if let moment { graph.add(moment, transaction, .realTime) }
        isUsed = true
        continue
      }
      if isUsed {
        let next = graph.addHelper()
        if let moment { graph.add(moment, next, .realTime) }
        moment = next
        isUsed = false
      }
      if let moment { graph.add(transaction, moment, .realTime) }
    }
  }
}
