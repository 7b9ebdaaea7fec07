// JSONSerialization reads the file: a well-kept parser beats one of our own.
import Foundation

/// What a `firestore.indexes.json` holds (documents-and-queries, 6.3).
package struct IndexDefinitionFile: Sendable, Equatable {
  /// Composite indexes in the order of the file, each once, without duplicates of automatic ones.
  package var composites: [IndexDefinition]
  package var overrides: [FieldOverride]

  package init(composites: [IndexDefinition] = [], overrides: [FieldOverride] = []) {
    self.composites = composites
    self.overrides = overrides
  }

  /// Reads a file's bytes; every error names the entry and what to do.
  package init(json: [UInt8]) throws(HearthError) {
    let root = JSONReader(value: try IndexDefinitionFile.parse(json), position: "the file")
    let top = try root.object()
    if top["collectionGroup"] != nil, top["indexes"] == nil || top["fieldPath"] != nil {
      let list = top["fieldPath"] == nil ? "indexes" : "fieldOverrides"
      throw root.fault("one entry and no list; write {\"\(list)\": [ … ]} around it")
    }
    try root.allowOnly(["indexes", "fieldOverrides"])
    self.init()
    try readComposites(top["indexes"])
    try readOverrides(top["fieldOverrides"])
  }

  private static func parse(_ json: [UInt8]) throws(HearthError) -> Any {
    do {
      return try JSONSerialization.jsonObject(with: Data(json))
    } catch {
      // Foundation says where in the debug description only.
      let info = (error as NSError).userInfo
      let detail = info["NSDebugDescription"] as? String ?? error.localizedDescription
      throw HearthError(
        .invalidArgument, "INDEX_FILE_SYNTAX",
        "The index file is not valid JSON: \(detail)\(line(in: json, of: detail))",
        underlying: error)
    }
  }

  /// On Linux Foundation counts characters from the start; people look for a line.
  private static func line(in json: [UInt8], of detail: String) -> String {
    let words = detail.split(whereSeparator: { $0 == " " || $0 == "." })
    guard let last = words.last, let offset = Int(last), words.dropLast().last == "character" else {
      return ""
    }
    let before = json.prefix(max(0, offset))
    return " That is on line \(before.count { $0 == UInt8(ascii: "\n") } + 1)."
  }

  private mutating func readComposites(_ reader: JSONReader?) throws(HearthError) {
    guard let reader else { return }
    let entries = try reader.array()
    if entries.count > IndexRules.mostComposites {
      throw reader.fault("\(entries.count) indexes; \(IndexRules.mostComposites) are the most")
    }
    var seen: Set<IndexDefinition> = []
    for entry in entries {
      let definition = try IndexDefinition(entry)
      // A copy of an automatic index is accepted and ignored (6.3).
      if definition.isSingleField, definition.scope == .collection { continue }
      if seen.insert(definition).inserted { composites.append(definition) }
    }
  }

  private mutating func readOverrides(_ reader: JSONReader?) throws(HearthError) {
    guard let reader else { return }
    let entries = try reader.array()
    if entries.count > IndexRules.mostOverrides {
      throw reader.fault("\(entries.count) overrides; \(IndexRules.mostOverrides) are the most")
    }
    // Keyed by a definition-shaped value, so that names compare by bytes.
    var seen: Set<FieldOverride> = []
    for entry in entries {
      let override = try FieldOverride(entry)
      var key = override
      key.indexes = []
      if !seen.insert(key).inserted {
        throw entry.fault("the same field as an earlier override; merge the two entries")
      }
      overrides.append(override)
    }
  }
}

extension IndexDefinition {
  /// Reads one entry of `indexes`.
  fileprivate init(_ entry: JSONReader) throws(HearthError) {
    try entry.allowOnly(
      ["collectionGroup", "queryScope", "fields", "apiScope", "density", "multikey", "unique"])
    try entry.checkOptions()
    let group = try entry.required("collectionGroup")
    let scope = try entry.required("queryScope")
    let list = try entry.required("fields")
    var fields: [IndexField] = []
    for reader in try list.array() {
      try reader.allowOnly(["fieldPath", "order", "arrayConfig", "vectorConfig", "mode"])
      let path = try reader.required("fieldPath")
      fields.append(IndexField(try path.fieldPath(), try reader.mode()))
    }
    self.init(collectionID: try group.string(), scope: try scope.scope(), fields: fields)
    do {
      try validate()
    } catch {
      throw .invalid(error.reason, "In \(entry.position): \(error.message)")
    }
  }
}

