import HearthModel

/// A JSON text as a tree that loses nothing: numbers keep their spelling, members their order and
/// the bytes of their names.
package indirect enum JSONNode: Sendable {
  case null
  case boolean(Bool)
  /// As it is spelled.
  case number(String)
  case string(String)
  case array([JSONNode])
  /// No two members have names with the same bytes.
  case object([Member])

  /// A named value of an object.
  package struct Member: Sendable {
    package var name: String
    package var value: JSONNode
  }

  /// What it is, for messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// What is wrong with a line of text that was to be read.
package struct TextFault: Error {
  /// In words, without the line's number.
  package var message: String

  package init(_ message: String) { self.message = message }
}

/// The members of an object, each of which is asked for by name.
package struct JSONMembers {
  private let what: String
  private var members: [JSONNode.Member]

  /// `what` names the object in messages.
  package init(_ node: JSONNode, _ what: String) throws(TextFault) {
    guard case .object(let members) = node else {
      throw TextFault("\(what) is \(node.kind) and not an object")
    }
    self.what = what
    self.members = members
  }

  /// Takes a member out; nil if there is none.
  package mutating func take(_ name: String) -> JSONNode? {
    guard let place = members.firstIndex(where: { UTF8Order.equal($0.name, name) }) else {
      return nil
    }
    return members.remove(at: place).value
  }

  /// Takes a member out that must be there.
  package mutating func required(_ name: String) throws(TextFault) -> JSONNode {
    guard let value = take(name) else { throw TextFault("\(what) has no \"\(name)\"") }
    return value
  }

  package mutating func text(_ name: String) throws(TextFault) -> String {
    let node = try required(name)
    guard case .string(let text) = node else {
      throw TextFault("\"\(name)\" of \(what) is \(node.kind) and not a string")
    }
    return text
  }

  package mutating func count(_ name: String) throws(TextFault) -> Int {
    let node = try required(name)
    guard case .number(let text) = node, let count = Int(text), count >= 0 else {
      throw TextFault("\"\(name)\" of \(what) is not a whole number")
    }
    return count
  }

  /// Refuses members that nobody has asked for: they would be lost.
  package func expectEnd() throws(TextFault) {
    guard let first = members.first else { return }
    throw TextFault("\(what) has an unknown \"\(first.name)\"")
  }
}
