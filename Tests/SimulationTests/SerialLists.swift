import HearthTestSupport

/// A serial history of list-append transactions, made at random, in which at one place an anomaly
/// may happen.
///
/// Serial means that each takes place at one moment; in between who calls and who is answered
/// overlap as they like.
struct SerialLists {
  /// The anomalies that can be put into a history, by the kind that the checker must name.
  enum Anomaly: CaseIterable {
    case dirtyWrite, abortedRead, intermediateRead, circularFlow
    case lostUpdateSeen, lostUpdateGone, readSkew, writeSkew, skewOfCounts, readOnlyAnomaly
    case staleRead, lostWrite, orderAgainstTime
    case twice, garbage, forked

    var kind: ListAnomaly.Kind {
      switch self {
      case .dirtyWrite: .g0
      case .abortedRead: .g1a
      case .intermediateRead: .g1b
      case .circularFlow: .g1c
      case .lostUpdateSeen, .lostUpdateGone: .lostUpdate
      case .readSkew: .gSingle
      case .writeSkew, .skewOfCounts, .readOnlyAnomaly: .g2
      case .staleRead, .lostWrite, .orderAgainstTime: .realTime
      case .twice: .duplicate
      case .garbage: .garbage
      case .forked: .incompatible
      }
    }
  }

  private(set) var transactions: [ListTransaction] = []
  private var generator: SeededGenerator
  private var lists: [Int: [Int]] = [:]
  private var next = 1
  /// The moment of the present transaction; they are 100 apart.
  private var now = 1000
  private let listCount: Int

  init(seed: UInt64, anomaly: Anomaly? = nil) {
    generator = SeededGenerator(seed: seed)
    listCount = Int.random(in: 2...6, using: &generator)
    let length = Int.random(in: 4...30, using: &generator)
    let place = Int.random(in: 0..<length, using: &generator)
    for number in 0..<length {
      if number == place, let anomaly { put(anomaly) }
      ordinary()
    }
    // After everything: what it does not see is lost.
    now += 300
    add("last", reads: (0..<listCount).map { .list($0, state($0)) })
    transactions.shuffle(using: &generator)
  }

  private func state(_ list: Int) -> [Int] { lists[list] ?? [] }

  private mutating func fresh() -> Int {
    next += 1
    return next
  }

