import HearthModel

/// One aggregation: a count, or the sum or average of a field.
///
/// The field is a dotted string or a `FieldPath`. What is wrong with it is remembered, and the
/// aggregation that uses it fails with `INVALID_ARGUMENT`.
public final class AggregateField: Sendable {
  let kind: Result<Aggregation.Kind, HearthError>

  private init(_ kind: Result<Aggregation.Kind, HearthError>) { self.kind = kind }

  private convenience init(
    _ field: Any, _ make: (FieldPath) -> Aggregation.Kind
  ) {
    do throws(HearthError) {
      self.init(.success(make(try FieldPath(untyped: field))))
    } catch {
      self.init(.failure(Hearth.misused(error)))
    }
  }

  /// The number of documents.
  public static func count() -> AggregateField { AggregateField(.success(.count(upTo: nil))) }

  /// The number of documents, but no more than a cap; behind it nothing is read.
  ///
  /// The SDK's servers have it.
  public static func count(upTo cap: Int) -> AggregateField {
    AggregateField(.success(.count(upTo: cap)))
  }

  /// The sum of a field's numbers; integer 0 if there are none.
  public static func sum(_ field: String) -> AggregateField {
    AggregateField(field) { .sum($0) }
  }

  /// The sum of a field's numbers; integer 0 if there are none.
  public static func sum(_ path: FieldPath) -> AggregateField {
    AggregateField(path) { .sum($0) }
  }

  /// The average of a field's numbers; null if there are none.
  public static func average(_ field: String) -> AggregateField {
    AggregateField(field) { .average($0) }
  }

  /// The average of a field's numbers; null if there are none.
  public static func average(_ path: FieldPath) -> AggregateField {
    AggregateField(path) { .average($0) }
  }
}

extension AggregateField: Hashable {
  /// Whether both ask for the same.
  public static func == (a: AggregateField, b: AggregateField) -> Bool {
    switch (a.kind, b.kind) {
    case (.success(let x), .success(let y)): x == y
    case (.failure(let x), .failure(let y)): x === y
    default: false
    }
  }

  /// Hashes in agreement with `==`.
  public func hash(into hasher: inout Hasher) {
    if case .success(let kind) = kind { hasher.combine(kind) }
  }
}
