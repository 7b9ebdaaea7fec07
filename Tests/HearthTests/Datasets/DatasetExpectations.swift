import Hearth

/// Files of `Tests/Datasets`.
enum DatasetFiles {
  static func url(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Datasets/\(name)").standardized
  }
}

/// What `Tests/Datasets/expected.py` computed.
struct DatasetExpectations: Decodable {
  /// A result: all its ids if it is short, else their number, their hash and both ends.
  struct Result: Decodable {
    var count: Int
    var ids: [String]?
    var sha256: String?
    var first: [String]?
    var last: [String]?
    /// Index entries read, where they can be told without knowing the engine.
    var entries: Int?
    /// Documents read with them, those that an offset skips included.
    var documents: Int?
  }

  /// A number with its kind, or null.
  struct Number: Decodable {
    var integer: Int64?
    var double: Double?

    /// Whether a result has this kind and, up to the rounding of sums, this value.
    func agrees(with value: Value) -> Bool {
      switch value {
      case .integer(let found): found == integer
      case .double(let found):
        double.map { abs($0 - found) <= 1e-9 * max(1, abs($0)) } ?? false
      case .null: integer == nil && double == nil
      default: false
      }
    }
  }

  var documents: [String: Int]
  var queries: [String: Result]
  var aggregates: [String: [Number]]

  static func read() throws -> DatasetExpectations {
    try JSONDecoder().decode(
      Self.self, from: Data(contentsOf: DatasetFiles.url("expected.json")))
  }
}
