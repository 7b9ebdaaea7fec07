import HearthBenchmarkKit

/// Latencies as bars, one for each doubling.
struct LatencyChart {
  private var counts = [Int](repeating: 0, count: 64)

  init(_ history: RatingHistory) {
    for operation in history.operations where operation.isAcknowledged {
      counts[Self.doubling(of: operation.returned - operation.invoked)] += 1
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
      return "≤ " + right(NumberText.duration(Self.bound(place)), 8) + "  "
        + right(NumberText.grouped(count), 10) + right(share, 9) + "  " + style.good(bar)
    }
  }

  /// Doublings are counted from 1 µs on, so that bounds are round at least there.
  private static func doubling(of nanoseconds: UInt64) -> Int {
    let microseconds = (nanoseconds + 999) / 1_000
    return microseconds <= 1 ? 0 : 64 - (microseconds - 1).leadingZeroBitCount
  }

  private static func bound(_ place: Int) -> UInt64 { (1 << UInt64(min(place, 53))) * 1_000 }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
