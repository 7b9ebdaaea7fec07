public import HearthModel

// Values as literals, for the tables of the generators and of the known differences.

extension Value: ExpressibleByIntegerLiteral {
  /// An integer value.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByUnicodeScalarLiteral,
  ExpressibleByExtendedGraphemeClusterLiteral
{
  /// A string value.
  public init(stringLiteral value: String) { self = .string(value) }
}
