package import HearthModel

/// Plain JSON as values, for data from elsewhere.
///
/// The spelling of a number decides its type: one without fraction and exponent is an integer.
package enum PlainJSON {
  /// The fields of an object.
  package static func fields(_ node: JSONNode) throws(TextFault) -> Fields {
    guard case .object(let members) = node else {
      throw TextFault("the line is \(node.kind) and not an object")
    }
    return try fields(of: members)
  }

  private static func fields(of members: [JSONNode.Member]) throws(TextFault) -> Fields {
    var fields = Fields()
    for member in members {
      do throws(TextFault) {
        fields[member.name] = try value(member.value)
      } catch {
        throw TextFault("field \(FieldPath([member.name])): \(error.message)")
      }
    }
    return fields
  }

  private static func value(_ node: JSONNode) throws(TextFault) -> Value {
    switch node {
    case .null: return .null
    case .boolean(let x): return .boolean(x)
    case .string(let x): return .string(x)
    case .number(let text): return try number(text)
    case .object(let members): return .map(try fields(of: members))
    case .array(let elements):
      var values: [Value] = []
      for element in elements { values.append(try value(element)) }
      return .array(values)
    }
  }

  private static func number(_ text: String) throws(TextFault) -> Value {
    if !text.utf8.contains(where: { ".eE".utf8.contains($0) }) {
      guard let integer = Int64(text) else {
        throw TextFault(
          "the integer \(text) does not fit into 64 bits; write \(text).0 for a double")
      }
      // An integer has no sign of zero; "-0" can only mean the double.
      return text == "-0" ? .double(-0.0) : .integer(integer)
    }
    guard let double = Double(text), double.isFinite else {
      throw TextFault("the number \(text) is too large for a double")
    }
    return .double(double)
  }
}
