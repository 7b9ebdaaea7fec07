import HearthModel

extension KnownDifferences {
  static let writes = [
    KnownDifference(
      "update times of several writes of one document",
      because: """
        The emulator gives every write of a document in one commit the result of the last. The API \
        says that a result belongs to its write, and that a delete has no update time.
        """
    ) { difference, _ in
      guard case .commit(let writes) = difference.request,
        case .commit(let ours) = difference.hearth,
        case .commit(var theirs) = difference.emulator,
        ours.count == writes.count, theirs.count == writes.count
      else { return }
      for (position, write) in writes.enumerated() {
        let last = writes.lastIndex { $0.document == write.document } ?? position
        if last != position, theirs[position].updated == theirs[last].updated {
          theirs[position].updated = ours[position].updated
        }
      }
      difference.emulator = .commit(theirs)
    },
    .refusal(
      "several writes of one document with different preconditions",
      because: """
        The emulator merges the writes of one document before it applies them and cannot merge \
        preconditions. Firestore applies writes one after the other.
        """, saying: "Cannot collapse mutations"),
    .refusal(
      "several writes of one document with preconditions that exclude one another",
      because: """
        The emulator merges the writes of one document before it looks at any document, so this \
        error comes before those of preconditions.
        """, saying: "an entity in the same request."),
    KnownDifference(
      "invalid write of a document that is written again",
      because: """
        The emulator merges the writes of one document first and never looks at what a later one \
        replaces.
        """
    ) { difference, _ in
      guard case .commit(let writes) = difference.request,
        difference.hearth == .failure("INVALID_ARGUMENT"), difference.emulator.acceptsRequest
      else { return }
      let replaced = writes.indices.filter { position in
        writes[(position + 1)...].contains { $0.document == writes[position].document }
      }
      let rest = writes.indices.filter { !replaced.contains($0) }
      if rest.allSatisfy({ writes[$0].isValid }), !replaced.allSatisfy({ writes[$0].isValid }) {
        difference.emulator = difference.hearth
      }
    },
    KnownDifference(
      "one update time for several writes of a document",
      because: """
        The emulator merges the writes and looks at the time once. Each write sees what those before \
        it left, and that was changed by this very commit.
        """
    ) { difference, _ in
      guard case .commit(let writes) = difference.request,
        difference.hearthReason == "VERSION_MISMATCH", case .commit = difference.emulator
      else { return }
      let isTwice = writes.indices.contains { position in
        guard case .updateTime? = writes[position].precondition else { return false }
        return writes[..<position].contains {
          $0.document == writes[position].document
            && $0.precondition == writes[position].precondition
        }
      }
      if isTwice { difference.emulator = difference.hearth }
    },
    KnownDifference(
      "which of several failing writes is reported",
      because: """
        Writes are looked at in their order, and the first that fails decides. The emulator has an \
        order of its own.
        """
    ) { difference, _ in
      guard case .commit(let writes) = difference.request,
        writes.count(where: { $0.precondition != nil }) > 1,
        case .failure(let ours) = difference.hearth,
        case .failure(let theirs) = difference.emulator
      else { return }
      let ofDocuments = ["NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION"]
      if ofDocuments.contains(ours), ofDocuments.contains(theirs) {
        difference.emulator = difference.hearth
      }
    },
    KnownDifference(
      "time of the commit that deleted the document",
      because: """
        The emulator remembers when a document was deleted and lets a precondition match that time. \
        A document that is missing has no update time.
        """
    ) { difference, hearth in
      guard case .commit(let writes) = difference.request,
        difference.hearthReason == "VERSION_MISMATCH", !difference.emulator.isFailure
      else { return }
      let timed = writes.filter { write in
        if case .updateTime? = write.precondition { return true }
        return false
      }
      let present = try await hearth.ask(.read(timed.map(\.document)))
      if case .documents(let documents) = present, documents.contains(nil) {
        difference.emulator = difference.hearth
      }
    },
    KnownDifference(
      "update time of a missing document",
      because: """
        The emulator says NOT_FOUND at times, INVALID_ARGUMENT at others. The rule is \
        FAILED_PRECONDITION, as for every time that is not the stored one.
        """
    ) { difference, _ in
      guard difference.hearthReason == "VERSION_MISMATCH",
        difference.emulator == .failure("NOT_FOUND"),
        difference.emulatorMessage.hasPrefix("no entity to update")
      else { return }
      difference.emulator = difference.hearth
    },
    .refusal(
      "update time later than the stored one",
      because: """
        The emulator calls a precondition's time an invalid argument if it is later than the stored \
        one, a document that is missing counting as 0. The rule is FAILED_PRECONDITION for every \
        time that is not the stored one.
        """, saying: "Invalid base version, it is greater than the stored version",
      hearth: "VERSION_MISMATCH"),
    .refusal(
      "vector in an array",
      because: "The rules call a vector a scalar and forbid only arrays directly in arrays.",
      saying: "Cannot convert a vector value in an array value."),
    .refusal(
      "NaN in a vector",
      because: "The rules say of a vector's components only that they are doubles.",
      saying: "Vector cannot contain NaN values."),
    .refusal(
      "NaN in a vector in a map",
      because: "As in a vector at the top.", saying: "contains an invalid nested entity."
    ) { writes in
      writes.contains { $0.fields.contains { $0.value.holdsVectorWithNaN } }
    },
    .refusal(
      "transforms of a field and of one below it",
      because: "Transforms are applied in order; the rules have no limit on their paths.",
      saying: "and its nested property at the same time."),
    .acceptance(
      "delete that must not exist",
      because: "A delete accepts a precondition that it exists, or an update time, no other.",
      hearth: "PRECONDITION_NOT_ALLOWED"),
    .acceptance(
      "field ____",
      because: "Names of the form __.*__ are reserved; production counts ____ among them.",
      hearth: "FIELD_NAME_RESERVED"
    ) { writes in
      writes.contains { $0.names.contains { UTF8Order.equal($0, "____") } }
    },
    .acceptance(
      "id ____",
      because: "Ids of the form __.*__ are reserved; production counts ____ among them.",
      hearth: "ID_RESERVED"
    ) { writes in
      writes.contains { $0.document.segments.contains { UTF8Order.equal($0, "____") } }
    },
    .acceptance(
      "delete of a document with a long id",
      because: "The documented limit of 1500 bytes is not kept there by the emulator.",
      hearth: "ID_TOO_LONG", of: onlyDeletesOfInvalidNames),
    .acceptance(
      "delete of a document that lies too deep",
      because: "The documented limit of 100 levels is not kept there by the emulator.",
      hearth: "PATH_TOO_DEEP", of: onlyDeletesOfInvalidNames),
    .acceptance(
      "__name__ in a mask",
      because: "The document's name cannot be written, so it has no place in a mask.",
      hearth: "FIELD_NAME_RESERVED"
    ) { writes in writes.contains { $0.mask?.contains(where: \.isDocumentName) ?? false } },
    .acceptance(
      "reserved name in a transform's path",
      because: "Such a field cannot be written; the emulator writes it.",
      hearth: "FIELD_NAME_RESERVED"
    ) { writes in
      writes.contains { $0.transforms.contains { $0.path.segments.contains(where: \.isReserved) } }
    },
    KnownDifference(
      "operand of an array transform",
      because: """
        What a transform appends must be writable, as everything that is stored: no array directly \
        in an array, no reserved or empty names, not too deep. The emulator does not look.
        """
    ) { difference, _ in
      let tokens = ["NESTED_ARRAY", "DEPTH", "FIELD_NAME_EMPTY", "FIELD_NAME_RESERVED"]
      guard case .commit(let writes) = difference.request, difference.emulator.acceptsRequest,
        tokens.contains(difference.hearthReason),
        writes.allSatisfy({ $0.withoutArrayTransforms.isValid })
      else { return }
      difference.emulator = difference.hearth
    },
    .acceptance(
      "more than 500 transforms of a document",
      because: "The documented limit is not kept by the emulator.", hearth: "TOO_MANY_TRANSFORMS"),
    .acceptance(
      "index entry of more than 7.5 KiB",
      because: "The documented limit is not kept by the emulator.", hearth: "INDEX_ENTRY_TOO_LARGE"),
    .acceptance(
      "document name of more than 6 KiB",
      because: "The documented limit is not kept by the emulator.", hearth: "NAME_TOO_LONG"),
    .refusal(
      "field path of exactly 1500 bytes in a mask",
      because: "The documented limit is 1500 bytes; the emulator's check is one short.",
      saying: "property path is longer than 1500 bytes."
    ) { writes in
      writes.contains { $0.mask?.contains { $0.canonicalLength == 1500 } ?? false }
    },
    .acceptance(
      "field path of more than 1500 bytes in a transform",
      because: "The documented limit is not kept there by the emulator.",
      hearth: "FIELD_NAME_TOO_LONG"
    ) { writes in
      writes.contains { $0.transforms.contains { $0.path.canonicalLength > 1500 } }
    },
  ]
}

