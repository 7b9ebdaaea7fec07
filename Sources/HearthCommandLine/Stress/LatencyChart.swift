import HearthBenchmarkKit

/// Latencies as bars, three for each power of ten.
struct LatencyChart {
  /// 1, 2 and 5 times the powers of ten, from 10 µs to 1,000 s; what is longer is in the last one.
  private static let bounds: [UInt64] = {
    var bounds: [UInt64] = []
    var power: UInt64 = 10_000
    while power < 1_000_000_000_000 {
      bounds += [power, power * 2, power * 5]
      power *= 10
    }
    return bounds + [power]
  }()

  private var counts = [Int](repeating: 0, count: LatencyChart.bounds.count)

  init(_ history: RatingHistory) {
    for operation in history.operations where operation.isAcknowledged {
      let latency = operation.returned - operation.invoked
      let place = Self.bounds.firstIndex { latency <= $0 } ?? Self.bounds.count - 1
      counts[place] += 1
    }
  }

  /// The bars, in lines that fit into `width` columns with a margin of two.
  func lines(width: Int, style: Style) -> [String] {
    guard let first = counts.firstIndex(where: { $0 > 0 }),
      let last = counts.lastIndex(where: { $0 > 0 }), let most = counts.max()
    else { return ["nothing was acknowledged"] }
    let all = counts.reduce(0, +)
    let room = max(10, min(width, 100) - 40)
    return (first...last).map { place in
      let count = counts[place]
      // A bar for everything that is there, however little.
      let length = count == 0 ? 0 : max(1, count * room / most)
      let bar = String(repeating: "█", count: length)
      let share = NumberText.fixed(Double(count) * 100 / Double(all), places: 2) + " %"
      let line =
        "≤ " + right(Self.label(Self.bounds[place]), 6) + right(NumberText.grouped(count), 12)
        + right(share, 10)
      return count == 0 ? line : line + "  " + style.good(bar)
    }
  }

  /// Bounds are whole numbers of their unit.
  private static func label(_ nanoseconds: UInt64) -> String {
    switch nanoseconds {
    case ..<1_000_000: "\(nanoseconds / 1_000) µs"
    case ..<1_000_000_000: "\(nanoseconds / 1_000_000) ms"
    default: "\(nanoseconds / 1_000_000_000) s"
    }
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
