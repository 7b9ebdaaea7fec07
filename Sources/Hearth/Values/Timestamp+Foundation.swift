public import Foundation
public import HearthModel

extension Timestamp {
  /// The present moment.
  public init() { self.init(date: Date()) }

  /// The moment of a date; what lies below the nanosecond is cut off toward the past.
  ///
  /// A `Date` of these years has a resolution of about 100 ns.
  public init(date: Date) {
    let (whole, fraction) = modf(date.timeIntervalSince1970)
    guard whole.isFinite, abs(whole) < 1e15 else {
      // No such time can be stored; kept as a time out of range, which a write rejects.
      self.init(seconds: whole > 0 ? .max : .min, nanoseconds: 0)
      return
    }
    let borrow: Double = fraction < 0 ? 1 : 0
    self.init(
      seconds: Int64(whole - borrow), nanoseconds: Int32((fraction + borrow) * 1_000_000_000))
  }

  /// The time that a date stands for in the database, in whole microseconds.
  ///
  /// A date holds a time only up to its own resolution. So that a time which came out as a date
  /// goes in as the time it was, one that lies within that resolution below a microsecond counts
  /// as that microsecond; all others are cut off toward the past.
  init(storing date: Date) {
    self.init(date: date)
    let below = nanoseconds % 1000
    guard isValid, below != 0 else { return }
    nanoseconds -= below
    let resolution = max(
      date.timeIntervalSince1970.ulp, date.timeIntervalSinceReferenceDate.ulp)
    guard Double(1000 - below) <= min(500, resolution * 1_000_000_000) else { return }
    nanoseconds += 1000
    if nanoseconds == 1_000_000_000 {
      nanoseconds = 0
      seconds += 1
    }
  }

  /// The moment as a date, with the lower resolution of `Date`.
  public func dateValue() -> Date {
    Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
  }

  /// Compares two moments.
  public func compare(_ other: Timestamp) -> ComparisonResult {
    self < other ? .orderedAscending : (self == other ? .orderedSame : .orderedDescending)
  }
}