  private mutating func random(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  // MARK: What is allowed

  private mutating func ordinary() {
    var reads: [ListTransaction.Reading] = []
    var appends: [ListTransaction.Append] = []
    for list in (0..<listCount).shuffled(using: &generator).prefix(random(1...3)) {
      if random(0...2) > 0 {
        reads.append(
          random(0...3) == 0 ? .length(list, state(list).count) : .list(list, state(list)))
      }
      for _ in 0..<random(0...2) { appends.append(ListTransaction.Append(list, fresh())) }
    }
    switch random(0...9) {
    case 0: add("aborted", outcome: .aborted, reads: reads, appends: appends)
    case 1: add("unknown, never", outcome: .unknown, reads: reads, appends: appends)
    case 2:
      apply(appends)
      add("unknown, done", outcome: .unknown, reads: reads, appends: appends)
    default:
      apply(appends)
      add("plain", reads: reads, appends: appends)
    }
    now += 100
  }

  private mutating func apply(_ appends: [ListTransaction.Append]) {
    for append in appends { lists[append.list, default: []].append(append.number) }
  }

  /// A transaction that spans the present moment, and maybe some of its neighbours' as well.
  private mutating func add(
    _ kind: String, outcome: ListTransaction.Outcome = .committed, at shift: Int = 0,
    reads: [ListTransaction.Reading] = [], appends: [ListTransaction.Append] = []
  ) {
    // What is told apart in time by `shift` must not overlap.
    let span = shift == 0 ? 250 : 5
    transactions.append(
      ListTransaction(
        "\(kind)-\(transactions.count)", invoked: now + shift - random(1...span),
        returned: now + shift + random(1...span), outcome: outcome, reads: reads,
        appends: appends))
  }

  // MARK: What is not

  /// Two lists as they are, and two transactions' numbers.
  private struct Pair {
    var x: Int
    var y: Int
    var oldX: [Int]
    var oldY: [Int]
    var a: Int
    var b: Int
  }

  private mutating func put(_ anomaly: Anomaly) {
    let chosen = (0..<listCount).shuffled(using: &generator)
    let pair = Pair(
      x: chosen[0], y: chosen[1], oldX: state(chosen[0]), oldY: state(chosen[1]), a: fresh(),
      b: fresh())
    switch anomaly {
    case .dirtyWrite, .abortedRead, .intermediateRead, .circularFlow: putDirty(anomaly, pair)
    case .lostUpdateSeen, .lostUpdateGone, .readSkew, .writeSkew, .skewOfCounts, .readOnlyAnomaly:
      putSkew(anomaly, pair)
    case .staleRead, .lostWrite, .orderAgainstTime: putLate(anomaly, pair)
    case .twice, .garbage, .forked: putNonsense(anomaly, pair)
    }
    now += 100
  }

  private typealias Append = ListTransaction.Append

  private mutating func putDirty(_ anomaly: Anomaly, _ pair: Pair) {
    let (x, y, a, b) = (pair.x, pair.y, pair.a, pair.b)
    switch anomaly {
    case .dirtyWrite:
      let (c, d) = (fresh(), fresh())
      add("first", appends: [Append(x, a), Append(y, b)])
      add("second", appends: [Append(x, c), Append(y, d)])
      lists[x] = pair.oldX + [a, c]
      lists[y] = pair.oldY + [d, b]
    case .abortedRead:
      add("aborted", outcome: .aborted, appends: [Append(x, a)])
      add("reader", reads: [.list(x, pair.oldX + [a])])
    case .intermediateRead:
      add("writer", appends: [Append(x, a), Append(x, b)])
      let byCount = random(0...1) == 0
      let early = pair.oldX + [a]
      add("reader", reads: [byCount ? .length(x, early.count) : .list(x, early)])
      lists[x] = pair.oldX + [a, b]
    default:
      add("first", reads: [.list(y, pair.oldY + [b])], appends: [Append(x, a)])
      add("second", reads: [.list(x, pair.oldX + [a])], appends: [Append(y, b)])
      lists[x] = pair.oldX + [a]
      lists[y] = pair.oldY + [b]
    }
  }

  private mutating func putSkew(_ anomaly: Anomaly, _ pair: Pair) {
    let (x, y, a, b) = (pair.x, pair.y, pair.a, pair.b)
    let old: ListTransaction.Reading = .list(x, pair.oldX)
    switch anomaly {
    case .lostUpdateSeen, .lostUpdateGone:
      add("first", reads: [old], appends: [Append(x, a)])
      add("second", reads: [old], appends: [Append(x, b)])
      lists[x] = pair.oldX + (anomaly == .lostUpdateSeen ? [a, b] : [b])
    case .readSkew:
      add("writer", appends: [Append(x, a), Append(y, b)])
      add("reader", reads: [old, .list(y, pair.oldY + [b])])
      lists[x] = pair.oldX + [a]
      lists[y] = pair.oldY + [b]
    case .readOnlyAnomaly:
      // Fekete's: without the reader, the second could stand before the first.
      add("first", reads: [.list(y, pair.oldY)], appends: [Append(y, b)])
      add("reader", reads: [old, .list(y, pair.oldY + [b])])
      add("second", reads: [old, .list(y, pair.oldY)], appends: [Append(x, a)])
      lists[x] = pair.oldX + [a]
      lists[y] = pair.oldY + [b]
    default:
      let counts = anomaly == .skewOfCounts
      let reads: [ListTransaction.Reading] =
        counts
        ? [.length(x, pair.oldX.count), .length(y, pair.oldY.count)] : [old, .list(y, pair.oldY)]
      add("first", reads: reads, appends: [Append(x, a)])
      add("second", reads: reads, appends: [Append(y, b)])
      lists[x] = pair.oldX + [a]
      lists[y] = pair.oldY + [b]
    }
  }

  private mutating func putLate(_ anomaly: Anomaly, _ pair: Pair) {
    let (x, a, b) = (pair.x, pair.a, pair.b)
    add("early", at: -20, appends: [Append(x, a)])
    switch anomaly {
    case .staleRead:
      add("late", at: 20, reads: [.list(x, pair.oldX)])
      lists[x] = pair.oldX + [a]
    case .lostWrite:
      break
    default:
      add("late", at: 20, appends: [Append(x, b)])
      lists[x] = pair.oldX + [b, a]
    }
  }

  private mutating func putNonsense(_ anomaly: Anomaly, _ pair: Pair) {
    let (x, a, b) = (pair.x, pair.a, pair.b)
    switch anomaly {
    case .twice:
      add("writer", appends: [Append(x, a)])
      add("reader", reads: [.list(x, pair.oldX + [a, a])])
      lists[x] = pair.oldX + [a]
    case .garbage:
      add("reader", reads: [.list(x, pair.oldX + [a])])
    default:
      add("first", appends: [Append(x, a)])
      add("second", appends: [Append(x, b)])
      add("reader", reads: [.list(x, pair.oldX + [a, b])])
      lists[x] = pair.oldX + [b, a]
      // Longer than what the reader saw, so that the order is this one.
      let c = fresh()
      add("third", appends: [Append(x, c)])
      lists[x, default: []].append(c)
    }
  }
}