extension FieldOverride {
  /// Reads one entry of `fieldOverrides`.
  fileprivate init(_ entry: JSONReader) throws(HearthError) {
    try entry.allowOnly(["collectionGroup", "fieldPath", "indexes", "ttl"])
    let group = try entry.required("collectionGroup")
    let field = try entry.required("fieldPath")
    let list = try entry.required("indexes")
    var indexes: [SingleFieldIndex] = []
    for reader in try list.array() {
      try reader.allowOnly(
        [
          "order", "arrayConfig", "vectorConfig", "mode", "queryScope", "apiScope", "density",
          "multikey", "unique",
        ])
      try reader.checkOptions()
      let scope = try reader.object()["queryScope"]?.scope() ?? .collection
      indexes.append(SingleFieldIndex(mode: try reader.mode(), scope: scope))
    }
    // A bare `*` is the collection-level override; in backticks it is a field of that name.
    let isStar = UTF8Order.equal(try field.string(), "*")
    self.init(
      collectionID: try group.string(), path: isStar ? nil : try field.fieldPath(),
      indexes: indexes)
    do {
      try validate()
    } catch {
      throw .invalid(error.reason, "In \(entry.position): \(error.message)")
    }
  }
}

/// A JSON value and where it stands, such as `indexes[2].fields[0]`.
private struct JSONReader {
  let value: Any
  let position: String

  func fault(_ what: String, reason: String = "INDEX_DEFINITION") -> HearthError {
    .invalid(reason, "In the index file, \(position) has \(what).")
  }

  func object() throws(HearthError) -> [String: JSONReader] {
    guard let object = value as? [String: Any] else { throw fault("no JSON object") }
    var readers: [String: JSONReader] = [:]
    for (key, value) in object {
      let below = position.hasPrefix("the file") ? key : "\(position).\(key)"
      readers[key] = JSONReader(value: value, position: below)
    }
    return readers
  }

  func array() throws(HearthError) -> [JSONReader] {
    guard let array = value as? [Any] else { throw fault("no JSON array") }
    return array.enumerated().map { offset, value in
      JSONReader(value: value, position: "\(position)[\(offset)]")
    }
  }

  func string() throws(HearthError) -> String {
    guard let string = value as? String else { throw fault("no string") }
    return string
  }

  /// Refuses keys that nobody would look at, since most are slips of the pen.
  func allowOnly(_ keys: Set<String>) throws(HearthError) {
    for key in try object().keys.sorted() where !keys.contains(key) {
      throw fault("the unknown key '\(key)'; known are \(keys.sorted().joined(separator: ", "))")
    }
  }

  /// The value of a key that must be there.
  func required(_ key: String) throws(HearthError) -> JSONReader {
    guard let value = try object()[key] else { throw fault("no '\(key)', which is required") }
    return value
  }

  func scope() throws(HearthError) -> IndexScope {
    guard let scope = IndexScope(rawValue: try string()) else {
      throw fault("'\(try string())'; write COLLECTION or COLLECTION_GROUP")
    }
    return scope
  }

  func fieldPath() throws(HearthError) -> FieldPath {
    do {
      return try FieldPath(canonical: try string())
    } catch {
      throw .invalid("INDEX_DEFINITION", "In the index file, \(position): \(error.message)")
    }
  }

  /// Options of the service: those that mean what Standard edition does anyway are accepted.
  func checkOptions() throws(HearthError) {
    let object = try object()
    if let scope = object["apiScope"], try scope.string() != "ANY_API" {
      throw scope.fault("another API scope than ANY_API; only that is offered")
    }
    if let density = object["density"], try density.string() != "SPARSE_ALL" {
      throw density.fault(
        "another density than SPARSE_ALL; only that is offered", reason: "INDEX_DENSITY")
    }
    for key in ["multikey", "unique"] {
      guard let option = object[key] else { continue }
      if option.value as? Bool != false {
        throw option.fault("another value than false; '\(key)' indexes are not offered")
      }
    }
  }

  /// Exactly one of `order`, `arrayConfig`, `vectorConfig`, or the older `mode`.
  func mode() throws(HearthError) -> IndexFieldMode {
    let object = try object()
    let given = ["order", "arrayConfig", "vectorConfig", "mode"].filter { object[$0] != nil }
    guard given.count == 1, let key = given.first, let reader = object[key] else {
      throw fault(
        given.isEmpty
          ? "neither 'order' nor 'arrayConfig'" : "both '\(given.joined(separator: "' and '"))'")
    }
    if key == "vectorConfig" {
      throw reader.fault("a vector index; those are not offered yet")
    }
    let text = try reader.string()
    switch (key, text) {
    case ("order", "ASCENDING"), ("mode", "ASCENDING"): return .ascending
    case ("order", "DESCENDING"), ("mode", "DESCENDING"): return .descending
    case ("arrayConfig", "CONTAINS"), ("mode", "CONTAINS"), ("mode", "ARRAY_CONTAINS"):
      return .contains
    default:
      throw reader.fault(
        "'\(text)'; 'order' is ASCENDING or DESCENDING, 'arrayConfig' is CONTAINS")
    }
  }
}
