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

  /// The moment as a date, with the lower resolution of `Date`.
  public func dateValue() -> Date {
    Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
  }

  /// Compares two moments.
  public func compare(_ other: Timestamp) -> ComparisonResult {
    self < other ? .orderedAscending : (self == other ? .orderedSame : .orderedDescending)
  }
}
