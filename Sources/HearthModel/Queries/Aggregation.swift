/// One aggregation over the documents that a query returns (documents-and-queries, 5.8).
package struct Aggregation: Sendable, Hashable {
  /// What is computed.
  package enum Kind: Sendable, Hashable {
    /// The number of documents, counting no further than the cap if there is one.
    case count(upTo: Int?)
    case sum(FieldPath)
    case average(FieldPath)
  }

  package var kind: Kind
  /// The name of the result.
  package var alias: UTF8String

  package init(_ kind: Kind, alias: String) {
    self.kind = kind
    self.alias = UTF8String(alias)
  }
}
