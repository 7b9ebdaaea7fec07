package import HearthModel

/// A document to be asked many times: what queries see of its fields is worked out once.
///
/// Not `Sendable`: a cache without a lock.
package final class ReferenceDocument {
  /// One field as queries see it.
  struct Field {
    var form: ReferenceValue
    /// The forms of an array's elements, which have index entries of their own.
    var elements: [ReferenceValue]?
  }

  package let document: Document
  let name: ReferenceValue
  private var fields: [FieldPath: Field?] = [:]

  package init(_ document: Document) {
    self.document = document
    name = ReferenceValue(name: document.path)
  }

  /// Order of names, so that random choices among documents can be repeated.
  package static func precedes(_ a: ReferenceDocument, _ b: ReferenceDocument) -> Bool {
    ReferenceValue.compare(a.name, b.name) < 0
  }

  /// A field, nil if it is missing; that of `__name__` is the document's whole name.
  func field(_ path: FieldPath) -> Field? {
    if path.isName { return Field(form: name) }
    if let known = fields[path] { return known }
    let field = value(path).map { value in
      var elements: [ReferenceValue]?
      if case .array(let members) = value { elements = members.map { ReferenceValue($0) } }
      return Field(form: ReferenceValue(value), elements: elements)
    }
    fields[path] = .some(field)
    return field
  }

  /// The value at a path, walking maps only (3.2).
  func value(_ path: FieldPath) -> Value? {
    var value = Value.map(document.fields)
    for segment in path.segments {
      guard case .map(let fields) = value, let inner = fields[segment] else { return nil }
      value = inner
    }
    return value
  }
}

extension FieldPath {
  /// Whether this is `__name__`.
  var isName: Bool { segments.count == 1 && segments[0].utf8.elementsEqual("__name__".utf8) }
}

extension Fields {
  /// Only the values at some paths, with the maps around them (5.7).
  func reduced(to paths: [FieldPath], above: [String] = []) -> Fields {
    var kept = Fields()
    for field in self {
      let path = above + [field.name]
      if paths.contains(where: { $0 == FieldPath(path) }) {
        kept[field.name] = field.value
      } else if case .map(let inner) = field.value {
        let rest = inner.reduced(to: paths, above: path)
        if !rest.isEmpty { kept[field.name] = .map(rest) }
      }
    }
    return kept
  }
}
