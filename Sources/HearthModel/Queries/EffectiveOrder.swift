/// The order that a query really has (documents-and-queries, 5.5).
enum EffectiveOrder {
  /// Explicit orders, then the other inequality fields by path, then the name.
  ///
  /// The direction of what is added is that of the last explicit order. The filter's shape must
  /// have been checked.
  static func make(
    explicit: [OrderBy], filter: QueryFilter?
  ) throws(HearthError) -> [OrderBy] {
    var seen: Set<FieldPath> = []
    for order in explicit where !seen.insert(order.path).inserted {
      throw .invalid(
        "ORDER_DUPLICATE", "The query orders by '\(order.path)' twice; once is enough.")
    }
    let direction = explicit.last?.direction ?? .ascending
    var orders = explicit
    for path in try inequalityFields(of: filter).sorted()
    where !path.isDocumentName && !seen.contains(path) {
      orders.append(OrderBy(path, direction))
    }
    if !seen.contains(.documentName) { orders.append(OrderBy(.documentName, direction)) }
    if orders.last?.path.isDocumentName != true, let last = orders.last {
      throw .invalid(
        "ORDER_AFTER_NAME",
        "Nothing can be ordered after the document's name, which is unique; here '\(last.path)' "
          + "follows it. Order by '\(last.path)' first.")
    }
    return orders
  }

  /// The fields with an inequality anywhere in the filter, `__name__` included.
  static func inequalityFields(of filter: QueryFilter?) throws(HearthError) -> Set<FieldPath> {
    var fields: Set<FieldPath> = []
    try filter?.visit { (filter) throws(HearthError) in
      if filter.withUnaryTests.op.isInequality { fields.insert(filter.path) }
    }
    return fields
  }
}
