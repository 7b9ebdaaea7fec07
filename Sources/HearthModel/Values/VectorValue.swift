/// A vector of 1 to 2048 doubles, a value type of its own.
public struct VectorValue: Hashable, Codable, Sendable {
  /// The components.
  public let array: [Double]

  /// Makes a vector.
  public init(_ array: [Double]) { self.array = array }

  /// Whether both have the same bits, any NaN counting as the one NaN.
  package func identical(to other: VectorValue) -> Bool {
    array.count == other.array.count
      && zip(array, other.array).allSatisfy {
        $0.bitPattern == $1.bitPattern || ($0.isNaN && $1.isNaN)
      }
  }
}
