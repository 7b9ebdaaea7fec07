import Hearth

/// The words that restaurants and ratings are made of.
struct Vocabulary: Sendable {
  /// From the FriendlyEats sample (see Data/README.md).
  let cities: [String]
  let categories: [String]
  let prices: [Int64]
  let stars: [Int64]

  /// Our own.
  let adjectives = [
    "Amber", "Blue", "Brave", "Copper", "Cozy", "Early", "Golden", "Green", "Happy", "Hidden",
    "Honest", "Humble", "Little", "Lucky", "Midnight", "Old", "Quiet", "Red", "Silver", "Slow",
    "Sunny", "Tall", "Velvet", "Wandering", "Wild", "Winter",
  ]
  let nouns = [
    "Anchor", "Barrel", "Bear", "Bridge", "Candle", "Corner", "Fig", "Fork", "Fox", "Garden",
    "Harbor", "Hearth", "Kettle", "Kitchen", "Lantern", "Lemon", "Maple", "Olive", "Orchard",
    "Oven", "Pepper", "Plum", "Radish", "Spoon", "Stove", "Table", "Thistle", "Whale",
  ]
  /// Remarks by stars given, from one to five.
  let remarks = [
    ["Cold soup, colder welcome.", "Waited an hour for bread.", "Never again."],
    ["Too loud to taste anything.", "The dessert saved it, nearly.", "Fine, if you must."],
    ["Solid, not special.", "Good for a quick lunch.", "As expected."],
    ["Would come back.", "Friendly, and the bread is warm.", "Nearly perfect."],
    ["The best in town!", "We stayed till they closed.", "Ten out of ten."],
  ]

  init() throws {
    let file = "friendlyeats-vocabulary.json"
    let value: Value
    do {
      value = try JSONLine.parse(try DataFiles.bytes(file)[...])
    } catch let problem as JSONLine.Problem {
      throw DatasetError(file: file, line: 1, problem: problem.text)
    }
    cities = Self.list("cities", of: value).compactMap { $0.asString }
    categories = Self.list("categories", of: value).compactMap { $0.asString }
    prices = Self.list("priceTiers", of: value).compactMap { $0.asInteger }
    stars = Self.list("ratingValues", of: value).compactMap { $0.asInteger }
    guard !cities.isEmpty, !categories.isEmpty, !prices.isEmpty, !stars.isEmpty else {
      throw DatasetError(file: file, line: 1, problem: "a word list is missing")
    }
  }

  private static func list(_ name: String, of value: Value) -> [Value] {
    guard case .map(let fields) = value, case .array(let list)? = fields[name] else { return [] }
    return list
  }
}

extension Value {
  fileprivate var asString: String? {
    if case .string(let x) = self { return x }
    return nil
  }

  fileprivate var asInteger: Int64? {
    if case .integer(let x) = self { return x }
    return nil
  }
}
