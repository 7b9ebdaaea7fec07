import Foundation
import HearthModel

/// The names and values of the emulator's REST interface.
enum Wire {
  static let database = "projects/parity/databases/(default)"
  static let root = database + "/documents"

  static func name(_ path: DocumentPath) -> JSON {
    .string(root + "/" + path.segments.joined(separator: "/"))
  }

  static func path(_ name: String) -> DocumentPath {
    let parts = name.utf8.dropFirst(root.utf8.count + 1)
      .split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    return DocumentPath(
      collection: CollectionPath(unchecked: Array(parts.dropLast())), id: parts.last ?? "")
  }

  static func fieldPath(_ path: FieldPath) -> JSON { .string(path.description) }

  static func fields(_ fields: Fields) -> JSON {
    .object(fields.map { ($0.name, value($0.value)) })
  }

  static func value(_ value: Value) -> JSON {
    switch value {
    case .null: .object([("nullValue", .null)])
    case .boolean(let x): .object([("booleanValue", .boolean(x))])
    case .integer(let x): .object([("integerValue", .string(String(x)))])
    case .double(let x): .object([("doubleValue", number(x))])
    case .timestamp(let x): .object([("timestampValue", .string(text(x)))])
    case .string(let x): .object([("stringValue", .string(x))])
    case .bytes(let x): .object([("bytesValue", .string(Data(x).base64EncodedString()))])
    case .reference(let x): .object([("referenceValue", name(x))])
    case .geoPoint(let x):
      .object([
        (
          "geoPointValue",
          .object([("latitude", number(x.latitude)), ("longitude", number(x.longitude))])
        )
      ])
    case .array(let x): .object([("arrayValue", values(x))])
    case .vector(let x):
      Wire.value(
        .map(["__type__": "__vector__", "value": .array(x.array.map { .double($0) })]))
    case .map(let x): .object([("mapValue", .object([("fields", fields(x))]))])
    }
  }

  static func values(_ values: [Value]) -> JSON {
    .object([("values", .array(values.map { value($0) }))])
  }

  private static func number(_ x: Double) -> JSON {
    if x.isNaN { return .string("NaN") }
    if x.isInfinite { return .string(x < 0 ? "-Infinity" : "Infinity") }
    // The emulator reads "-0.0" as 0.0, but not a number that is too small.
    if x == 0, x.sign == .minus { return .number("-1e-400") }
    return .number("\(x)")
  }

  static func text(_ time: Timestamp) -> String {
    var days = time.seconds / 86400
    var second = time.seconds % 86400
    if second < 0 {
      second += 86400
      days -= 1
    }
    let (year, month, day) = civil(days)
    return String(
      format: "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", year, month, day, Int(second / 3600),
      Int(second / 60 % 60), Int(second % 60), Int(time.nanoseconds))
  }

  /// Year, month and day of a day counted from 1970, in the proleptic Gregorian calendar.
  private static func civil(_ days: Int64) -> (Int, Int, Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let years = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * years + years / 4 - years / 100)
    let shiftedMonth = (5 * ofYear + 2) / 153
    let day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (Int(years + era * 400 + (month <= 2 ? 1 : 0)), Int(month), Int(day))
  }

  static func time(_ text: String) -> Timestamp {
    let parts = text.split { !$0.isNumber }.map { Int64($0) ?? 0 }
    guard parts.count >= 6 else { return Timestamp(seconds: 0, nanoseconds: 0) }
    let year = parts[1] <= 2 ? parts[0] - 1 : parts[0]
    let era = (year >= 0 ? year : year - 399) / 400
    let ofEra = year - era * 400
    let ofYear = (153 * (parts[1] > 2 ? parts[1] - 3 : parts[1] + 9) + 2) / 5 + parts[2] - 1
    let days = era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    var fraction =
      text.utf8.firstIndex(of: UInt8(ascii: "."))
      .map { text[text.index(after: $0)...].prefix { $0.isNumber } }.map(String.init) ?? ""
    fraction += String(repeating: "0", count: max(0, 9 - fraction.utf8.count))
    return Timestamp(
      seconds: days * 86400 + parts[3] * 3600 + parts[4] * 60 + parts[5],
      nanoseconds: Int32(fraction) ?? 0)
  }
}

extension Wire {
  /// Something that no value looks like.
  struct Strange: Error {
    var text: String
  }

  static func readFields(_ json: JSON?) throws -> Fields {
    var fields = Fields()
    for (name, member) in json?.members ?? [] { fields[name] = try readValue(member) }
    return fields
  }

  static func readValue(_ json: JSON) throws -> Value {
    let members = json.members
    guard !members.isEmpty, let value = read(members[0].0, members[0].1) else {
      throw Strange(text: json.text)
    }
    return value
  }

  private static func read(_ kind: String, _ content: JSON) -> Value? {
    let text = content.asString ?? ""
    switch kind {
    case "nullValue": return Value.null
    case "booleanValue": return .boolean(content.text == "true")
    case "stringValue": return .string(text)
    case "referenceValue": return .reference(path(text))
    case "timestampValue": return .timestamp(time(text))
    case "bytesValue": return Data(base64Encoded: text).map { .bytes(Array($0)) }
    case "integerValue": return Int64(text).map { .integer($0) }
    case "doubleValue": return content.asDouble.map { .double($0) }
    case "geoPointValue":
      let latitude = content["latitude"]?.asDouble ?? 0
      let longitude = content["longitude"]?.asDouble ?? 0
      return .geoPoint(GeoPoint(latitude: latitude, longitude: longitude))
    case "arrayValue":
      let elements = content["values"]?.elements ?? []
      return (try? elements.map { try readValue($0) }).map { .array($0) }
    case "mapValue": return (try? readFields(content["fields"])).map { vector($0) }
    default: return nil
    }
  }

  /// The map itself, or the vector that it stands for.
  private static func vector(_ map: Fields) -> Value {
    guard map.count == 2, case .string("__vector__")? = map["__type__"],
      case .array(let elements)? = map["value"]
    else { return .map(map) }
    let numbers = elements.compactMap { element -> Double? in
      if case .double(let x) = element { return x }
      return nil
    }
    return numbers.count == elements.count ? .vector(VectorValue(numbers)) : .map(map)
  }
}
