import Foundation
package import Hearth

/// A document of a data set: where it goes, and what it holds.
package struct DatasetDocument: Sendable {
  /// The path of its collection, such as `restaurants/x/ratings`.
  package var collection: String
  /// Its id in that collection.
  package var id: String
  /// Its fields.
  package var fields: Fields

  package init(collection: String, id: String, fields: Fields) {
    self.collection = collection
    self.id = id
    self.fields = fields
  }

  /// The whole path.
  package var path: String { "\(collection)/\(id)" }

  /// The fields in the form that `setData` takes.
  package var data: [String: Any] { Self.dictionary(fields) }

  private static func dictionary(_ fields: Fields) -> [String: Any] {
    var result: [String: Any] = [:]
    result.reserveCapacity(fields.count)
    for field in fields { result[field.name] = plain(field.value) }
    return result
  }

  /// The value as user code would write it; data sets hold no references.
  private static func plain(_ value: Value) -> Any {
    switch value {
    case .null: NSNull()
    case .boolean(let x): x
    case .integer(let x): x
    case .double(let x): x
    case .timestamp(let x): x
    case .string(let x): x
    case .bytes(let x): Data(x)
    case .reference(let x): preconditionFailure("a reference in a data set: \(x)")
    case .geoPoint(let x): x
    case .array(let x): x.map(plain)
    case .vector(let x): x
    case .map(let x): dictionary(x)
    }
  }
}

/// Gives documents one by one, so that a large set need not be in memory.
package protocol DocumentSource {
  /// The next document, nil at the end.
  mutating func next() throws -> DatasetDocument?
}

/// A line of a data file that could not be read.
package struct DatasetError: Error, CustomStringConvertible {
  package var file: String
  package var line: Int
  package var problem: String

  package var description: String { "\(file), line \(line): \(problem)" }
}
