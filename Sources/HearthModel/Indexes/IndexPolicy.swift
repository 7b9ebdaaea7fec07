/// What a database does with a query whose index is missing.
public enum IndexPolicy: String, Sendable, Hashable, CaseIterable {
  /// The query fails and the error names the index, as in Firestore.
  ///
  /// The default.
  case strict
  /// The query reads every document it could concern, and the index it would have wanted is
  /// reported.
  case advise
  /// The query reads every document it could concern.
  case scan
}
