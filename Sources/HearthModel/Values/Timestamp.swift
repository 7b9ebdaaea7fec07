/// A point in time with nanosecond resolution, stored with microsecond resolution.
///
/// The range is 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z. A value outside it is
/// kept as given and rejected when it is written.
public struct Timestamp: Hashable, Comparable, Codable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z; negative before.
  public var seconds: Int64
  /// Nanoseconds within the second, 0 to 999,999,999, also before 1970.
  public var nanoseconds: Int32

  /// Makes a timestamp from its parts.
  public init(seconds: Int64, nanoseconds: Int32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Makes a timestamp from microseconds since 1970.
  package init(microseconds: Int64) {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let borrow: Int64 = remainder < 0 ? 1 : 0
    seconds = quotient - borrow
    nanoseconds = Int32((remainder + borrow * 1_000_000) * 1000)
  }

  /// Whole microseconds since 1970, rounded toward the past.
  package var microseconds: Int64 { seconds &* 1_000_000 &+ Int64(nanoseconds) / 1000 }

  /// The same instant cut to microseconds toward the past, as every write does.
  package var truncatedToMicroseconds: Timestamp {
    Timestamp(seconds: seconds, nanoseconds: nanoseconds / 1000 * 1000)
  }

  /// The same instant cut to milliseconds toward the past, as `serverTimestamp` gives it.
  package var truncatedToMilliseconds: Timestamp {
    Timestamp(seconds: seconds, nanoseconds: nanoseconds / 1_000_000 * 1_000_000)
  }

  /// Whether this lies in the years 1 to 9999 and has well-formed nanoseconds.
  package var isValid: Bool {
    (-62_135_596_800...253_402_300_799).contains(seconds)
      && (0...999_999_999).contains(nanoseconds)
  }

  /// Earlier sorts first.
  public static func < (a: Timestamp, b: Timestamp) -> Bool {
    a.seconds != b.seconds ? a.seconds < b.seconds : a.nanoseconds < b.nanoseconds
  }
}
