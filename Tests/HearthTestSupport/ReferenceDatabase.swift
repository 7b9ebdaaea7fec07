package import HearthModel

/// The naive twin of the database (documents-and-queries, 4).
///
/// A dictionary of documents, and every rule spelled out in the plainest way. Of the model's code
/// it shares the value types, nothing else.
package struct ReferenceDatabase: Sendable {
  package private(set) var documents: [DocumentPath: Document] = [:]
  /// The version of the last unit that was committed.
  package private(set) var version = CommitVersion.zero

  package init() {}

  /// Applies a commit unit whole, or throws and changes nothing.
  ///
  /// The writes must be valid.
  @discardableResult
  package mutating func commit(
    _ writes: [Write], version: CommitVersion
  ) throws(HearthError) -> [WriteResult] {
    var next = documents
    var deleted: Set<DocumentPath> = []
    var results: [WriteResult] = []
    for write in writes {
      let path = write.document
      let current = next[path]
      if deleted.contains(path), write.demandsDocument, case .update = write.operation {
        throw ReferenceDatabase.failure(.invalidArgument, "UPDATE_AFTER_DELETE")
      }
      try ReferenceDatabase.check(write.precondition, current)
      switch write.operation {
      case .delete:
        next[path] = nil
        deleted.insert(path)
        results.append(WriteResult(updateVersion: nil, transformResults: []))
      case .update(let given, let mask, let transforms):
        var fields = ReferenceDatabase.merge(given, mask, into: current?.fields ?? Fields())
        let told = transforms.map {
          ReferenceDatabase.apply($0, to: &fields, now: version.time.truncatedToMilliseconds)
        }
        let isSame = current.map { $0.fields == fields } ?? false
        let document = Document(
          path: path, createVersion: current?.createVersion ?? version,
          updateVersion: isSame ? current?.updateVersion ?? version : version, fields: fields)
        next[path] = document
        deleted.remove(path)
        results.append(
          WriteResult(updateVersion: document.updateVersion, transformResults: told))
      }
    }
    documents = next
    self.version = version
    return results
  }

  private static func failure(_ status: FirestoreErrorCode.Code, _ reason: String) -> HearthError {
    HearthError(status, reason, "The twin expects this failure.")
  }

  private static func check(
    _ precondition: Precondition?, _ current: Document?
  ) throws(HearthError) {
    switch precondition {
    case .exists(true) where current == nil: throw failure(.notFound, "DOCUMENT_MISSING")
    case .exists(false) where current != nil: throw failure(.alreadyExists, "DOCUMENT_EXISTS")
    case .updateTime(let time) where current?.updateVersion.time != time:
      throw failure(.failedPrecondition, "VERSION_MISMATCH")
    default: break
    }
  }

  private static func merge(
    _ given: Fields, _ mask: [FieldPath]?, into current: Fields
  ) -> Fields {
    guard let mask else { return given }
    var fields = current
    for path in mask {
      if let value = given.value(at: path) {
        fields.set(value, at: path)
      } else {
        fields.remove(at: path)
      }
    }
    return fields
  }

  private static func apply(
    _ transform: FieldTransform, to fields: inout Fields, now: Timestamp
  ) -> Value {
    let current = fields.value(at: transform.path)
    var elements: [Value] = []
    if case .array(let existing)? = current { elements = existing }
    let value: Value
    switch transform.kind {
    case .serverTimestamp: value = .timestamp(now)
    case .increment(let operand): value = sum(current, operand)
    case .maximum(let operand): value = extremum(current, operand, wantsGreater: true)
    case .minimum(let operand): value = extremum(current, operand, wantsGreater: false)
    case .arrayUnion(let operands):
      for operand in operands where !elements.contains(where: { isEqual($0, operand) }) {
        elements.append(operand)
      }
      value = .array(elements)
    case .arrayRemove(let operands):
      for operand in operands { elements.removeAll { isEqual($0, operand) } }
      value = .array(elements)
    }
    fields.set(value, at: transform.path)
    switch transform.kind {
    case .arrayUnion, .arrayRemove: return .null
    default: return value
    }
  }

  /// Element equality (2.3), of whole values.
  private static func isEqual(_ a: Value, _ b: Value) -> Bool {
    ReferenceValue.compare(ReferenceValue(whole: a), ReferenceValue(whole: b)) == 0
  }

  private static func sum(_ current: Value?, _ operand: Value) -> Value {
    switch (current, operand) {
    case (.integer(let a)?, .integer(let b)):
      if a.addingReportingOverflow(b).overflow { return .integer(b > 0 ? .max : .min) }
      return .integer(a + b)
    case (.integer(let a)?, .double(let b)): return .double(Double(a) + b)
    case (.double(let a)?, .integer(let b)): return .double(a + Double(b))
    case (.double(let a)?, .double(let b)): return .double(a + b)
    default: return operand
    }
  }

  private static func extremum(_ current: Value?, _ operand: Value, wantsGreater: Bool) -> Value {
    guard let current else { return operand }
    let (old, new) = (ReferenceValue(whole: current), ReferenceValue(whole: operand))
    if !old.isNumber { return operand }
    if old.isNaN || new.isNaN { return .double(.nan) }
    let order = ReferenceValue.compare(new, old)
    return (wantsGreater ? order > 0 : order < 0) ? operand : current
  }
}

extension Write {
  fileprivate var demandsDocument: Bool {
    switch precondition {
    case .exists(true)?, .updateTime?: true
    default: false
    }
  }
}
