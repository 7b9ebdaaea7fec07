package import HearthModel

/// Points in time as text (RFC 3339, in UTC), to the microsecond as they are stored.
package enum TimestampText {
  private static let secondsPerDay: Int64 = 86_400

  /// The text of a valid timestamp.
  package static func text(_ time: Timestamp) -> String {
    var days = time.seconds / secondsPerDay
    var second = time.seconds % secondsPerDay
    if second < 0 {
      second += secondsPerDay
      days -= 1
    }
    let (year, month, day) = date(ofDay: days)
    var text = padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T"
    text += padded(second / 3600, 2) + ":" + padded(second / 60 % 60, 2) + ":"
    text += padded(second % 60, 2)
    if time.nanoseconds > 0 { text += "." + padded(Int64(time.nanoseconds) / 1000, 6) }
    return text + "Z"
  }

  /// Reads a text with up to nine digits of a second; nil if it is none, or out of range.
  package static func parse(_ text: String) -> Timestamp? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[4] == UInt8(ascii: "-"),
      bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"),
      bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]),
      let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
      (1...12).contains(month), hour < 24, minute < 60, second < 60
    else { return nil }
    var nanoseconds: Int64 = 0
    if bytes.count > 20 {
      let digits = bytes[20..<bytes.count - 1]
      guard bytes[19] == UInt8(ascii: "."), (1...9).contains(digits.count),
        let fraction = number(digits)
      else { return nil }
      nanoseconds = (digits.count..<9).reduce(fraction) { value, _ in value * 10 }
    }
    let days = self.day(of: year, month, day)
    // A day that the month does not have comes back as another date.
    guard date(ofDay: days) == (year, month, day) else { return nil }
    let time = Timestamp(
      seconds: days * secondsPerDay + hour * 3600 + minute * 60 + second,
      nanoseconds: Int32(nanoseconds))
    return time.isValid ? time : nil
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    var number: Int64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return number
  }

  // Days since 1970 and dates of the Gregorian calendar. Years begin in March here, so that the
  // leap day comes last; 400 of them, an era, have 146,097 days. Years are those after 0.

  private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func day(of year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
      - 719_468
  }
}
