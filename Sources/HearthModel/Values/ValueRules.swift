// What may be written (documents-and-queries, 2.1 and 3.3), and the form it is stored in.

/// Limits on written values.
package enum ValueRules {
  /// How many maps and arrays may be nested in a document.
  package static let deepest = 20
  /// The longest string or bytes value: 1 MiB less 89 bytes.
  package static let longestBlob = 1_048_487
  /// The most dimensions of a vector.
  package static let mostDimensions = 2048
  /// The longest field name, and the longest canonical field path.
  package static let longestFieldPath = 1500

  /// Checks one field name of written data.
  static func checkFieldName(_ name: String) throws(HearthError) {
    if name.utf8.isEmpty {
      throw .invalid("FIELD_NAME_EMPTY", "A field name must not be empty.")
    }
    if PathRules.isReserved(name) {
      throw .invalid(
        "FIELD_NAME_RESERVED",
        "The field name '\(name)' is reserved: names of the form '__…__' cannot be used.")
    }
    if name.utf8.count > longestFieldPath { throw fieldPathTooLong(name.utf8.count) }
  }

  static func fieldPathTooLong(_ length: Int) -> HearthError {
    .invalid(
      "FIELD_NAME_TOO_LONG",
      "A field name or path may have \(longestFieldPath) bytes in canonical form, not \(length).")
  }
}

/// What is wrong with a value, and the names of fields down to it, the innermost first.
private struct ValueFault: Error {
  var reason: String
  var message: String
  var path: [String] = []

  init(_ reason: String, _ message: String) {
    self.reason = reason
    self.message = message
  }

  init(_ error: HearthError) { self.init(error.reason, error.message) }

  /// The error, which tells the field below those that lead to the checked value.
  func error(below path: [String] = []) -> HearthError {
    let names = path + self.path.reversed()
    if names.isEmpty { return .invalid(reason, message) }
    return .invalid(reason, "\(message.dropLast()) (field '\(FieldPath(names))').")
  }
}

extension Fields {
  /// Checks everything about written fields that does not depend on where they are stored.
  package func validateForWrite() throws(HearthError) {
    do {
      try check(depth: 0, pathLength: 0)
    } catch {
      throw error.error()
    }
  }

  /// `depth` counts the containers around these fields; `pathLength` the canonical path so far.
  fileprivate func check(depth: Int, pathLength: Int) throws(ValueFault) {
    for field in self {
      let dot = pathLength == 0 ? 0 : 1
      let length = pathLength + dot + FieldPath.canonicalLength(of: field.name)
      do throws(HearthError) {
        try ValueRules.checkFieldName(field.name)
        if length > ValueRules.longestFieldPath { throw ValueRules.fieldPathTooLong(length) }
      } catch {
        throw ValueFault(error)
      }
      do throws(ValueFault) {
        try field.value.check(depth: depth, pathLength: length)
      } catch {
        var fault = error
        fault.path.append(field.name)
        throw fault
      }
    }
  }
}

extension Value {
  /// Checks a value that will stand in the array at a path, such as a transform's operand.
  package func validateForWrite(inArrayAt path: FieldPath) throws(HearthError) {
    if case .array = self { throw Value.nestedArray.error(below: path.segments) }
    do {
      try check(depth: 0, pathLength: 0)
    } catch {
      throw error.error(below: path.segments)
    }
  }

  /// Checks only that no more than the allowed number of containers is nested, so that a walk
  /// over the value cannot exhaust the stack.
  package func validateDepth() throws(HearthError) {
    do {
      try checkDepth(0)
    } catch {
      throw error.error()
    }
  }

  private func checkDepth(_ depth: Int) throws(ValueFault) {
    switch self {
    case .array(let elements):
      if depth == ValueRules.deepest { throw Value.tooDeep }
      for element in elements { try element.checkDepth(depth + 1) }
    case .map(let fields):
      if depth == ValueRules.deepest { throw Value.tooDeep }
      for field in fields { try field.value.checkDepth(depth + 1) }
    default: break
    }
  }

  private static var tooDeep: ValueFault {
    ValueFault("DEPTH", "Maps and arrays may be nested \(ValueRules.deepest) deep at most.")
  }

