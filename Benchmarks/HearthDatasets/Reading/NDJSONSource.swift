package import Hearth

/// A file with one JSON document a line: `id` is the document's id, `location` a point on the
/// globe, and the named fields are milliseconds since 1970.
package struct NDJSONSource: DocumentSource {
  private let file: String
  private let collection: String
  private let millisecondFields: [String]
  private let bytes: [UInt8]
  private var position = 0
  private var line = 0

  init(file: String, collection: String, millisecondFields: [String] = []) throws {
    self.file = file
    self.collection = collection
    self.millisecondFields = millisecondFields
    bytes = try DataFiles.bytes(file)
  }

  package mutating func next() throws -> DatasetDocument? {
    while position < bytes.count {
      let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let text = bytes[position..<end]
      position = end + 1
      line += 1
      if text.isEmpty { continue }
      do {
        return try document(JSONLine.parse(text))
      } catch let problem as JSONLine.Problem {
        throw DatasetError(file: file, line: line, problem: problem.text)
      }
    }
    return nil
  }

  private func document(_ value: Value) throws -> DatasetDocument {
    guard case .map(var fields) = value, case .string(let id)? = fields["id"] else {
      throw JSONLine.Problem(text: "not an object with a string 'id'")
    }
    fields["id"] = nil
    if case .map(let location)? = fields["location"] {
      guard let latitude = location["latitude"]?.asDouble,
        let longitude = location["longitude"]?.asDouble
      else { throw JSONLine.Problem(text: "a location without latitude and longitude") }
      fields["location"] = .geoPoint(GeoPoint(latitude: latitude, longitude: longitude))
    }
    for name in millisecondFields {
      guard case .integer(let milliseconds)? = fields[name] else { continue }
      fields[name] = .timestamp(Timestamp(millisecondsSince1970: milliseconds))
    }
    return DatasetDocument(collection: collection, id: id, fields: fields)
  }
}

extension Value {
  /// The number as a double, whatever its kind; nil for what is no number.
  fileprivate var asDouble: Double? {
    switch self {
    case .integer(let x): Double(x)
    case .double(let x): x
    default: nil
    }
  }
}

extension Timestamp {
  /// A time given in milliseconds, as web APIs like it; exact, unlike by way of a `Date`.
  package init(millisecondsSince1970 milliseconds: Int64) {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    // Nanoseconds count forward from the second before, also before 1970.
    let isBorrowing = remainder < 0
    self.init(
      seconds: isBorrowing ? quotient - 1 : quotient,
      nanoseconds: Int32((isBorrowing ? remainder + 1000 : remainder) * 1_000_000))
  }
}
