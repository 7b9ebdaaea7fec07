import Hearth

/// The ZIP codes: flat rows, the code (with its leading zeros) as the document's id.
package struct ZipCodeSource: DocumentSource {
  private static let file = "us-zipcodes.csv"
  private static let header = ["zip_code", "latitude", "longitude", "city", "state", "county"]
  private var records: CSVRecords

  init() throws {
    records = CSVRecords(try DataFiles.bytes(Self.file))
    guard records.next() == Self.header else {
      throw DatasetError(file: Self.file, line: 1, problem: "an unexpected header")
    }
  }

  package mutating func next() throws -> DatasetDocument? {
    let line = records.line
    guard let cells = records.next() else { return nil }
    guard cells.count == Self.header.count else {
      throw DatasetError(
        file: Self.file, line: line, problem: "\(cells.count) cells, expected 6")
    }
    guard let latitude = Double(cells[1]), let longitude = Double(cells[2]) else {
      throw DatasetError(
        file: Self.file, line: line, problem: "latitude or longitude is not a number")
    }
    return DatasetDocument(
      collection: "zipcodes", id: cells[0],
      fields: [
        "city": .string(cells[3]),
        "county": .string(cells[5]),
        "location": .geoPoint(GeoPoint(latitude: latitude, longitude: longitude)),
        "state": .string(cells[4]),
      ])
  }
}