  fileprivate func check(depth: Int, pathLength: Int) throws(ValueFault) {
    switch self {
    case .null, .boolean, .integer, .double: break
    case .timestamp(let x):
      if !x.isValid {
        throw ValueFault(
          "TIMESTAMP_RANGE",
          "A timestamp must lie in the years 1 to 9999 and have 0 to 999,999,999 nanoseconds.")
      }
    case .string(let x): try Value.checkLength(x.utf8.count, what: "string")
    case .bytes(let x): try Value.checkLength(x.count, what: "bytes value")
    case .reference(let x):
      do throws(HearthError) {
        try x.validate()
      } catch {
        throw ValueFault(error)
      }
    case .geoPoint(let x):
      if !x.isValid {
        throw ValueFault(
          "GEOPOINT_RANGE",
          "A latitude lies in -90...90 and a longitude in -180...180; this point is "
            + "(\(x.latitude), \(x.longitude)).")
      }
    case .vector(let x):
      if !(1...ValueRules.mostDimensions).contains(x.array.count) {
        throw ValueFault(
          "VECTOR_DIMENSION",
          "A vector has 1 to \(ValueRules.mostDimensions) dimensions, not \(x.array.count).")
      }
    case .array(let elements):
      if depth == ValueRules.deepest { throw Value.tooDeep }
      for element in elements {
        if case .array = element { throw Value.nestedArray }
        // Maps inside arrays have no field path, so the length starts again.
        try element.check(depth: depth + 1, pathLength: 0)
      }
    case .map(let fields):
      if depth == ValueRules.deepest { throw Value.tooDeep }
      try fields.check(depth: depth + 1, pathLength: pathLength)
    }
  }

  private static var nestedArray: ValueFault {
    ValueFault(
      "NESTED_ARRAY", "An array must not directly contain an array; put a map in between.")
  }

  private static func checkLength(_ length: Int, what: String) throws(ValueFault) {
    if length > ValueRules.longestBlob {
      throw ValueFault(
        "VALUE_TOO_LONG",
        "A \(what) may have \(ValueRules.longestBlob) bytes; this one has \(length).")
    }
  }
}

extension Value {
  /// The form in which a value is stored: one NaN, timestamps cut to microseconds.
  ///
  /// The depth must have been checked before.
  package var normalizedForStorage: Value {
    // Nearly all values are normal already; those are not copied.
    if isNormal { return self }
    return switch self {
    case .double(let x) where x.isNaN: .double(.nan)
    case .timestamp(let x): .timestamp(x.truncatedToMicroseconds)
    case .array(let x): .array(x.map(\.normalizedForStorage))
    case .map(let x): .map(x.normalizedForStorage)
    case .vector(let x): .vector(VectorValue(x.array.map { $0.isNaN ? .nan : $0 }))
    default: self
    }
  }

  fileprivate var isNormal: Bool {
    switch self {
    case .double(let x): !x.isNaN || x.bitPattern == Double.nan.bitPattern
    case .timestamp(let x): x.nanoseconds % 1000 == 0
    case .array(let x): x.allSatisfy(\.isNormal)
    case .map(let x): x.allSatisfy { $0.value.isNormal }
    case .vector(let x): !x.array.contains(where: \.isNaN)
    default: true
    }
  }
}

extension Fields {
  /// All values in the form in which they are stored.
  package var normalizedForStorage: Fields {
    if allSatisfy({ $0.value.isNormal }) { return self }
    return Fields(sorted: map { Element(name: $0.name, value: $0.value.normalizedForStorage) })
  }
}

extension FieldPath {
  /// The number of bytes of the canonical form.
  package var canonicalLength: Int {
    segments.reduce(max(0, segments.count - 1)) { $0 + FieldPath.canonicalLength(of: $1) }
  }

  /// The number of bytes of one name in canonical form: backticks and escapes count.
  static func canonicalLength(of name: String) -> Int {
    if isBare(name.utf8) { return name.utf8.count }
    let escapes = name.utf8.count { $0 == UInt8(ascii: "`") || $0 == UInt8(ascii: "\\") }
    return name.utf8.count + escapes + 2
  }

  /// Checks a path that data is written to: no empty, reserved or too long names.
  package func validateForWrite() throws(HearthError) {
    if segments.isEmpty {
      throw .invalid("FIELD_NAME_EMPTY", "A field path needs at least one name.")
    }
    for segment in segments { try ValueRules.checkFieldName(segment) }
    let length = canonicalLength
    if length > ValueRules.longestFieldPath { throw ValueRules.fieldPathTooLong(length) }
  }

  /// Checks a path that is asked for: as for writing, with `__name__` allowed as a whole path.
  package func validateForQuery() throws(HearthError) {
    if !isDocumentName { try validateForWrite() }
  }
}

extension DocumentPath {
  /// Checks all rules of ids and paths, for paths that were not made by the parser.
  package func validate() throws(HearthError) { try PathParser.check(segments, parity: 0) }
}

extension CollectionPath {
  /// Checks all rules of ids and paths, for paths that were not made by the parser.
  package func validate() throws(HearthError) { try PathParser.check(segments, parity: 1) }
}
