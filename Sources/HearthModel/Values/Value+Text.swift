extension Value {
  /// A short one-line rendering for messages and plans; long values are cut with an ellipsis.
  package var text: String { text(depth: 0) }

  private static let longestText = 60

  private func text(depth: Int) -> String {
    switch self {
    case .null: return "null"
    case .boolean(let x): return x ? "true" : "false"
    case .integer(let x): return String(x)
    case .double(let x): return x.isNaN ? "NaN" : String(x)
    case .timestamp(let x): return "ts(\(x.seconds)s \(x.nanoseconds)ns)"
    case .string(let x): return Value.quoted(x)
    case .bytes(let x): return "bytes[\(x.count)]"
    case .reference(let x): return "ref(\(x))"
    case .geoPoint(let x): return "geo(\(x.latitude), \(x.longitude))"
    case .vector(let x): return Value.list("vec[", x.array.map { String($0) }, "]")
    case .array(let x):
      if depth > 2 { return "[…]" }
      return Value.list("[", x.prefix(10).map { $0.text(depth: depth + 1) }, "]")
    case .map(let x):
      if depth > 2 { return "{…}" }
      let entries = x.prefix(10).map { "\($0.name): \($0.value.text(depth: depth + 1))" }
      return Value.list("{", entries, "}")
    }
  }

  private static func list(_ open: String, _ items: [String], _ close: String) -> String {
    let shown = items.prefix(9).joined(separator: ", ")
    return open + shown + (items.count > 9 ? ", …" : "") + close
  }

  /// A string in quotes, shortened, with line breaks and quotes escaped.
  private static func quoted(_ string: String) -> String {
    var out = "\""
    for scalar in string.unicodeScalars.prefix(longestText) {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case _ where scalar.value < 0x20: out += "\\u{\(String(scalar.value, radix: 16))}"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + (string.unicodeScalars.count > longestText ? "…\"" : "\"")
  }
}
