/// Ids of rating documents: a number in eleven letters and digits.
///
/// They look random, as Firestore's do, so that new documents land all over the tree; and the
/// number comes back out of them, so that a stored rating finds its transaction.
package enum RatingID {
  private static let alphabet = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
  private static let length = 11

  /// The id of a number.
  package static func text(_ number: UInt64) -> String {
    var rest = number
    var digits: [UInt8] = []
    for _ in 0..<length {
      digits.append(alphabet[Int(rest % 62)])
      rest /= 62
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// The number of an id, nil for one that this did not make.
  package static func number(_ text: String) -> UInt64? {
    guard text.utf8.count == length else { return nil }
    var number: UInt64 = 0
    for digit in text.utf8.reversed() {
      guard let place = alphabet.firstIndex(of: digit) else { return nil }
      let (product, overflows) = number.multipliedReportingOverflow(by: 62)
      let (sum, carries) = product.addingReportingOverflow(UInt64(place))
      if overflows || carries { return nil }
      number = sum
    }
    return number
  }
}
