package import HearthModel

/// Values as JSON with their exact types, in the manner of Firestore's REST interface:
/// `{"integerValue": "7"}`.
///
/// Two things differ: a reference is a path without project and database, and a vector has a
/// member of its own.
package enum TypedValueJSON {
  // MARK: Writing

  /// Appends an object of fields.
  package static func append(_ fields: Fields, to writer: inout JSONWriter) {
    writer.raw("{")
    writer.list(fields) { writer, field in
      writer.string(field.name)
      writer.raw(":")
      append(field.value, to: &writer)
    }
    writer.raw("}")
  }

  private static func append(_ value: Value, to writer: inout JSONWriter) {
    switch value {
    case .null: writer.raw("{\"nullValue\":null")
    case .boolean(let x): writer.raw(x ? "{\"booleanValue\":true" : "{\"booleanValue\":false")
    case .integer(let x): writer.json("{\"integerValue\":\"\(x)\"")
    case .double(let x):
      writer.raw("{\"doubleValue\":")
      writer.double(x)
    case .timestamp(let x): writer.json("{\"timestampValue\":\"\(TimestampText.text(x))\"")
    case .string(let x):
      writer.raw("{\"stringValue\":")
      writer.string(x)
    case .bytes(let x):
      writer.raw("{\"bytesValue\":\"")
      Base64.append(x, to: &writer.bytes)
      writer.raw("\"")
    case .reference(let x):
      writer.raw("{\"referenceValue\":")
      writer.string(x.description)
    case .geoPoint(let x):
      writer.raw("{\"geoPointValue\":{\"latitude\":")
      writer.double(x.latitude)
      writer.raw(",\"longitude\":")
      writer.double(x.longitude)
      writer.raw("}")
    case .array(let x):
      writer.raw("{\"arrayValue\":{\"values\":[")
      writer.list(x) { append($1, to: &$0) }
      writer.raw("]}")
    case .vector(let x):
      writer.raw("{\"vectorValue\":[")
      writer.list(x.array) { $0.double($1) }
      writer.raw("]")
    case .map(let x):
      writer.raw("{\"mapValue\":{\"fields\":")
      append(x, to: &writer)
      writer.raw("}")
    }
    writer.raw("}")
  }

  // MARK: Reading

  /// The fields of an object of typed values.
  package static func fields(_ node: JSONNode) throws(TextFault) -> Fields {
    guard case .object(let members) = node else {
      throw TextFault("the fields are \(node.kind) and not an object")
    }
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
    guard case .object(let members) = node, members.count == 1, let member = members.first else {
      throw TextFault("a value is an object with one member, such as {\"integerValue\": \"7\"}")
    }
    let inner = member.value
    switch member.name {
    case "nullValue":
      guard case .null = inner else { throw mismatch("nullValue", "null", inner) }
      return .null
    case "booleanValue":
      guard case .boolean(let x) = inner else { throw mismatch("booleanValue", "true", inner) }
      return .boolean(x)
    case "integerValue": return .integer(try integer(inner))
    case "doubleValue": return .double(try double(inner))
    case "timestampValue":
      guard let time = TimestampText.parse(try text(inner, "timestampValue")) else {
        throw mismatch("timestampValue", "\"2026-01-31T12:00:00Z\"", inner)
      }
      return .timestamp(time)
    case "stringValue": return .string(try text(inner, "stringValue"))
    case "bytesValue":
      guard let bytes = Base64.decode(try text(inner, "bytesValue")) else {
        throw mismatch("bytesValue", "base64", inner)
      }
      return .bytes(bytes)
    case "referenceValue": return .reference(try reference(text(inner, "referenceValue")))
    case "geoPointValue":
      var point = try JSONMembers(inner, "the geopoint")
      let latitude = try double(point.required("latitude"))
      let longitude = try double(point.required("longitude"))
      try point.expectEnd()
      return .geoPoint(GeoPoint(latitude: latitude, longitude: longitude))
    case "arrayValue": return .array(try array(inner))
    case "vectorValue":
      guard case .array(let elements) = inner else { throw mismatch("vectorValue", "[0.5]", inner) }
      var components: [Double] = []
      for element in elements { components.append(try double(element)) }
      return .vector(VectorValue(components))
    case "mapValue":
      var map = try JSONMembers(inner, "the map")
      // Firestore leaves the member out where the map is empty.
      let fields = try map.take("fields").map(fields) ?? Fields()
      try map.expectEnd()
      return .map(fields)
    default: throw TextFault("\"\(member.name)\" is no type of value")
    }
  }

  private static func array(_ node: JSONNode) throws(TextFault) -> [Value] {
    var array = try JSONMembers(node, "the array")
    let values = array.take("values") ?? .array([])
    try array.expectEnd()
    guard case .array(let elements) = values else {
      throw mismatch("values", "an array", values)
    }
    var result: [Value] = []
    for element in elements { result.append(try value(element)) }
    return result
  }

  private static func mismatch(_ name: String, _ example: String, _ node: JSONNode) -> TextFault {
    TextFault("\"\(name)\" is \(node.kind) that does not fit, it should be like \(example)")
  }

  private static func text(_ node: JSONNode, _ name: String) throws(TextFault) -> String {
    guard case .string(let text) = node else { throw mismatch(name, "\"text\"", node) }
    return text
  }

  private static func integer(_ node: JSONNode) throws(TextFault) -> Int64 {
    switch node {
    case .string(let text), .number(let text):
      if let number = Int64(text) { return number }
    default: break
    }
    throw mismatch("integerValue", "\"7\", within 64 bits", node)
  }

  private static func double(_ node: JSONNode) throws(TextFault) -> Double {
    switch node {
    case .number(let text):
      // Too large a number would become infinite.
      if let number = Double(text), number.isFinite { return number }
    case .string("NaN"): return .nan
    case .string("Infinity"): return .infinity
    case .string("-Infinity"): return -.infinity
    default: break
    }
    throw mismatch("doubleValue", "0.5 or \"NaN\"", node)
  }

  private static func reference(_ text: String) throws(TextFault) -> DocumentPath {
    do throws(HearthError) {
      return try DocumentPath(text)
    } catch {
      throw TextFault(error.message)
    }
  }
}
