/// A JSON value whose objects keep the order they were written in.
///
/// Reports are read by people too, and should look the same from run to run.
package indirect enum JSONText: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSONText])
  case object([(String, JSONText)])

  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .boolean(value) }

  /// The text, indented by two spaces a level.
  package var text: String { text(indent: "") }

  private func text(indent: String) -> String {
    switch self {
    case .null: return "null"
    case .boolean(let x): return x ? "true" : "false"
    case .integer(let x): return String(x)
    case .number(let x): return x.isFinite ? Self.decimal(x) : "null"
    case .string(let x): return Self.quoted(x)
    case .array(let x):
      return Self.block("[", "]", x.map { $0.text(indent: indent + "  ") }, indent)
    case .object(let x):
      let members = x.map { "\(Self.quoted($0)): \($1.text(indent: indent + "  "))" }
      return Self.block("{", "}", members, indent)
    }
  }

  private static func block(
    _ open: String, _ close: String, _ members: [String], _ indent: String
  ) -> String {
    if members.isEmpty { return open + close }
    let inner = members.map { "\(indent)  \($0)" }.joined(separator: ",\n")
    return "\(open)\n\(inner)\n\(indent)\(close)"
  }

  /// Measurements have noise beyond the third place; whole digits stay.
  private static func decimal(_ number: Double) -> String {
    number.magnitude < 1e12 ? NumberText.fixed(number, places: 3) : "\(number)"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