/// Whether all documents that are not just deleted have valid names.
private func onlyDeletesOfInvalidNames(_ writes: [Write]) -> Bool {
  writes.allSatisfy { $0.operation == .delete || (try? $0.document.validate()) != nil }
}

extension KnownDifference {
  /// As the other one, for commits of which something more holds.
  fileprivate static func refusal(
    _ name: String, because reason: String, saying words: String,
    of holds: @escaping @Sendable ([Write]) -> Bool
  ) -> KnownDifference {
    let wide = refusal(name, because: reason, saying: words)
    return KnownDifference(name, because: reason) { difference, hearth in
      guard case .commit(let writes) = difference.request, holds(writes) else { return }
      try await wide.settle(&difference, &hearth)
    }
  }

  /// As the other one, for commits of which something more holds.
  fileprivate static func acceptance(
    _ name: String, because reason: String, hearth token: String,
    of holds: @escaping @Sendable ([Write]) -> Bool
  ) -> KnownDifference {
    let wide = acceptance(name, because: reason, hearth: token)
    return KnownDifference(name, because: reason) { difference, hearth in
      guard case .commit(let writes) = difference.request, holds(writes) else { return }
      try await wide.settle(&difference, &hearth)
    }
  }
}

extension Write {
  fileprivate var fields: Fields {
    if case .update(let fields, _, _) = operation { return fields }
    return Fields()
  }

