extension Write {
  /// The most transforms of one document in one commit unit (documents-and-queries, 4.4).
  package static let mostTransforms = 500

  /// Checks everything that does not depend on stored state.
  ///
  /// That two keys of an `updateData` must not overlap is the caller's to check, since a mask
  /// itself may overlap (8.19); so is that `updateData` refuses `exists: false`, since a masked
  /// write with that precondition is legal as such.
  package func validate() throws(HearthError) {
    try document.validate()
    if case .updateTime(let time)? = precondition, time.nanoseconds % 1000 != 0 {
      throw .invalid(
        "PRECONDITION_TIME",
        "Update times have whole microseconds; \(time) cannot be that of '\(document)'.")
    }
    switch operation {
    case .delete:
      // Deleting what must not exist would do nothing; 4.5 does not offer it.
      if case .exists(false)? = precondition {
        throw .invalid(
          "PRECONDITION_NOT_ALLOWED",
          "A delete of '\(document)' can demand that the document exists, not that it is missing.")
      }
    case .update(let fields, let mask, let transforms):
      try fields.validateForWrite()
      for path in mask ?? [] { try path.validateForWrite() }
      try Write.checkTransformCount(transforms.count, of: document)
      for transform in transforms { try transform.validate() }
    }
  }

  /// What this write counts against the size of its commit unit; `validate` must have passed.
  package var requestSize: Int {
    guard case .update(let fields, _, let transforms) = operation else { return document.nameSize }
    return transforms.reduce(fields.documentSize(path: document)) { $0 + $1.requestSize }
  }

  static func checkTransformCount(_ count: Int, of document: DocumentPath) throws(HearthError) {
    if count > mostTransforms {
      throw .invalid(
        "TOO_MANY_TRANSFORMS",
        "'\(document)' gets \(count) transforms in one commit; \(mostTransforms) are the most.")
    }
  }
}

extension FieldTransform {
  fileprivate var requestSize: Int {
    switch kind {
    case .serverTimestamp: path.stringSize
    case .increment(let x), .maximum(let x), .minimum(let x): path.stringSize + x.storedSize
    case .arrayUnion(let x), .arrayRemove(let x):
      x.reduce(path.stringSize) { $0 + $1.storedSize }
    }
  }

  /// Checks the path and the kind of the operand.
  package func validate() throws(HearthError) {
    try path.validateForWrite()
    switch kind {
    case .serverTimestamp: break
    case .increment(let operand), .maximum(let operand), .minimum(let operand):
      if operand.rank != .number {
        throw .invalid(
          "TRANSFORM_OPERAND",
          "The operand of increment, maximum and minimum at '\(path)' must be a number.")
      }
    case .arrayUnion(let elements), .arrayRemove(let elements):
      for element in elements { try element.validateForWrite(inArrayAt: path) }
    }
  }
}
