/// Counts durations in buckets whose width grows with the value, so that any percentile of any
/// number of samples is known to within 2 % and recording costs a few instructions.
///
/// Each task records into a histogram of its own; ``merge(_:)`` adds them up afterwards.
package struct Histogram: Sendable {
  /// Each power of two is cut into this many buckets.
  private static let bucketsPerDoubling = 64
  private static let shiftBase = 6

  private var buckets: [UInt64]
  /// How many samples were recorded.
  package private(set) var count: UInt64 = 0
  /// The sum of all samples, in nanoseconds; a double, since it must not overflow.
  package private(set) var sum = 0.0
  /// The smallest sample; 0 without samples.
  package private(set) var min: UInt64 = 0
  /// The largest sample, exactly.
  package private(set) var max: UInt64 = 0

  package init() {
    buckets = Array(
      repeating: 0, count: (64 - Self.shiftBase + 1) * Self.bucketsPerDoubling)
  }

  /// Adds a sample in nanoseconds.
  package mutating func record(_ nanoseconds: UInt64) {
    buckets[Self.bucket(of: nanoseconds)] += 1
    min = count == 0 ? nanoseconds : Swift.min(min, nanoseconds)
    max = Swift.max(max, nanoseconds)
    count += 1
    sum += Double(nanoseconds)
  }

  /// Adds all samples of another histogram.
  package mutating func merge(_ other: Histogram) {
    guard other.count > 0 else { return }
    for index in buckets.indices { buckets[index] += other.buckets[index] }
    min = count == 0 ? other.min : Swift.min(min, other.min)
    max = Swift.max(max, other.max)
    count += other.count
    sum += other.sum
  }

  /// The arithmetic mean; 0 without samples.
  package var mean: Double { count == 0 ? 0 : sum / Double(count) }

  /// A value that `fraction` of the samples do not exceed (0.99 for p99); 0 without samples.
  package func percentile(_ fraction: Double) -> UInt64 {
    precondition((0...1).contains(fraction), "a fraction, such as 0.99")
    guard count > 0 else { return 0 }
    let rank = Swift.max(1, UInt64((Double(count) * fraction).rounded(.up)))
    var seen: UInt64 = 0
    for (index, samples) in buckets.enumerated() {
      seen += samples
      if seen >= rank { return Swift.min(Self.upperBound(of: index), max) }
    }
    return max
  }

  /// Small values have a bucket each; a larger one is found by its highest bit and the bits after.
  private static func bucket(of value: UInt64) -> Int {
    guard value >= UInt64(bucketsPerDoubling) else { return Int(value) }
    let shift = 63 - value.leadingZeroBitCount - shiftBase
    return shift * bucketsPerDoubling + Int(value >> UInt64(shift))
  }

  private static func upperBound(of bucket: Int) -> UInt64 {
    guard bucket >= bucketsPerDoubling * 2 else { return UInt64(bucket) }
    let shift = bucket / bucketsPerDoubling - 1
    let leading = UInt64(bucket - shift * bucketsPerDoubling)
    return (leading << UInt64(shift)) | ((1 << UInt64(shift)) - 1)
  }
}
