import Foundation

/// Draws ranks of which the first are far likelier than the last, as with popular restaurants:
/// rank `k` (from 0) has the weight `1 / (k + 1) ^ exponent`.
package struct Zipf: Sendable {
  /// The sums of the weights up to each rank, scaled to end at 1.
  private let cumulative: [Double]

  /// - Parameters:
  ///   - count: How many ranks there are; at least one.
  ///   - exponent: 0 makes all ranks equally likely, 1 is the classic skew.
  package init(count: Int, exponent: Double = 0.99) {
    precondition(count > 0, "a distribution needs at least one rank")
    var sum = 0.0
    var sums: [Double] = []
    sums.reserveCapacity(count)
    for rank in 1...count {
      sum += pow(Double(rank), -exponent)
      sums.append(sum)
    }
    cumulative = sums.map { $0 / sum }
  }

  /// A rank in `0..<count`.
  package func next(using generator: inout SplitMix64) -> Int {
    let target = generator.unit()
    var low = 0
    var high = cumulative.count - 1
    while low < high {
      let middle = (low + high) / 2
      if cumulative[middle] <= target { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
