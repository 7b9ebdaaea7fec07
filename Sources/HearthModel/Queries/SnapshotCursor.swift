extension StructuredQuery {
  /// A cursor at the exact position of a document (documents-and-queries, 5.6).
  ///
  /// Using it makes the effective order explicit: set the returned orders along with the values.
  package func cursor(
    at path: DocumentPath, fields: Fields
  ) throws(HearthError) -> (orderBy: [OrderBy], values: [Value]) {
    try filter?.validateShape()
    let order = try EffectiveOrder.make(explicit: orderBy, filter: filter)
    var values: [Value] = []
    for order in order {
      if order.path.isDocumentName {
        values.append(.reference(path))
      } else if let value = fields.value(at: order.path) {
        values.append(value)
      } else {
        throw .invalid(
          "CURSOR_FIELD_MISSING",
          "The cursor's document '\(path)' lacks '\(order.path)', by which the query orders.")
      }
    }
    return (order, values)
  }

  /// A cursor at the exact position of a document.
  package func cursor(
    at document: Document
  ) throws(HearthError) -> (orderBy: [OrderBy], values: [Value]) {
    try cursor(at: document.path, fields: document.fields)
  }
}