  fileprivate var mask: [FieldPath]? {
    if case .update(_, let mask, _) = operation { return mask }
    return nil
  }

  fileprivate var transforms: [FieldTransform] {
    if case .update(_, _, let transforms) = operation { return transforms }
    return []
  }

  fileprivate var isValid: Bool { (try? validate()) != nil }

  fileprivate var withoutArrayTransforms: Write {
    guard case .update(let fields, let mask, let transforms) = operation else { return self }
    var rest = self
    rest.operation = .update(
      fields: fields, mask: mask, transforms: transforms.filter(\.operands.isEmpty))
    return rest
  }

  /// The names of all fields, at any depth.
  fileprivate var names: [String] {
    Value.map(fields).names + transforms.flatMap { $0.operands.flatMap(\.names) }
  }
}

extension FieldTransform {
  fileprivate var operands: [Value] {
    switch kind {
    case .arrayUnion(let operands), .arrayRemove(let operands): operands
    default: []
    }
  }
}

extension String {
  fileprivate var isReserved: Bool { PathRules.isReserved(self) }
}

extension Value {
  fileprivate var names: [String] {
    switch self {
    case .map(let fields): fields.flatMap { [$0.name] + $0.value.names }
    case .array(let elements): elements.flatMap(\.names)
    default: []
    }
  }

  fileprivate var holdsVectorWithNaN: Bool {
    switch self {
    case .vector(let vector): vector.array.contains(where: \.isNaN)
    case .map(let fields): fields.contains { $0.value.holdsVectorWithNaN }
    case .array(let elements): elements.contains(where: \.holdsVectorWithNaN)
    default: false
    }
  }
}
