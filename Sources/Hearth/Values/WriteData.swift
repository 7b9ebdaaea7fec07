import HearthModel

/// What a write call was given, taken apart: plain fields, and sentinels with their places.
struct WriteData {
  struct Sentinel {
    var path: FieldPath
    var value: FieldValue
  }

  /// Everything but the sentinels; a map that held only sentinels is there as an empty map.
  var fields = Fields()
  var sentinels: [Sentinel] = []
  /// The database of the references in it; nil if there are none.
  var database: Firestore?
  /// Misplaced things that only a write minds.
  var error: HearthError?

  /// Every leaf: what is not a map with something in it (documents-and-queries, 4.2).
  var leaves: [FieldPath] {
    var leaves: [FieldPath] = []
    // Every place above a sentinel: an empty map there is only its frame.
    var frames: Set<FieldPath> = []
    for sentinel in sentinels {
      for length in 1...max(1, sentinel.path.segments.count) {
        frames.insert(FieldPath(Array(sentinel.path.segments.prefix(length))))
      }
    }
    func visit(_ fields: Fields, _ path: [String]) {
      for field in fields {
        let here = path + [field.name]
        guard case .map(let inner) = field.value else {
          leaves.append(FieldPath(here))
          continue
        }
        if !inner.isEmpty {
          visit(inner, here)
        } else if !frames.contains(FieldPath(here)) {
          leaves.append(FieldPath(here))
        }
      }
    }
    visit(fields, [])
    return leaves
  }

  /// Whether a path has a value or a sentinel, at it or below it.
  func contains(_ path: FieldPath) -> Bool {
    fields.value(at: path) != nil || sentinels.contains { path.isPrefix(of: $0.path) }
  }
}

/// How `setData` treats what the document held.
enum SetMode {
  case replace
  case merge
  /// Only these: dotted strings or `FieldPath`s.
  case fields([Any])
}

/// Lowers the calls of the API to the unit of writing (documents-and-queries, 4.2).
enum Lowering {
  static func set(
    _ path: DocumentPath, _ data: WriteData, _ mode: SetMode
  ) throws(HearthError) -> Write {
    if let error = data.error { throw error }
    let deletes = data.sentinels.filter { $0.value.kind == .delete }
    switch mode {
    case .replace:
      if let first = deletes.first { throw misplacedDelete(first.path) }
      return update(path, data.fields, mask: nil, data.sentinels)
    case .merge:
      let mask = data.leaves + deletes.map(\.path)
      return update(path, only(mask, of: data.fields), mask: mask, data.sentinels)
    case .fields(let names):
      var mask: [FieldPath] = []
      for name in names {
        let field = try FieldPath(untyped: name)
        guard data.contains(field) else {
          throw .invalid(
            "MERGE_FIELD_MISSING",
            "The field '\(field)' is listed in mergeFields but not in the data.")
        }
        mask.append(field)
      }
      let listed = data.sentinels.filter { sentinel in
        mask.contains { $0.isPrefix(of: sentinel.path) }
      }
      // A transform is no part of the mask: a path that is one keeps its stored value as operand.
      let plain = mask.filter { path in
        !listed.contains { $0.path == path && $0.value.kind != .delete }
      }
      return update(path, only(plain, of: data.fields), mask: plain, listed)
    }
  }

  /// A set of a document that must not exist.
  static func create(_ path: DocumentPath, _ data: WriteData) throws(HearthError) -> Write {
    var write = try set(path, data, .replace)
    write.precondition = .exists(false)
    return write
  }

  static func update(
    _ path: DocumentPath, _ entries: [(FieldPath, WriteData)], _ precondition: Precondition? = nil
  ) throws(HearthError) -> Write {
    if precondition == .exists(false) {
      throw .invalid(
        "PRECONDITION_NOT_ALLOWED",
        "An update of '\(path)' cannot demand that the document is missing; use create(_:).")
    }
    var fields = Fields()
    var mask: [FieldPath] = []
    var sentinels: [WriteData.Sentinel] = []
    for (field, data) in entries {
      if let error = data.error { throw error }
      for sentinel in data.sentinels {
        if sentinel.value.kind == .delete, sentinel.path != field {
          throw misplacedDelete(sentinel.path)
        }
        sentinels.append(sentinel)
      }
      let top = data.sentinels.first { $0.path == field }
      if let value = data.fields.value(at: field) {
        mask.append(field)
        fields.set(value, at: field)
      } else if top?.value.kind == .delete {
        mask.append(field)
      }
    }
    let sorted = entries.map(\.0).sorted()
    for (a, b) in zip(sorted, sorted.dropFirst()) where a.isPrefix(of: b) {
      throw .invalid(
        "FIELD_PATH_CONFLICT", "An update names both '\(a)' and '\(b)', which lies in it.")
    }
    var write = update(path, fields, mask: mask, sentinels)
    write.precondition = precondition ?? .exists(true)
    return write
  }

  private static func update(
    _ path: DocumentPath, _ fields: Fields, mask: [FieldPath]?, _ sentinels: [WriteData.Sentinel]
  ) -> Write {
    // A dictionary has no order; results are told in that of the paths.
    let transforms = sentinels.sorted { $0.path < $1.path }.compactMap { sentinel in
      sentinel.value.transform.map { FieldTransform(path: sentinel.path, kind: $0) }
    }
    return Write(
      document: path, operation: .update(fields: fields, mask: mask, transforms: transforms))
  }

  private static func only(_ mask: [FieldPath], of fields: Fields) -> Fields {
    var result = Fields()
    for path in mask {
      if let value = fields.value(at: path) { result.set(value, at: path) }
    }
    return result
  }

  private static func misplacedDelete(_ path: FieldPath) -> HearthError {
    .invalid(
      "DELETE_SENTINEL",
      "FieldValue.delete() at '\(path)': it may stand only at the top level of updateData, or in "
        + "setData with merge or mergeFields.")
  }
}

extension FieldPath {
  /// A field as untyped calls name it: a dotted string or a `FieldPath`.
  ///
  /// As many names as fit in 1500 bytes with a dot between them.
  private static let mostSegments = 750

  init(untyped name: Any) throws(HearthError) {
    if let path = name as? FieldPath {
      if path.segments.isEmpty || path.segments.contains(where: \.isEmpty) {
        throw .invalid("FIELD_PATH_SYNTAX", "A FieldPath needs names, and none may be empty.")
      }
      // Checked here, before anything walks down the path.
      if path.segments.count > FieldPath.mostSegments {
        throw .invalid(
          "FIELD_NAME_TOO_LONG",
          "A field path may have 1500 bytes; this one has \(path.segments.count) names.")
      }
      self = path
    } else if let string = name as? String {
      try self.init(dotted: string)
    } else {
      throw .invalid(
        "FIELD_PATH_SYNTAX",
        "A field is named by a String or a FieldPath, not by a \(type(of: name)).")
    }
  }
}
