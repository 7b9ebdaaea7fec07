/// Where in a value coding stands: a list from the inside out, so that going one level down
/// copies nothing.
final class CodingPath {
  let parent: CodingPath?
  let key: any CodingKey

  init(_ key: any CodingKey, in parent: CodingPath?) {
    self.key = key
    self.parent = parent
  }

  static func keys(_ path: CodingPath?) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    var current = path
    while let step = current {
      keys.append(step.key)
      current = step.parent
    }
    return keys.reversed()
  }
}

/// A key that is just a name, or a position in an array.
struct AnyCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  init(stringValue: String) { self.init(stringValue) }

  init(index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  init?(intValue: Int) { self.init(index: intValue) }

  static let superKey = AnyCodingKey("super")
}

/// Marks dictionaries whose keys are data and no names of properties, so that they are not
/// converted.
protocol StringKeyedDictionary {}

extension Dictionary: StringKeyedDictionary where Key == String {}
