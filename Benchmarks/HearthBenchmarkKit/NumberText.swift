/// Numbers as people like to read them in a table.
package enum NumberText {
  /// An integer with separators: `12,345`.
  package static func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var text = number < 0 ? "-" : ""
    for (offset, digit) in digits.enumerated() {
      if offset > 0, (digits.count - offset) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// A rate or count with about three significant digits: `12,345`, `98.7`, `0.42`.
  package static func rounded(_ number: Double) -> String {
    guard number.isFinite else { return "-" }
    switch number.magnitude {
    case 100...: return grouped(Int(number.rounded()))
    case 10..<100: return fixed(number, places: 1)
    default: return fixed(number, places: 2)
    }
  }

  /// A number with a fixed number of decimal places.
  package static func fixed(_ number: Double, places: Int) -> String {
    guard number.isFinite else { return "-" }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (number.magnitude * scale).rounded()
    // Beyond this there is nothing behind the point anyway, and Int would trap.
    guard scaled < 1e15 else { return "\(number)" }
    let whole = Int(scaled) / Int(scale)
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return sign + String(whole) }
    let fraction = String(Int(scaled) % Int(scale))
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(sign)\(whole).\(zeros)\(fraction)"
  }

  /// A duration in the unit that suits it: `850 ns`, `12.3 µs`, `4.56 ms`, `1.20 s`.
  package static func duration(_ nanoseconds: UInt64) -> String {
    let value = Double(nanoseconds)
    switch nanoseconds {
    case ..<1_000: return "\(nanoseconds) ns"
    case ..<1_000_000: return rounded(value / 1e3) + " µs"
    case ..<1_000_000_000: return rounded(value / 1e6) + " ms"
    default: return rounded(value / 1e9) + " s"
    }
  }

  /// A size in bytes: `512 B`, `3.10 MB`.
  package static func bytes(_ count: Int) -> String {
    let value = Double(count)
    switch count {
    case ..<1_000: return "\(count) B"
    case ..<1_000_000: return rounded(value / 1e3) + " kB"
    case ..<1_000_000_000: return rounded(value / 1e6) + " MB"
    default: return rounded(value / 1e9) + " GB"
    }
  }
}
