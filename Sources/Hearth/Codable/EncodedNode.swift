import Foundation
import HearthModel

/// A value that is being encoded.
///
/// Only what has parts that come later is a node of its own; plain values stand in their parent.
final class EncodedNode {
  enum Content {
    case nothing
    case value(Value, Firestore?)
    case sentinel(FieldValue)
    case map
    case array
  }

  /// A part of a map or an array.
  enum Part {
    case value(Value)
    case node(EncodedNode)
  }

  var content = Content.nothing
  /// Of a map: its parts, of two with one name the later one counting.
  var named: [(name: String, part: Part)] = []
  /// Of an array: its elements.
  var elements: [Part] = []

  /// The map below a name, for a second container of the same key.
  func existing(_ name: String) -> EncodedNode? {
    for entry in named.reversed() where UTF8Order.equal(entry.name, name) {
      if case .node(let node) = entry.part { return node }
      return nil
    }
    return nil
  }
}

/// Turns nodes into the fields and sentinels of a write.
struct NodeResolver {
  private var reader: ValueReader
  private var data = WriteData()

  init(database: Firestore) { reader = ValueReader(database: database) }

  mutating func document(_ root: EncodedNode) throws -> WriteData {
    data.fields = try map(root, [], inArray: false)
    data.database = reader.seen
    return data
  }

  private mutating func map(
    _ node: EncodedNode, _ path: [String], inArray: Bool
  ) throws -> Fields {
    var fields = Fields()
    for (name, part) in node.named {
      if let value = try resolve(part, path + [name], inArray: inArray) { fields[name] = value }
    }
    return fields
  }

  private mutating func resolve(
    _ part: EncodedNode.Part, _ path: [String], inArray: Bool
  ) throws -> Value? {
    guard case .node(let node) = part else {
      if case .value(let value) = part { return value }
      return nil
    }
    switch node.content {
    case .nothing: return .map(Fields())
    case .map: return .map(try map(node, path, inArray: inArray))
    case .value(let value, let database):
      if let database { try reader.note(database: database) }
      return value
    case .sentinel(let sentinel):
      take(sentinel, path, inArray: inArray)
      return nil
    case .array:
      var values: [Value] = []
      values.reserveCapacity(node.elements.count)
      for (index, element) in node.elements.enumerated() {
        let here = path + ["Index \(index)"]
        guard let value = try resolve(element, here, inArray: true) else { continue }
        if case .array = value {
          throw HearthError.invalid(
            "NESTED_ARRAY",
            "An array cannot stand directly inside an array: \(here.joined(separator: ", ")).")
        }
        values.append(value)
      }
      return .array(values)
    }
  }

  /// A misplaced sentinel is the write's business: encoding goes on, the write fails.
  private mutating func take(_ sentinel: FieldValue, _ path: [String], inArray: Bool) {
    if inArray {
      data.error =
        data.error
        ?? .invalid(
          "SENTINEL_IN_ARRAY",
          "FieldValue.\(sentinel.name) cannot stand inside an array: "
            + "\(path.joined(separator: ", ")).")
    } else if let error = sentinel.error {
      data.error = data.error ?? error
    } else {
      data.sentinels.append(WriteData.Sentinel(path: FieldPath(path), value: sentinel))
    }
  }
}

extension EncodedNode {
  /// The node's parts as the untyped calls take them.
  func untyped() throws -> [String: Any] {
    var result: [String: Any] = [:]
    for (name, part) in named { result[name] = try EncodedNode.untyped(part) }
    return result
  }

  private static func untyped(_ part: Part) throws -> Any {
    switch part {
    case .value(let value): return plain(value, nil)
    case .node(let node):
      switch node.content {
      case .nothing, .map: return try node.untyped()
      case .array: return try node.elements.map { try untyped($0) }
      case .sentinel(let sentinel): return sentinel
      case .value(let value, let database): return plain(value, database)
      }
    }
  }

  private static func plain(_ value: Value, _ database: Firestore?) -> Any {
    if case .reference(let path) = value, let database { return DocumentReference(database, path) }
    return ValueWriter(database: Firestore.nowhere).untyped(value)
  }
}

extension Firestore {
  /// Stands for "no database" where only values without references are converted.
  static let nowhere = Firestore(
    broken: HearthError(.failedPrecondition, "NOT_CONFIGURED", "There is no database here."))
}
