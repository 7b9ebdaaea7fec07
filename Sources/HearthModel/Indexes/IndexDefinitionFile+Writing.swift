extension IndexDefinitionFile {
  /// The file as pretty JSON in a stable order, readable by `init(json:)` and by Firebase's tools.
  package func json() -> String {
    """
    {
      "indexes": \(IndexJSON.list(composites.map(\.jsonFragment), indent: "  ")),
      "fieldOverrides": \(IndexJSON.list(overrides.map(\.jsonFragment), indent: "  "))
    }

    """
  }
}

extension IndexDefinition {
  /// The entry for `firestore.indexes.json`, ready to paste.
  ///
  /// A single-field index becomes an entry of `fieldOverrides` that restates the default ones,
  /// everything else one of `indexes`.
  package var jsonFragment: String {
    isSingleField ? overrideAdding().jsonFragment : compositeFragment
  }

  /// The override that adds this single-field index to those that the field has.
  ///
  /// An override replaces the default set (6.2), so what exists must be said again.
  package func overrideAdding(
    to existing: [SingleFieldIndex] = IndexConfiguration.defaultIndexes
  ) -> FieldOverride {
    let added = SingleFieldIndex(mode: fields.first?.mode ?? .ascending, scope: scope)
    return FieldOverride(
      collectionID: collectionID, path: fields.first?.path,
      indexes: existing.contains(added) ? existing : existing + [added])
  }

  private var compositeFragment: String {
    // The name stands in the file only where its direction is not the implied one.
    let implied = IndexDefinition(
      collectionID: collectionID, scope: scope, fields: Array(fieldsBeforeName))
    let written = fields.count > 1 && implied == self ? fieldsBeforeName : fields[...]
    let fields = written.map { field in
      "{ \"fieldPath\": \(IndexJSON.string(field.path.description)), \(field.mode.jsonPair) }"
    }
    return """
      {
        "collectionGroup": \(IndexJSON.string(collectionID)),
        "queryScope": "\(scope.rawValue)",
        "fields": \(IndexJSON.list(fields, indent: "  "))
      }
      """
  }
}

extension FieldOverride {
  /// The entry for `fieldOverrides`, ready to paste.
  package var jsonFragment: String {
    let entries = indexes.map { index in
      "{ \(index.mode.jsonPair), \"queryScope\": \"\(index.scope.rawValue)\" }"
    }
    return """
      {
        "collectionGroup": \(IndexJSON.string(collectionID)),
        "fieldPath": \(IndexJSON.string(path?.description ?? "*")),
        "indexes": \(IndexJSON.list(entries, indent: "  "))
      }
      """
  }
}

extension IndexFieldMode {
  fileprivate var jsonPair: String {
    self == .contains ? "\"arrayConfig\": \"CONTAINS\"" : "\"order\": \"\(rawValue)\""
  }
}

/// The little JSON that is written here, in an order of our choosing.
private enum IndexJSON {
  /// A list with one item per line; items may have several lines.
  static func list(_ items: [String], indent: String) -> String {
    if items.isEmpty { return "[]" }
    let inner = indent + "  "
    let lines = items.map { item in
      inner + item.split(separator: "\n").joined(separator: "\n" + inner)
    }
    return "[\n" + lines.joined(separator: ",\n") + "\n" + indent + "]"
  }

  static func string(_ string: String) -> String {
    var out = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      // Foundation takes a byte order mark that leads a string for none of the string's.
      case _ where scalar.value < 0x20 || scalar.value == 0xfeff:
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
