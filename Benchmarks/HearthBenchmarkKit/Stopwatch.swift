/// Measures elapsed time with a clock that never jumps.
package struct Stopwatch: Sendable {
  private let start = ContinuousClock.now

  package init() {}

  /// Nanoseconds since the stopwatch was made.
  package var nanoseconds: UInt64 {
    let (seconds, attoseconds) = start.duration(to: .now).components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }

  /// Seconds since the stopwatch was made.
  package var seconds: Double { Double(nanoseconds) / 1e9 }
}
